/** Evaluations on this machine: sets of trials in this project's store, their sandboxes, reports and labels. */

export * from "./evaluate.ts";
export * from "./judged-pairs.ts";
export { blindName, calibrationsOf, csvRowsOf, labelsOf, mustHaveScorer, newestVersion } from "./labels.ts";
export * from "./noise-of-set.ts";
export * from "./pivot.ts";
export { type MadePlan, planAtHand, sourcesOf } from "./plan-at-hand.ts";
export { NothingChosen, runPlan } from "./plan-run.ts";
export { asOwner, checkSetName, type PlannedSet } from "./planned-set.ts";
export { progressView } from "./progress-view.ts";
export * from "./recorded-calls.ts";
export * from "./replayed-set.ts";
export { NodeSandboxes } from "./sandboxes.ts";
export {
  checkGateFlags,
  hasBaselineGate,
  noBaselineGate,
  planWarnings,
  reportExitCode,
  storedReport,
} from "./set-reports.ts";
export { SetStop } from "./set-stop.ts";
export {
  inEvalStore,
  neverRecorded,
  plannedRow,
  runOfTrial,
  setRow,
  storedSet,
  trialNamed,
} from "./stored-sets.ts";
export * from "./target.ts";
export { removeLeftContainers } from "./trial-containers.ts";
export * from "./trial-runs.ts";
export * from "./trials-elsewhere.ts";
