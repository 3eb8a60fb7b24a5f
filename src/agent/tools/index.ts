/** Tools of agents: registry, text-call grammar, dispatch. README.md has the drawing. */
export { handlerArguments, normaliseArguments } from "./arguments.ts";
export { type ContractOptions, toolContract, toolSignature } from "./contract-text.ts";
export { dispatchBatch, dispatchCall } from "./dispatch.ts";
export { parseFencedJson } from "./fenced-json.ts";
export { isToolFormat, speaksText, type ToolFormat } from "./format.ts";
export { microcompact } from "./microcompact.ts";
export { defaultOutputLimit, outcomeDict } from "./outcome.ts";
export { type Surface, type SurfaceDiagnostic, validateSurface } from "./surface.ts";
export { alwaysKnown, parseTaggedText, type TaggedResponse, type TextCall } from "./tagged-text.ts";
export { callsFromResponse, callsFromText } from "./tool-calls.ts";
export {
  isFullSchema,
  isRegistry,
  joinToolSets,
  modelTools,
  noTools,
  readToolSet,
  registryEntries,
  registryOf,
  runtimeTool,
  selectTools,
  toolExecutors,
  toolNameProblem,
  toolParameters,
  toolSetOf,
} from "./tool-set.ts";
export * from "./types.ts";
export { unknownToolText } from "./unknown-tool.ts";
export { createVisibleStream, type VisibleStream } from "./visible-stream.ts";
export { cleanVisibleText, withoutReasoning } from "./visible-text.ts";
