/** What a run is set up with and how it ends: flags, what it may do, its journal, models, answers of people. */
export { checkWorkFlags } from "./check-work-flags.ts";
export { endOfRun, guarded } from "./end-of-run.ts";
export { callBuiltinInFlow, type FlowFunctions, flowParameter, noteAgent } from "./flow-of-run.ts";
export { granted, grantedLimitsOf } from "./granted.ts";
export * from "./human-answers.ts";
export { ownResult } from "./own-result.ts";
export * from "./recorded-flags.ts";
export { recordedModules } from "./recorded-modules.ts";
export { journalInStore, type RunJournal } from "./recorded-run.ts";
export * from "./run-flags.ts";
export { errorCodeOf, showError } from "./show-error.ts";
export type { LivingRun, OwnedJournal, Surroundings } from "./surroundings.ts";
