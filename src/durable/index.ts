/**
 * What several processes decide on (README.md): operations over the store, mailboxes and leases, and the files that show them.
 * The only door.
 */
export * from "./conversation-states.ts";
export type { Dispatcher, Lease, LeaseOwner, MailboxMessage } from "./dispatcher.ts";
export * from "./embedded.ts";
export { embeddedDispatcher } from "./embedded-dispatcher.ts";
export type {
  EvalAttemptRow,
  EvalDrawRow,
  EvalLabelRow,
  EvalLimitRow,
  EvalSampleRow,
  EvalScoreRow,
  EvalSetRow,
  EvalTables,
  EvalTaskRow,
  EvalTrialRow,
  EvalVariantRow,
} from "./eval-tables.ts";
export * from "./files/projection.ts";
export type { Change, OperateOptions } from "./ledger.ts";
export { type ClientOf, clientOf, defineOperations, type Engine, operation } from "./operation.ts";
export * from "./operations/access.ts";
export { checkpointRecords } from "./operations/checkpoints.ts";
export type { SaidMessage } from "./operations/conversations/conversations.ts";
export {
  type HistoryEntry,
  type LogPiece,
  messageAddress,
  type NewLogEvent,
  type RunOwner,
  streamOfRun,
} from "./operations/conversations/log.ts";
export { type ConversationQuestion, conversationOperations } from "./operations/conversations/operations.ts";
export * from "./operations/conversations/questions.ts";
export { missingConversation, type StoredConversation } from "./operations/conversations/record.ts";
export { type ClaimResult, type NewInterrupt, pausing } from "./operations/conversations/runs.ts";
export * from "./operations/daemons.ts";
export { idOfBox, workBox } from "./operations/durable-work.ts";
export * from "./operations/evals.ts";
export * from "./operations/event-log.ts";
export * from "./operations/library.ts";
export * from "./operations/metadata.ts";
export * from "./operations/notes.ts";
export { paperOperations } from "./operations/papers/operations.ts";
export type { OutlineEntry } from "./operations/papers/outline.ts";
export {
  missingPaper,
  missingSection,
  type PaperChange,
  type StaleChange,
  type StoredPaper,
  type StoredReference,
  type StoredSection,
  type WholePaper,
} from "./operations/papers/record.ts";
export { projections } from "./operations/projections.ts";
export { questions } from "./operations/questions.ts";
export { records } from "./operations/records.ts";
export { scriptStore } from "./operations/script-store.ts";
export type { RunBeginning } from "./operations/sessions/begin-run.ts";
export * from "./operations/sessions/due.ts";
export type { SessionOutcome } from "./operations/sessions/end-run.ts";
export type { InputEvent, SessionEvent } from "./operations/sessions/events.ts";
export {
  deduplicated,
  type Learning,
  learningKey,
  type NewLearning,
} from "./operations/sessions/learnings.ts";
export * from "./operations/sessions/names.ts";
export { sessionOperations } from "./operations/sessions/operations.ts";
export {
  isAtWork,
  isAwaiting,
  type PendingInput,
  type Receipt,
  type SessionRecord,
  shownStatus,
} from "./operations/sessions/record.ts";
export { missingSession } from "./operations/sessions/sessions.ts";
export type { StoredWake } from "./operations/sessions/wake-table.ts";
export * from "./operations/sessions/wakes.ts";
export {
  type DurableKind,
  durableKinds,
  isPending,
  moved,
  retryBackoff,
  statusOfWord,
  statusWord,
  type WorkKind,
  type WorkStatus,
} from "./operations/status.ts";
export * from "./operations/workflow-mailboxes.ts";
export * from "./run-ledger.ts";
export type * from "./tx.ts";
