/** Everything that is said of a set, worked out once; the formats (text, JSON, JUnit, Markdown, CSV, the page) only render it. */

import { evalMessage } from "../eval-error.ts";
import type { Gate } from "../plan/index.ts";
import { compareVariants, type TaskComparison } from "./comparison.ts";
import { type GateResult, judgeGate } from "./gates/judge-gate.ts";
import { coverageOf, statesOf, type TrialCoverage } from "./metrics/coverage.ts";
import { type Figure, figureOf, groupFigures, shownMetrics } from "./metrics/figures.ts";
import { variantNames } from "./metrics/selection.ts";
import type { RecordedSet, RecordedTask } from "./recorded-set.ts";
import { type AskedModel, factsOf, type TaskFacts } from "./task-facts.ts";
import { failingScorers, successOf } from "./trial-facts.ts";

export interface SetReport {
  readonly set: RecordedSet;
  readonly tasks: readonly TaskReport[];
  /** Whether every trial that was planned has ended, none of them errored, and something was scored. */
  readonly isComplete: boolean;
  /** Why nothing of a task could be scored, a sentence each. */
  readonly unscored: readonly string[];
  /** Whether all that is missing are trials that wait for a person. */
  readonly isWaiting: boolean;
}

export interface TaskReport {
  readonly task: RecordedTask;
  readonly facts: TaskFacts;
  /** Names of the metrics, as shown. */
  readonly metrics: readonly string[];
  readonly all: FigureRow;
  readonly variants: readonly (FigureRow & { readonly name: string })[];
  readonly gates: readonly GateResult[];
  readonly comparisons: readonly TaskComparison[];
  /** A failed trial worth a look, without the name of its set: of the most common failing scorer, the first. */
  readonly example: { readonly sample: string; readonly epoch: number; readonly variant: string } | null;
}

export interface FigureRow {
  readonly figures: readonly Figure[];
  readonly coverage: TrialCoverage;
  /** Field, then value of the field. */
  readonly groups: Readonly<Record<string, Readonly<Record<string, readonly Figure[]>>>>;
}

export interface ReportOptions {
  /** The tasks of a baseline by the baseline's name; undefined: no set is called that. */
  readonly baseline?: (name: string) => RecordedSet | undefined;
  /** Overrides what tasks name. */
  readonly baselineName?: string | undefined;
  /** Gates of the command line, for every task that has their metric. */
  readonly gates?: readonly Gate[];
  /** κ of scorers with people, or why it does not count; by task and scorer. */
  readonly agreements?: (task: string) => ReadonlyMap<string, number | string>;
  readonly margin?: number | undefined;
  /** What trials asked, where that is recorded. */
  readonly models?: AskedModel;
}

export function reportOf(set: RecordedSet, options: ReportOptions = {}): SetReport {
  const counts = set.tasks.map(({ trials }) => statesOf(trials));
  const sum = (state: keyof (typeof counts)[number]): number =>
    counts.reduce((all, states) => all + states[state], 0);
  const open = sum("pending") + sum("running") + sum("waiting") + sum("paused");
  const unscored = set.tasks.flatMap((task) => whyUnscored(task) ?? []);
  const isComplete = set.state === "done" && open === 0 && sum("errored") === 0 && unscored.length === 0;
  const incomplete = isComplete ? null : (incompleteText(set, open, sum("errored"), unscored) ?? null);
  const compared = compareVariants(set, { margin: options.margin });
  return {
    set,
    tasks: set.tasks.map((task) => taskReport(set, task, options, incomplete, compared)),
    isComplete,
    unscored,
    isWaiting: sum("waiting") > 0 && open + sum("errored") === sum("waiting"),
  };
}

/** Why the figures of a set decide nothing yet. */
function incompleteText(
  set: RecordedSet,
  open: number,
  errored: number,
  [unscored]: readonly string[],
): string {
  if (open > 0) return `the set is not complete: ${open} ${open === 1 ? "trial is" : "trials are"} missing`;
  if (errored > 0) return `the set is not complete: ${errored} ${errored === 1 ? "trial" : "trials"} errored`;
  return unscored ?? `the set is ${set.state}`;
}

function taskReport(
  set: RecordedSet,
  task: RecordedTask,
  options: ReportOptions,
  incomplete: string | null,
  compared: readonly TaskComparison[],
): TaskReport {
  const metrics = shownMetrics(task);
  const row = (variant: string | null): FigureRow => ({
    figures: metrics.flatMap((name) => figureOf(task, name, { variant, group: null }) ?? []),
    coverage: coverageOf(task, variant),
    groups: groupFigures(task, metrics, variant),
  });
  const context = {
    baseline: baselineOf(set, task, options),
    agreements: options.agreements?.(task.spec.name) ?? new Map<string, number | string>(),
    incomplete,
  };
  return {
    task,
    facts: factsOf(set, task, options.models),
    metrics,
    all: row(null),
    variants: variantNames(task).map((name) => ({ name, ...row(name) })),
    gates: gateResults(task, options).map((gate) => judgeGate(gate, task, context)),
    comparisons: compared.filter((one) => one.task === task.spec.name),
    example: exampleOf(task),
  };
}

/** Those of the command line may be the set's already. */
function gateResults({ spec }: RecordedTask, { gates = [] }: ReportOptions): readonly Gate[] {
  const known = new Set(spec.gates.map(({ text }) => text));
  return [...spec.gates, ...gates.filter(({ text }) => !known.has(text))];
}

function baselineOf(set: RecordedSet, task: RecordedTask, options: ReportOptions): RecordedTask | string {
  const name = options.baselineName ?? task.spec.baseline;
  if (name === null || name === undefined)
    return "there is no baseline; name one with `baseline` or --baseline";
  const found = name === set.name ? set : options.baseline?.(name);
  if (found === undefined) return `the baseline ${name} does not exist`;
  return (
    found.tasks.find(({ spec }) => spec.name === task.spec.name) ??
    `the baseline ${name} has no task ${task.spec.name}`
  );
}

/** The first failure for the scorers that most failures are for. */
function exampleOf(task: RecordedTask): TaskReport["example"] {
  const failed = task.trials.filter((trial) => successOf(trial, task.spec) === 0);
  const groups = new Map<string, (typeof failed)[number][]>();
  for (const trial of failed) {
    const key = failingScorers(trial, task.spec).join("\n");
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [trial]);
    else group.push(trial);
  }
  const [largest] = [...groups.values()].sort((a, b) => b.length - a.length);
  const [first] = largest ?? [];
  return first === undefined ? null : { sample: first.sample, epoch: first.epoch, variant: first.variant };
}

/** What decides how a command about a set ends. */
export interface SetConclusion extends Pick<SetReport, "isComplete" | "isWaiting"> {
  readonly gates: readonly GateResult[];
  /** Unclear gates count as failed. */
  readonly strict: boolean;
}

export type SetExit = "incomplete" | "waiting" | "failed" | "ok";

/** The first that holds counts. A set of which only answers of people are missing waits; it is not called incomplete. */
export function setExit({ isComplete, isWaiting, gates, strict }: SetConclusion): SetExit {
  if (isWaiting) return "waiting";
  if (!isComplete) return "incomplete";
  const isFailed = gates.some(({ verdict }) => verdict === "fail" || (strict && verdict === "unclear"));
  return isFailed ? "failed" : "ok";
}

/** HARN-EVL-034 in a sentence; undefined when something was scored, or nothing was to be. */
function whyUnscored({ spec, trials }: RecordedTask): string | undefined {
  const scored = trials.filter(({ state, scores }) => state === "done" && scores.length > 0);
  const [first] = scored;
  if (first === undefined) return undefined;
  // What a score says besides is read only where none has a value.
  const isMute = scored.every(({ scores }) =>
    scores.every(({ value, label }) => value === null && label === null),
  );
  if (!isMute || !scored.every(({ scores }) => scores.every(({ error }) => error !== null))) return undefined;
  const error = first.scores[0]?.error?.message ?? "";
  return evalMessage("HARN-EVL-034", { task: spec.name, trials: scored.length, error });
}
