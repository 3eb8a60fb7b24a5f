/** Evaluations on this machine: sets of trials in this project's store, their sandboxes, reports and labels. */
export { csvRowsOf } from "./csv-file.ts";
export {
  atOf,
  type EvaluateRequest,
  type EvaluationEnd,
  evalStoreOf,
  evaluate,
  newSetName,
  replayEvaluation,
  replayTrialNamed,
  resumeEvaluation,
  scoreEvaluation,
} from "./evaluate.ts";
export { judgedPairs, judgedPairsJson, judgedPairsText } from "./judged-pairs.ts";
export { blindName, calibrationsOf, labelsOf, mustHaveScorer, newestVersion } from "./labels.ts";
export { hasUsers, measuredNoise, noiseReports } from "./noise-of-set.ts";
export { type Probe, pivotReport, pivotText } from "./pivot.ts";
export { type MadePlan, planAtHand, sourcesOf } from "./plan-at-hand.ts";
export { NothingChosen, runPlan } from "./plan-run.ts";
export { asOwner, checkSetName, type PlannedSet } from "./planned-set.ts";
export { progressView } from "./progress-view.ts";
export { type AnsweredCall, answeredCalls, askedModel, recordedConversation } from "./recorded-calls.ts";
export { replayedSet, replayedText } from "./replayed-set.ts";
export { NodeSandboxes } from "./sandboxes.ts";
export { evaluateScript, newSeed, type ScriptEval } from "./script.ts";
export {
  checkGateFlags,
  hasBaselineGate,
  noBaselineGate,
  planWarnings,
  type ReportFlags,
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
export { readJson, readJsonFile, recordFile, type Target, targetOf } from "./target.ts";
export { removeLeftContainers } from "./trial-containers.ts";
export { NodeTrialRuns, type PlanAtHand } from "./trial-runs.ts";
