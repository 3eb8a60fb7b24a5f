/**
 * The only door of `llm/`: the model port and its adapters.
 *
 * The port, the mock and the catalogue are light and exported as they are; what talks to vendors is loaded by the client's
 * first live call, the vendors' SDKs by the adapter that needs them.
 */

export { blocksOf, finishedCall } from "./answer.ts";
export { builtinAliases } from "./catalogue/aliases.ts";
export {
  type CapabilityRule,
  type ModelCapabilities,
  noCapabilities,
  versionOf,
} from "./catalogue/capabilities.ts";
export {
  Catalogue,
  type CatalogueLayer,
  cacheSavings,
  costOf,
  type EnvReader,
  type InferenceRule,
  type ProviderRoute,
  type ResolvedModel,
  type RouteWish,
} from "./catalogue/catalogue.ts";
export { catalogueLayerOf, readCapabilityLayer } from "./catalogue/layer.ts";
export { capabilityFields, layerFields } from "./catalogue/layer-fields.ts";
export { type ModelSpec, type Price, pricesAsOf } from "./catalogue/models.ts";
export type { ProviderSpec } from "./catalogue/providers.ts";
export { tierNamed, tierOf } from "./catalogue/tier.ts";
export { type ClientParts, createModelClient, serverTakesTools } from "./client.ts";
export { textOfMessage } from "./content.ts";
export { effortBudgets, effortLadder } from "./effort.ts";
export {
  categoryOfStatus,
  type ErrorFacts,
  errorDict,
  LlmUsageError,
  makeModelError,
  maxRetryAfterMs,
  meaningOf,
  refusesHistory,
  retryAfterInText,
  sniffReason,
} from "./errors.ts";
export { continuing, isPaused, joinedAnswer } from "./paused.ts";
export * from "./port.ts";
export type { Entry } from "./scripted/entry.ts";
export { mockFields, type WarnOfFile } from "./scripted/entry-fields.ts";
export { fixtureLine, loadFixtures, openRecording, parseFixtures, type Recording } from "./scripted/files.ts";
export {
  addScriptedMock,
  clearMocks,
  createMockState,
  hasWrittenAnswer,
  isMocking,
  type MockCall,
  type MockState,
  mockAnswers,
  popMockScope,
  pushMock,
  pushMockScope,
} from "./scripted/mock.ts";
export { loadTape, parseTape, type Tape, type TapeOptions } from "./scripted/tape.ts";
export { strictify, unstrictify } from "./strictify.ts";
export { boundInputTokens, estimateInputTokens, estimateTextTokens, utf8Length } from "./tokens.ts";
export { anthropicTool, chatTool, isObject, parametersSchema, wireTools } from "./tool-wire.ts";
