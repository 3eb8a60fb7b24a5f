/**
 * Models: the port and its adapters (`llm/`), what is said to them (`conversation/`), the definitions and the written form
 * of tools (`tools/`), the one place of a model effect (`model-call/`), `llm_call` and its file. The only door.
 */

export { type AgentMode, agentModes, isAgentMode } from "./conversation/agent-mode.ts";
export {
  type ClearPlanEntry,
  type CompactionPlan,
  committed,
  type DropRecord,
  dropping,
  type ExternalizationRecord,
  emptyPlan,
  isInView,
  type LoggedMessage,
  type PlanAction,
  type PlanChange,
  placementsIn,
  renderView,
  type SummarizationRecord,
  withOtherText,
} from "./conversation/compaction-plan.ts";
export {
  Conversation,
  type Conversations,
  conversations,
  messageText,
  messageValue,
  userMessageKind,
  type WorkspaceAnchor,
} from "./conversation/conversation.ts";
export {
  type Intervention,
  type InterventionInput,
  type InterventionKind,
  interventionKinds,
} from "./conversation/interventions.ts";
export type { LoggedLoop } from "./conversation/loop-logs.ts";
export {
  argumentText,
  defaultThreshold,
  estimateMessages,
  messageChars,
  sessionTokens,
  tokensOf,
  valueChars,
} from "./conversation/message-size.ts";
export {
  byCompaction,
  byModel,
  byPerson,
  byRuntime,
  byTool,
  isResultText,
  isSummaryText,
  type Origin,
  originOfMessage,
  originOfValue,
  promptOrigin,
  type Speaker,
  spokenOrigin,
} from "./conversation/origin.ts";
export {
  callSubscriber,
  checkpointCounts,
  listEvent,
  listens,
  namedEvent,
  placeInSession,
  publish,
  publishNamed,
  warn,
} from "./conversation/publish.ts";
export type {
  SeenCall,
  SeenCalls,
  SeenDecision,
  SeenPart,
  SystemPart,
} from "./conversation/seen-calls.ts";
export {
  type ChangedFile,
  type ExactValue,
  type LadderMemory,
  noMemory,
  noSummary,
  type ResultNote,
  type Retention,
  type StructuredSummary,
  type SummaryFact,
  type Trust,
} from "./conversation/structured-summary.ts";
export type {
  ContractQuestion,
  ContractState,
  Evidence,
  Predicate,
  Requirement,
  RequirementCoverage,
  RequirementStatus,
  TaskContract,
} from "./conversation/task-contract.ts";
export { type UserMessageMode, userMessageModes } from "./conversation/user-message-mode.ts";
export {
  type ArtifactRole,
  type ItemPriority,
  type ItemStatus,
  itemProblem,
  type Ledger,
  maxItemNotes,
  maxItems,
  maxItemTitle,
  type WorkItem,
} from "./conversation/work-items.ts";
export * from "./llm/index.ts";
export { isCallOption, providerNames } from "./llm-call/call-options.ts";
export { applyExperiment, type Experiment, experimentOf } from "./llm-call/experiment.ts";
export { extractJson } from "./llm-call/json-extract.ts";
export {
  type CallInput,
  correction,
  healthCheck,
  type LlmResult,
  llmCall,
  runCall,
  safeError,
  traceAbort,
} from "./llm-call/llm-call.ts";
export {
  callDict,
  modelOtherKeys,
  modelResponseDict,
  modelResultKeys,
  parsedAnswer,
  type ReadAnswer,
  rememberedResponse,
} from "./llm-call/response-dict.ts";
export { inspectorOf } from "./llm-call/schema-prefix.ts";
export {
  correctionText,
  failureText,
  parsedStructured,
  type StructuredAnswer,
} from "./llm-call/structured.ts";
export {
  llmCallSafe,
  llmCallStructured,
  llmCallStructuredResult,
  llmCallStructuredSafe,
  llmCompletion,
  llmStream,
  llmStreamCall,
  safeResultKeys,
  structuredResultKeys,
  structuredSafeKeys,
} from "./llm-call/variants.ts";
export {
  failureFields,
  interpretedFields,
  responseFields,
  type TranscriptFields,
} from "./llm-transcript/records.ts";
export { noteTemplate, type TemplateBranchTaken, type TemplateNote } from "./llm-transcript/template-note.ts";
export { recordSinks, TranscriptFile, transcriptFile } from "./llm-transcript/transcript-file.ts";
export {
  asideCall,
  asideRows,
  type CallBudget,
  callBudgetFields,
  callFields,
  callRoute,
  type ReasoningTask,
  routeRows,
  thinkingFields,
} from "./model-call/call-fields.ts";
export * from "./model-call/index.ts";
export { folderOf, type ProjectManifest, projectManifest } from "./project/manifest.ts";
export { modelLayers, type WithheldKey, withheldKeys } from "./project/model-config.ts";
export { foldPath, fullPath, isAbsolutePath, isInside, workspacePath } from "./project/paths.ts";
export { type TrustedTables, trustedTables, trustFile } from "./project/trust.ts";
export {
  argumentProblem,
  argumentValues,
  handlerArguments,
  judgedSchema,
  normaliseArguments,
} from "./tools/arguments.ts";
export {
  jsonContract,
  nativeContract,
  textContract,
  textProtocol,
  toolListing,
} from "./tools/contract-text.ts";
export { fencedCall, parseFencedJson } from "./tools/fenced-json.ts";
export { isToolFormat, speaksText, type ToolFormat } from "./tools/format.ts";
export { type OpenBatch, restoredBatch } from "./tools/open-batch.ts";
export type { RefusedCall, ToolRequest } from "./tools/requests.ts";
export {
  type Disclosure,
  disclosureOf,
  type ToolSearchOptions,
  toolSearchFields,
  toolSearchRow,
  withLoaded,
} from "./tools/search/options.ts";
export { promote, searchTools, wordsIn } from "./tools/search/search.ts";
export { parseTaggedText, type TaggedResponse } from "./tools/tagged-text.ts";
export { callsFromResponse, callsFromText } from "./tools/tool-calls.ts";
export {
  definedToolParameters,
  isFullSchema,
  isRegistry,
  joinToolSets,
  modelTools,
  noTools,
  registryEntries,
  registryOf,
  runtimeTool,
  selectTools,
  toolExecutors,
  toolNameProblem,
  toolSetOf,
  toolSetOfValue,
} from "./tools/tool-set.ts";
export type {
  CallChanges,
  DispatchOptions,
  GateDecision,
  LoopBatch,
  PendingCall,
  StructuralTool,
  ToolAfter,
  ToolCall,
  ToolDenial,
  ToolEntry,
  ToolExecutor,
  ToolGate,
  ToolOutcome,
  ToolSet,
  ToolWrapper,
} from "./tools/types.ts";
export { createVisibleStream, isPlainText } from "./tools/visible-stream.ts";
export { cleanVisibleText } from "./tools/visible-text.ts";
export { fitAnswer } from "./values/answer-fit.ts";
export { bm25Words, rankByWords } from "./values/bm25.ts";
export { type ArgumentMatch, callMatches, type ExpectedCall } from "./values/call-match.ts";
export { messageFrom, messagesFrom } from "./values/messages.ts";
export { checkSchema } from "./values/schema-check.ts";
export { keywordsNotJudged } from "./values/schema-keywords.ts";
export { findAll, type PatternMatcher, patternMatcher } from "./values/schema-pattern.ts";
export {
  compareValues,
  type Difference,
  parsePath,
  showDifference,
  showPath,
} from "./values/value-difference.ts";
