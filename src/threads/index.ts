/** Durable conversations (README.md): what is said over many runs, its log, its runs, stops and questions. */
export {
  Conversations,
  type NumberedEnvelope,
  type Page,
  type StoredEventPage,
} from "./conversations.ts";
export { type EventPiece, EventWriter, eventBody, tableEvents, type UnfinishedText } from "./event-writer.ts";
export { canBeAnswered, type ForkPoint } from "./fork-point.ts";
export { type AnswerInput, judgedAnswer } from "./questions/answers.ts";
export { askedBy, isDecision, isDoubt, type OpenQuestion, shownKind } from "./questions/open-question.ts";
export { type FileChange, RunLog, type RunLogPorts } from "./run-log.ts";
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
