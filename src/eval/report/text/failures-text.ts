/** Failed trials by what they have in common, the largest group first, with an example each. */
import { showOneLine } from "../../../diagnostics/index.ts";
import { trialAddress } from "../../plan/index.ts";
import type { RecordedSet, RecordedTask, RecordedTrial } from "../recorded-set.ts";
import { failingScorers, successOf } from "../trial-facts.ts";
import { countedText } from "./figure-text.ts";

interface FailureGroup {
  readonly task: string;
  readonly blame: string | null;
  /** The limit that ended it, or the category of its error. */
  readonly cause: string | null;
  readonly scorers: readonly string[];
  readonly failedTool: string | null;
  readonly stopReason: string | null;
  readonly trials: readonly string[];
  /** What the example's scorers or its error say. */
  readonly why: string | null;
}

export function failureGroups(set: RecordedSet): FailureGroup[] {
  const groups = new Map<string, { first: RecordedTrial; task: RecordedTask; trials: string[] }>();
  for (const task of set.tasks) {
    for (const trial of task.trials) {
      if (trial.state !== "errored" && successOf(trial, task.spec) !== 0) continue;
      const key = JSON.stringify([task.spec.name, ...traitsOf(trial, task)]);
      const address = trialAddress(set.name, { task: task.spec.name, ...trial });
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { first: trial, task, trials: [address] });
      else group.trials.push(address);
    }
  }
  return [...groups.values()]
    .sort((a, b) => b.trials.length - a.trials.length)
    .map(({ first, task, trials }) => {
      const scorers = failingScorers(first, task.spec);
      return {
        task: task.spec.name,
        blame: first.blame,
        cause: failureCause(first),
        scorers,
        failedTool: first.failedTool,
        stopReason: first.stopReason,
        trials,
        why:
          first.error?.message ??
          first.scores.find(({ scorer, pass }) => scorers.includes(scorer) && pass === false)?.why ??
          null,
      };
    });
}

const failureCause = (trial: RecordedTrial): string | null => trial.limit ?? trial.error?.category ?? null;

const traitsOf = (trial: RecordedTrial, task: RecordedTask): unknown[] => [
  trial.blame,
  failureCause(trial),
  failingScorers(trial, task.spec),
  trial.failedTool,
  trial.stopReason,
];

const maxWhy = 200;

export function failuresText(groups: readonly FailureGroup[]): string {
  if (groups.length === 0) return "no trial failed\n";
  const tasks = new Set(groups.map(({ task }) => task));
  return groups.map((group) => failureGroupLines(group, tasks.size > 1)).join("");
}

function failureGroupLines(group: FailureGroup, hasTask: boolean): string {
  const traits = [
    ...(hasTask ? [group.task] : []),
    ...(group.blame === null ? [] : [`blame ${group.blame}`]),
    ...(group.cause === null ? [] : [group.cause]),
    ...(group.scorers.length === 0 ? [] : [`failed ${group.scorers.join(", ")}`]),
    ...(group.failedTool === null ? [] : [`tool ${group.failedTool} failed`]),
    ...(group.stopReason === null ? [] : [group.stopReason]),
  ];
  const why = group.why === null ? [] : [`      ${showOneLine(group.why.slice(0, maxWhy))}`];
  return [
    `${countedText(group.trials.length, "trial")}  ${showOneLine(traits.join(" · "))}`,
    `      harn eval show ${showOneLine(group.trials[0] ?? "")}`,
    ...why,
  ]
    .map((line) => `${line}\n`)
    .join("");
}
