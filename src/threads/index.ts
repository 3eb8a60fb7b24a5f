/** Durable conversations (README.md): what is said over many runs, its log, its runs, stops and questions. */
export * from "./conversations.ts";
export { EventWriter, eventBody, tableEvents, type UnfinishedText } from "./event-writer.ts";
export { canBeAnswered } from "./fork-point.ts";
export { type AnswerInput, judgedAnswer, keepAnswer } from "./questions/answers.ts";
export {
  askedBy,
  askedData,
  isDecision,
  isDoubt,
  type OpenQuestion,
  shownKind,
} from "./questions/open-question.ts";
export * from "./run-log.ts";
export {
  conversationInfo,
  openServed,
  type ServedMessage,
  type ServedPorts,
  servedArgs,
  servedParams,
  serveMessage,
} from "./served-message.ts";
export type { StoredEnvelope } from "./stored-envelope.ts";
