/** Trials as rows of a table: `sample, epoch, variant, cluster`, then a column for each scorer. */
import type { RecordedSet, RecordedTask, RecordedTrial } from "../recorded-set.ts";
import { combinedScore, successOf } from "../trial-facts.ts";

/** Columns before those of scorers: which trial it is, and what of it is no score. */
const facts = ["task", "variant", "sample", "epoch", "cluster", "state"] as const;
const usage = [
  "success",
  "cost_usd",
  "input_tokens",
  "output_tokens",
  "turns",
  "working_ms",
  "error",
] as const;

/** Columns that no scorer stands in. */
export const factColumns: readonly string[] = [...facts, ...usage];

export function setAsCsv(set: RecordedSet): string {
  const scorers = [...new Set(set.tasks.flatMap(({ spec }) => spec.scorers.map(({ name }) => name)))];
  const head = [...facts, ...usage, ...scorers];
  const rows = set.tasks.flatMap((task) => {
    const clusters = new Map(task.samples.map(({ id, cluster }) => [id, cluster]));
    return task.trials
      .filter(({ sample }) => clusters.has(sample))
      .map((trial) => trialCells(task, trial, clusters.get(trial.sample) ?? "", scorers));
  });
  return [head, ...rows].map(csvLine).join("");
}

function trialCells(
  task: RecordedTask,
  trial: RecordedTrial,
  cluster: string,
  scorers: readonly string[],
): string[] {
  const numbers = [
    successOf(trial, task.spec),
    trial.costUsd,
    trial.inputTokens,
    trial.outputTokens,
    trial.turns,
    trial.workingMs,
  ];
  return [
    task.spec.name,
    trial.variant,
    trial.sample,
    String(trial.epoch),
    cluster,
    trial.state,
    ...numbers.map((value) => (value === undefined || value === null ? "" : String(value))),
    trial.error?.message ?? "",
    ...scorers.map((scorer) => String(combinedScore(trial, scorer)?.value ?? "")),
  ];
}

/** A line with quotes where a cell needs them (RFC 4180). */
export const csvLine = (cells: readonly string[]): string =>
  `${cells.map((text) => (/[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(",")}\n`;
