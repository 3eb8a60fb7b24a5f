/** `llm_call` and its variants. */
export { applyExperiment, type Experiment, readExperiment } from "./experiment.ts";
export { healthCheck } from "./health.ts";
export { extractJson } from "./json-extract.ts";
export {
  type CallInput,
  correction,
  type LlmResult,
  llmCall,
  runCall,
  safeError,
  traceAbort,
} from "./llm-call.ts";
export {
  callDict,
  modelOtherKeys,
  modelResponseDict,
  modelResultKeys,
  type ReadAnswer,
  readAnswer,
} from "./response-dict.ts";
export { inspectorOf } from "./schema-prefix.ts";
export { correctionText, failureText, readStructured, type StructuredAnswer } from "./structured.ts";
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
} from "./variants.ts";
