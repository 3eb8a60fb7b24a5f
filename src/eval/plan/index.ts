/** What a task is: rows, variants, trials, outcomes and scores as plain data. */

export { canonicalJson } from "./canonical-json.ts";
export { type DatasetReader, type LoadedSamples, loadSamples, sampleLimits } from "./dataset.ts";
export type { Gate, GateOperator, MetricRef } from "./gate.ts";
export { type LimitName, limitFields, limitsRow, narrowed, noLimits, type TrialLimits } from "./limits.ts";
export { isCost, type MetricName, parseMetricName, type UsageField } from "./metric-kind.ts";
export { likelyMetric, metricProblem, metricRef, parseGate, passCount } from "./metric-name.ts";
export type {
  Blame,
  DialogueOutcome,
  Fault,
  FaultSeverity,
  Outcome,
  OutcomeError,
  OutcomeFile,
  RoleUsage,
  ToolUse,
  TrialRole,
  Usage,
} from "./outcome.ts";
export { type TaskOrigin, taskOfOptions } from "./read-task.ts";
export { type EvalRegistry, evalRegistry } from "./registry.ts";
export type { Sample } from "./sample.ts";
export { type NumberedRow, rowsOf, type SampleRules, samplesOf, shuffledBySeed } from "./samples.ts";
export { isTaskFolder, sandboxFor, taskBase, withTaskFolders } from "./sandbox/of-sample.ts";
export { type SandboxFiles, type SandboxSpec, sampleFiles } from "./sandbox/spec.ts";
export {
  type CombinedScore,
  combineDraws,
  drawsOf,
  type Score,
  type ScoreError,
  type ScorerNeed,
  type ScorerSpec,
  successOfScores,
} from "./score.ts";
export {
  judgeCalls,
  type NamedScorer,
  type ScoringContext,
  scorerOf,
  scorerRow,
  scoringContext,
} from "./scorer.ts";
export {
  fixedStream,
  onRoleStream,
  type RoleStreams,
  roleStreams,
  streamSeed,
  trialIdentity,
} from "./streams.ts";
export type {
  CacheSpec,
  DatasetRef,
  OnUserFault,
  PairwiseCode,
  RaceSpec,
  Reduce,
  RegisteredTask,
  Retries,
  RetryCategory,
  SampleChoice,
  ScorerCode,
  SolverKind,
  TaskCode,
  TaskSpec,
} from "./task.ts";
export { caseFields, taskFields } from "./task-fields.ts";
export {
  addressFits,
  decodePart,
  encodePart,
  parseAddress,
  type StreamNumbers,
  type TrialKey,
  type TrialKind,
  type TrialPattern,
  trialAddress,
  trialPath,
} from "./trial-key.ts";
export type { Variant } from "./variant.ts";
export { variantCalled, variantLabel } from "./variant-label.ts";
export { variantsOf } from "./variants.ts";
