/**
 * Models: the port and its adapters (`llm/`), what is said to them (`conversation/`), the definitions and the written form
 * of tools (`tools/`), the one place of a model effect (`model-call/`), `llm_call` and its file. The only door.
 */

export {
  type ClearPlanEntry,
  type CompactionPlan,
  dropping,
  type ExternalizationRecord,
  isInView,
  type LoggedMessage,
  type PlanAction,
  type PlanChange,
  placementsIn,
  renderView,
  type SummarizationRecord,
  withOtherText,
} from "./conversation/compaction-plan.ts";
export * from "./conversation/conversation.ts";
export {
  type AgentMode,
  agentModes,
  isAgentMode,
  type UserMessageMode,
  userMessageModes,
} from "./conversation/in-force.ts";
export {
  type Intervention,
  type InterventionInput,
  type InterventionKind,
  interventionKinds,
} from "./conversation/interventions.ts";
export type { LoggedLoop } from "./conversation/loop-logs.ts";
export * from "./conversation/message-size.ts";
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
export * from "./conversation/publish.ts";
export type { SeenCall, SeenDecision, SystemPart } from "./conversation/seen-calls.ts";
export * from "./conversation/structured-summary.ts";
export type * from "./conversation/task-contract.ts";
export * from "./conversation/work-items.ts";
export * from "./llm/index.ts";
export { isCallOption, providerNames } from "./llm-call/call-options.ts";
export * from "./llm-call/experiment.ts";
export { extractJson } from "./llm-call/json-extract.ts";
export { correction, healthCheck, llmCall, traceAbort } from "./llm-call/llm-call.ts";
export { modelOtherKeys, modelResultKeys, rememberedResponse } from "./llm-call/response-dict.ts";
export { inspectorOf } from "./llm-call/schema-prefix.ts";
export { correctionText, failureText, parsedStructured } from "./llm-call/structured.ts";
export * from "./llm-call/variants.ts";
export {
  failureFields,
  interpretedFields,
  responseFields,
  type TranscriptFields,
} from "./llm-transcript/records.ts";
export { noteTemplate } from "./llm-transcript/template-note.ts";
export * from "./llm-transcript/transcript-file.ts";
export {
  asideCall,
  asideRows,
  callBudgetFields,
  callFields,
  callRoute,
  type ReasoningTask,
  routeRows,
} from "./model-call/call-fields.ts";
export * from "./model-call/index.ts";
export { folderOf, type ProjectManifest, projectManifest } from "./project/manifest.ts";
export * from "./project/model-config.ts";
export * from "./project/paths.ts";
export { agreedTables, type TrustedTables, tableDigest, trustedTables, trustFile } from "./project/trust.ts";
export * from "./tools/arguments.ts";
export {
  jsonContract,
  nativeContract,
  textContract,
  textProtocol,
  toolListing,
} from "./tools/contract-text.ts";
export * from "./tools/fenced-json.ts";
export * from "./tools/format.ts";
export * from "./tools/open-batch.ts";
export type * from "./tools/requests.ts";
export {
  type Disclosure,
  disclosureOf,
  type ToolSearchOptions,
  toolSearchFields,
  toolSearchRow,
  withLoaded,
} from "./tools/search/options.ts";
export * from "./tools/search/search.ts";
export { parseTaggedText, type TaggedResponse } from "./tools/tagged-text.ts";
export * from "./tools/tool-calls.ts";
export * from "./tools/tool-set.ts";
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
export * from "./values/bm25.ts";
export { messageFrom, messagesFrom } from "./values/messages.ts";
export { checkSchema } from "./values/schema-check.ts";
export { keywordsNotJudged } from "./values/schema-keywords.ts";
export * from "./values/schema-pattern.ts";
export * from "./values/value-difference.ts";
