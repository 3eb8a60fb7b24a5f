/** What a task is: rows, variants, trials, outcomes and scores as plain data. Imports nothing that runs anything. */
export type { Comparison, Gate, MetricRef } from "./gate.ts";
export { type LimitName, type Limits, narrowed, noLimits } from "./limits.ts";
export type {
  Blame,
  DialogueOutcome,
  Fault,
  FaultSeverity,
  Outcome,
  OutcomeDict,
  OutcomeError,
  OutcomeFile,
  Role,
  RoleUsage,
  ToolUse,
  Usage,
} from "./outcome.ts";
export { type EvalRegistry, evalRegistry } from "./registry.ts";
export type { Sample } from "./sample.ts";
export type { Score, ScoreError, ScorerNeed, ScorerSpec } from "./score.ts";
export type {
  DatasetRef,
  OnUserFault,
  RaceSpec,
  Reduce,
  RegisteredTask,
  Retries,
  RetryCategory,
  SampleChoice,
  SandboxSpec,
  ScorerCode,
  SolverKind,
  TaskCode,
  TaskSpec,
} from "./task.ts";
export {
  addressFits,
  decodePart,
  encodePart,
  parseAddress,
  type Streams,
  type TrialKey,
  type TrialPattern,
  trialAddress,
  trialPath,
} from "./trial-key.ts";
export type { Variant } from "./variant.ts";
