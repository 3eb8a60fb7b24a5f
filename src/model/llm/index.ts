/**
 * The only door of `llm/`: the model port and its adapters.
 *
 * The port, the mock and the catalogue are light and exported as they are; what talks to vendors is loaded by the client's
 * first live call, the vendors' SDKs by the adapter that needs them.
 */

export { continuing, finishedCall, isPaused, joinedAnswer } from "./answer.ts";
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
  type EnvReader,
  type ProviderRoute,
  type ResolvedModel,
  type RouteWish,
} from "./catalogue/catalogue.ts";
export * from "./catalogue/layer.ts";
export { capabilityFields, layerFields } from "./catalogue/layer-fields.ts";
export { type Price, pricesAsOf } from "./catalogue/models.ts";
export type { ProviderSpec } from "./catalogue/providers.ts";
export { tierNamed, tierOf } from "./catalogue/tier.ts";
export * from "./client.ts";
export { textOfMessage } from "./content.ts";
export * from "./effort.ts";
export { categoryOfStatus, errorDict, LlmUsageError, makeModelError, refusesHistory } from "./errors.ts";
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
  usualFixturesFlag,
} from "./scripted/mock.ts";
export { loadTape, parseTape, type Tape } from "./scripted/tape.ts";
export * from "./strictify.ts";
export { boundInputTokens, estimateInputTokens, utf8Length } from "./tokens.ts";
export { chatTool, isObject, parametersSchema } from "./tool-wire.ts";
