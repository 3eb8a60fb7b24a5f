/**
 * What several processes decide on (README.md): operations over the store, mailboxes and leases, and the files that show them.
 * The only door.
 */
export { type ConversationState, conversationStateNames, conversationStates } from "./conversation-states.ts";
export type {
  Dispatcher,
  EnqueueOptions,
  Lease,
  LeaseOwner,
  MailboxMessage,
} from "./dispatcher.ts";
export { EmbeddedLedger, EmbeddedOperations } from "./embedded.ts";
export { embeddedDispatcher } from "./embedded-dispatcher.ts";
export {
  type EvalAttemptRow,
  type EvalDrawRow,
  type EvalLabelRow,
  type EvalLimitRow,
  type EvalSampleRow,
  type EvalScoreRow,
  type EvalSetRow,
  type EvalTables,
  type EvalTaskRow,
  type EvalTrialRow,
  type EvalVariantRow,
  evalShapes,
  type Piece,
} from "./eval-tables.ts";
export {
  type FileProjection,
  ProjectedFiles,
  type ProjectionFiles,
  type Updated,
} from "./files/projection.ts";
export type { Change, OperateOptions, WaitClock } from "./ledger.ts";
export {
  type AnyOperation,
  type ClientOf,
  clientOf,
  defineOperations,
  type Engine,
  type Operation,
  type OperationSpec,
  operation,
} from "./operation.ts";
export { access, principalRoles } from "./operations/access.ts";
export { checkpointRecords } from "./operations/checkpoints.ts";
export {
  type ConversationChanges,
  deliveries,
  type MessageDelivery,
  type NewConversationMessage,
  type SaidMessage,
} from "./operations/conversations/conversations.ts";
export type { Fork } from "./operations/conversations/forks.ts";
export {
  type HistoryEntry,
  type LogPiece,
  messageAddress,
  type NewLogEvent,
  type RunOwner,
  type StoredEntry,
  streamOfRun,
} from "./operations/conversations/log.ts";
export {
  type ConversationFilter,
  type ConversationQuestion,
  conversationOperations,
} from "./operations/conversations/operations.ts";
export { questionId, questionPlace } from "./operations/conversations/questions.ts";
export {
  type ConversationGauge,
  type ConversationParent,
  type ConversationRun,
  type ConversationTotals,
  missingConversation,
  type NewConversation,
  type ResumeCause,
  type StoredConversation,
} from "./operations/conversations/record.ts";
export {
  type ClaimResult,
  type EndRun,
  type InterruptKind,
  type NewInterrupt,
  pausing,
  type RunEndStatus,
} from "./operations/conversations/runs.ts";
export {
  type DaemonRecord,
  type DaemonStart,
  daemonOperations,
  type IdleConfig,
  type Wish,
} from "./operations/daemons.ts";
export { idOfBox, workBox } from "./operations/durable-work.ts";
export {
  type EvalPiece,
  type EvalTableName,
  type EvalWrite,
  evals,
  pieceColumns,
  runColumns,
} from "./operations/evals.ts";
export { eventTopics, type LoggedEvent, type NumberedEvent } from "./operations/event-log.ts";
export { type LibraryEntry, libraryOperations } from "./operations/library.ts";
export { type FactChanges, type Folders, type MetadataFields, metadataFacts } from "./operations/metadata.ts";
export { type NoteRecord, type NoteSource, noteOperations, sourceOperations } from "./operations/notes.ts";
export { paperOperations } from "./operations/papers/operations.ts";
export type { OutlineEntry } from "./operations/papers/outline.ts";
export {
  type BodyPiece,
  missingPaper,
  missingSection,
  type PaperChange,
  type ProjectFields,
  type StaleChange,
  type StoredPaper,
  type StoredReference,
  type StoredSection,
  type StoredVersion,
  type WholePaper,
} from "./operations/papers/record.ts";
export { projections } from "./operations/projections.ts";
export { questions } from "./operations/questions.ts";
export { type RecordWrite, records } from "./operations/records.ts";
export { scriptStore } from "./operations/script-store.ts";
export type { Batch, RunBeginning } from "./operations/sessions/begin-run.ts";
export { dueOf, idleReason } from "./operations/sessions/due.ts";
export type { SessionOutcome } from "./operations/sessions/end-run.ts";
export type { InputEvent, SessionEvent } from "./operations/sessions/events.ts";
export {
  deduplicated,
  type Learning,
  learningKey,
  type NewLearning,
  normalisedLine,
} from "./operations/sessions/learnings.ts";
export { agentOfScript, checkDurableName } from "./operations/sessions/names.ts";
export { type Commit, sessionOperations } from "./operations/sessions/operations.ts";
export {
  isAtWork,
  isAwaiting,
  type ModelRoute,
  type NewSession,
  type PendingInput,
  type Receipt,
  type SessionRecord,
  shownStatus,
} from "./operations/sessions/record.ts";
export { missingSession } from "./operations/sessions/sessions.ts";
export type { StoredWake } from "./operations/sessions/wake-table.ts";
export { BadWake, resolveWake, type Wake } from "./operations/sessions/wakes.ts";
export type { WorkEnd } from "./operations/sessions/work.ts";
export {
  type DurableKind,
  durableKinds,
  isPending,
  moved,
  retryBackoff,
  statusOfWord,
  statusWord,
  transitions,
  type WorkKind,
  type WorkStatus,
  workStatuses,
} from "./operations/status.ts";
export {
  type WorkflowMessage,
  type WorkflowState,
  type WorkflowStatus,
  workflowMailboxes,
} from "./operations/workflow-mailboxes.ts";
export { projectionFiles, runLedger } from "./run-ledger.ts";
export type {
  AnsweredRequestRow,
  ConversationRow,
  ConversationRunRow,
  HistoryRow,
  InterruptRow,
  LibraryRow,
  LoginRow,
  MessageRow,
  NoteRow,
  PartialRow,
  PieceHolderRow,
  PrincipalRow,
  SourceRow,
  WritingProjectRow,
  WritingReferenceRow,
  WritingSectionRow,
  WritingVersionRow,
} from "./server-tables.ts";
export type { RowOf, TableName, TableRows } from "./tables.ts";
export type { Cells, Tx } from "./tx.ts";
