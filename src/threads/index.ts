/** Durable conversations (README.md): what is said over many runs, its log, its runs, stops and questions. */
export {
  Conversations,
  type EventPage,
  type NumberedEnvelope,
  type Page,
} from "./conversations.ts";
export { EventWriter, eventBody, type Piece, tableEvents, type UnfinishedText } from "./event-writer.ts";
export { canBeAnswered, type ForkPoint } from "./fork-point.ts";
export { type AnswerInput, judgedAnswer } from "./questions/answers.ts";
export { type Asked, askedBy, isDecision, isDoubt, shownKind } from "./questions/asked.ts";
export { RunLog, type RunLogPorts } from "./run-log.ts";
export {
  conversationInfo,
  openServed,
  type ServedMessage,
  type ServedPorts,
  servedArgs,
  servedParams,
  serveMessage,
} from "./served-message.ts";
export { envelopeOf, type StoredEnvelope } from "./stored-envelope.ts";
