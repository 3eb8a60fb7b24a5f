/** A local server that speaks the model vendors' wire protocols, for tests through their real SDKs. */
export { readCassette } from "./cassette.ts";
export { providerServerForTests } from "./for-tests.ts";
export type { AnswerScenario, Scenario, ScenarioCall, WireEvent } from "./scenario.ts";
export { type ProviderServer, type SeenRequest, startProviderServer, type Wire } from "./server.ts";
