/** A set as JSON: what `--json` prints and `eval_run` gives to a program. */
import type { Json, JsonObject } from "../../../values/index.ts";
import { trialPath } from "../../plan/index.ts";
import type { TaskComparison } from "../comparison.ts";
import type { GateResult } from "../gates/judge-gate.ts";
import type { TrialCoverage } from "../metrics/coverage.ts";
import type { Figure } from "../metrics/figures.ts";
import { type FigureRow, type SetReport, setExit, type TaskReport } from "../set-report.ts";
import type { TaskFacts } from "../task-facts.ts";

export function setAsJson(report: SetReport, strict = false): JsonObject {
  const { set, tasks } = report;
  const exit = setExit({
    isComplete: report.isComplete,
    isWaiting: report.isWaiting,
    gates: tasks.flatMap(({ gates }) => gates),
    strict,
  });
  return {
    set: set.name,
    state: set.state,
    why: set.why ?? report.unscored[0] ?? null,
    pass: exit === "ok",
    cost_usd: set.costUsd,
    stale: set.stale,
    ...(set.program === undefined || set.program.length === 0
      ? {}
      : { program: [...set.program], began: timeJson(set.began), ended: timeJson(set.ended) }),
    tasks: Object.fromEntries(tasks.map((task) => [task.task.spec.name, taskJson(task)])),
    receipt: set.receipt,
  };
}

const timeJson = (ms: number | null): Json => (ms === null ? null : new Date(ms).toISOString());

/** What the task says of itself, where it says something. */
const factsJson = ({ description, tags, dataset, models }: TaskFacts): JsonObject => ({
  ...(description === null ? {} : { description }),
  ...(tags.length === 0 ? {} : { tags: [...tags] }),
  ...(dataset === null ? {} : { dataset }),
  ...(models.length === 0 ? {} : { models: [...models] }),
});

function taskJson(report: TaskReport): JsonObject {
  const { task, facts, all, variants, gates, comparisons } = report;
  return {
    ...factsJson(facts),
    samples: task.samples.length,
    ...coverageJson(all.coverage),
    ...rowJson(all),
    variants: Object.fromEntries(
      variants.map((row) => [row.name, { ...coverageJson(row.coverage), ...rowJson(row) }]),
    ),
    cost_usd: task.trials.some(({ costUsd }) => costUsd === null)
      ? null
      : task.trials.reduce((sum, { costUsd }) => sum + (costUsd as number), 0),
    ...(task.spec.race === null ? {} : { skipped_trials: skippedOf(task) }),
    gates: gates.map(gateJson),
    comparisons: comparisons.map(comparedJson),
  };
}

/** Trials that a race did not need. */
const skippedOf = ({ spec, trials }: TaskReport["task"]): string[] =>
  trials.filter(({ state }) => state === "skipped").map((trial) => trialPath({ task: spec.name, ...trial }));

const rowJson = ({ figures, groups }: FigureRow): JsonObject => ({
  metrics: figuresJson(figures),
  groups: Object.fromEntries(
    Object.entries(groups).map(([field, values]) => [
      field,
      Object.fromEntries(Object.entries(values).map(([value, list]) => [value, figuresJson(list)])),
    ]),
  ),
});

const figuresJson = (figures: readonly Figure[]): JsonObject =>
  Object.fromEntries(
    figures.map(({ name, value, low, high, se, n, clusters, method, short }) => [
      name,
      { value, low, high, se, n, clusters, method, ...(short === 0 ? {} : { short }) },
    ]),
  );

const coverageJson = (coverage: TrialCoverage): JsonObject => ({
  trials: coverage.trials,
  done: coverage.states.done,
  errored: coverage.states.errored,
  parked: coverage.states.waiting + coverage.states.paused,
  skipped: coverage.states.skipped,
  missing: coverage.states.pending + coverage.states.running,
  unscored: coverage.unscored,
  errored_bounds: coverage.errored === null ? null : [coverage.errored.low, coverage.errored.high],
  user_faults: coverage.userFaults,
  success_without_user_faults: coverage.withoutFaults,
  faults: coverage.faults,
  helped: coverage.helped,
  redone: coverage.redone,
  blame: Object.fromEntries(coverage.blame),
});

const gateJson = (gate: GateResult): JsonObject => ({
  gate: gate.text,
  result: gate.verdict,
  value: gate.value,
  low: gate.low,
  high: gate.high,
  difference: gate.isDifference,
  samples_more: gate.samplesMore,
  why: gate.why,
});

export const comparedJson = (one: TaskComparison): JsonObject => {
  const { difference } = one;
  return {
    task: one.task,
    ...(one.raced === undefined ? {} : { raced: one.raced }),
    metric: one.metric,
    a: one.a,
    b: one.b,
    group: one.group === null ? null : { [one.group.field]: one.group.value },
    value_a: one.valueA,
    value_b: one.valueB,
    difference: difference?.value ?? null,
    low: difference?.low ?? null,
    high: difference?.high ?? null,
    se: difference?.se ?? null,
    method: difference?.method ?? null,
    p: difference?.p ?? null,
    p_exact: difference?.p_exact ?? null,
    p_corrected: one.pCorrected,
    exploratory: one.isExploratory,
    conclusion: one.conclusion,
    n: difference?.n ?? 0,
    clusters: difference?.clusters ?? 0,
    wins: difference?.wins ?? 0,
    losses: difference?.losses ?? 0,
    ties: difference?.ties ?? 0,
    mde: one.detectable,
    samples_needed: one.needed === null ? null : { delta: one.needed.delta, samples: one.needed.samples },
    only_in_a: [...one.onlyA],
    only_in_b: [...one.onlyB],
    changed: [...one.changed],
  };
};
