/** Running sets of trials. A door of its own: programs without evaluations load nothing of it. */

export type { TrialKind } from "../plan/index.ts";
export {
  comparedJson,
  compareSets,
  compareVariants,
  comparisonProblem,
  reportOf,
  setAsJson,
} from "../report/index.ts";
export { EvalStore, type NewRow, Pieces } from "../sets/eval-store.ts";
export { storedSetOf } from "../sets/read-set.ts";
export { judgedBy, type SetOptions, type SetSpec, storedTask, usualOptions } from "../sets/set-spec.ts";
export { runSetAndBlame } from "./beside/blame-tasks.ts";
export * from "./beside/fork-plan.ts";
export * from "./beside/judge-pairs.ts";
export type { NoisyHarness } from "./beside/noise-draws.ts";
export { type NoiseDesign, planNoise } from "./beside/noise-plan.ts";
export * from "./beside/run-noise.ts";
export { checkGate } from "./check-plan.ts";
export { Governor, type GovernorRules, type LimitStep, rulesOf, usualRules } from "./governor.ts";
export * from "./governors.ts";
export {
  type Failure,
  failingCalls,
  type MinimalRequest,
  type MinimiseEnd,
  minimise,
  regressionOf,
} from "./minimise/minimise.ts";
export { misnamedIn } from "./misnamed.ts";
export * from "./plan-tasks.ts";
export * from "./ports.ts";
export * from "./receipt.ts";
export { type ReplayedSet, replaySet } from "./replay-set.ts";
export * from "./replay-tasks.ts";
export type { RunSetRequest, SetEnd, SetProgress } from "./running/request.ts";
export { runSet } from "./running/run-set.ts";
export { SetBudget } from "./running/set-budget.ts";
export type { SpentMoney } from "./running/set-money.ts";
export { SpentBefore } from "./running/spent-before.ts";
export type { ExecutedSet, TrialExecutor, TrialResult } from "./running/trial-executor.ts";
export {
  endRaces,
  type PlannedTask,
  type PlannedTrial,
  plannedOrder,
  plannedTrials,
  type RedoChoice,
  redoTrials,
  type StaleChoice,
  staleTrials,
  writePlan,
} from "./set-plan.ts";
export { noOracle, type Solver } from "./solve.ts";
export { newestScores, plainScore, trialDicts } from "./stored-scores.ts";
export { cellOf, storedFaults } from "./trial-streams.ts";
export { type CallWaits, TrialWaits } from "./trial-waits.ts";
