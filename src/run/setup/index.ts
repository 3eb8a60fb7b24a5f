/** What a run is set up with and how it ends: flags, what it may do, its journal, models, answers of people. */
export { endOfRun, guarded } from "./end-of-run.ts";
export { granted, grantedLimitsOf } from "./granted.ts";
export { doubtDecisions, humanAnswersOf, valueForm } from "./human-answers.ts";
export { ownResult } from "./own-result.ts";
export { flagsOf, flagsOver } from "./recorded-flags.ts";
export { recordedModules } from "./recorded-modules.ts";
export { journalInStore, type RunJournal } from "./recorded-run.ts";
export { doubts, modelFlags, plainRunArguments, type RunFlags, runFlags, runLimits } from "./run-flags.ts";
export { showError } from "./show-error.ts";
export type { LivingRun, OwnedJournal, Surroundings } from "./surroundings.ts";
export {
  type LimitFlags,
  limitFlags,
  limitsOf,
  type ModelFlags,
  type WorkFlags,
  workArguments,
  workFlags,
} from "./work-flags.ts";
