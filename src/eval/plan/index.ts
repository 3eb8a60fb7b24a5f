/** What a task is: rows, variants, trials, outcomes and scores as plain data. */

export { canonicalJson } from "./canonical-json.ts";
export type { Gate, MetricRef } from "./gate.ts";
export { type LimitName, narrowed, noLimits, type TrialLimits } from "./limits.ts";
export { isCost, type MetricName, parseMetricName, type UsageField } from "./metric-kind.ts";
export { likelyMetric, parseGate, passCount } from "./metric-name.ts";
export type * from "./outcome.ts";
export { evalRegistry, taskOfOptions } from "./read-task.ts";
export type { Sample } from "./sample.ts";
export { samplesOf, shuffledBySeed } from "./samples.ts";
export * from "./sandbox/of-sample.ts";
export { type SandboxFiles, type SandboxSpec, sampleFiles } from "./sandbox/spec.ts";
export * from "./score.ts";
export * from "./scorer.ts";
export * from "./streams.ts";
export type { CacheSpec, OnUserFault, Reduce, RegisteredTask, TaskSpec } from "./task.ts";
export * from "./task-fields.ts";
export {
  addressFits,
  decodePart,
  encodePart,
  parseAddress,
  type TrialKey,
  type TrialKind,
  trialAddress,
  trialPath,
} from "./trial-key.ts";
export type { Variant } from "./variant.ts";
export { variantCalled } from "./variant-label.ts";
export { variantsOf } from "./variants.ts";
