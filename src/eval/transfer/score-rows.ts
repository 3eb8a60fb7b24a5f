/** Rows of scores, in and out: `{sample, epoch?, variant?, cluster?, SCORER: number…}` as JSONL or CSV. */
import { isJsonObject, type Json, type JsonObject, wellFormedJson } from "../../values/index.ts";
import { factColumns } from "../report/formats/csv.ts";
import type { RecordedSet } from "../report/recorded-set.ts";
import { combinedScore } from "../report/trial-facts.ts";
import {
  bareTrial,
  type ImportedTrial,
  ImportProblem,
  maxImportedTrials,
  numberScore,
} from "./imported-set.ts";

/** Rows of JSONL; the number of a line is told with what is wrong in it. */
export function trialsOfLines(text: string): ImportedTrial[] {
  const lines = text.split(/\r?\n/u);
  return checked(
    lines.flatMap((line, at) =>
      line.trim() === "" ? [] : [trialOfRow(rowOfLine(line, at + 1), `line ${at + 1}`)],
    ),
  );
}

function rowOfLine(line: string, at: number): JsonObject {
  let row: Json;
  try {
    row = JSON.parse(wellFormedJson(line)) as Json;
  } catch {
    throw new ImportProblem(`line ${at}: it is not JSON`);
  }
  if (!isJsonObject(row)) throw new ImportProblem(`line ${at}: expected {sample, SCORER: number…}`);
  return row;
}

/** Rows of a table whose first row names the columns. */
export function trialsOfTable(rows: readonly (readonly string[])[]): ImportedTrial[] {
  const [head = [], ...body] = rows;
  return checked(
    body.map((cells, at) => {
      const row = Object.fromEntries(
        head.flatMap((name, column) => {
          const cell = cells[column] ?? "";
          return cell === "" ? [] : [[name.trim(), numberOr(cell)]];
        }),
      );
      return trialOfRow(row, `line ${at + 2}`);
    }),
  );
}

const numberOr = (cell: string): number | string =>
  /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/iu.test(cell) ? Number(cell) : cell;

function trialOfRow(row: JsonObject, place: string): ImportedTrial {
  const { sample, epoch = 1, variant = "default", cluster } = row;
  if (typeof sample !== "string" && typeof sample !== "number")
    throw new ImportProblem(`${place}: it has no \`sample\``);
  if (typeof epoch !== "number" || !Number.isInteger(epoch) || epoch < 1 || epoch > 1000)
    throw new ImportProblem(`${place}: \`epoch\`: expected a whole number from 1 to 1000`);
  const scores = Object.entries(row).flatMap(([name, value]) => {
    if (factColumns.includes(name)) return [];
    if (typeof value === "boolean") return numberScore(name, Number(value));
    if (typeof value === "number") return numberScore(name, value);
    if (value === null) return { scorer: name, value: null, pass: null, label: null, why: null };
    throw new ImportProblem(`${place}: \`${name}\`: expected a number`);
  });
  return {
    ...bareTrial(String(sample), epoch, typeof variant === "string" ? variant : JSON.stringify(variant)),
    cluster: cluster === undefined || cluster === null ? null : String(cluster),
    error: row.state === "errored" ? String(row.error ?? "it errored") : null,
    scores,
  };
}

function checked(trials: readonly ImportedTrial[]): ImportedTrial[] {
  if (trials.length === 0) throw new ImportProblem("it has no rows");
  if (trials.length > maxImportedTrials)
    throw new ImportProblem(`it has more than ${maxImportedTrials} rows`);
  const seen = new Set<string>();
  for (const { sample, variant, epoch } of trials) {
    const key = JSON.stringify([sample, variant, epoch]);
    if (seen.has(key)) throw new ImportProblem(`${sample}, variant ${variant}, epoch ${epoch} occurs twice`);
    seen.add(key);
  }
  return [...trials];
}

/** A line of JSON for each trial that is done, with the numbers of its scorers. */
export function setAsLines(set: RecordedSet): string {
  const isOnly = set.tasks.length === 1;
  return set.tasks
    .flatMap((task) => {
      const clusters = new Map(task.samples.map(({ id, cluster }) => [id, cluster]));
      return task.trials
        .filter(({ state, sample }) => state === "done" && clusters.has(sample))
        .map((trial) => {
          const cluster = clusters.get(trial.sample) ?? null;
          const scores = task.spec.scorers.map(({ name }) => [
            name,
            combinedScore(trial, name)?.value ?? null,
          ]);
          return JSON.stringify({
            sample: isOnly ? trial.sample : `${task.spec.name}/${trial.sample}`,
            epoch: trial.epoch,
            variant: trial.variant,
            ...(cluster === null ? {} : { cluster }),
            ...Object.fromEntries(scores),
          });
        });
    })
    .map((line) => `${line}\n`)
    .join("");
}
