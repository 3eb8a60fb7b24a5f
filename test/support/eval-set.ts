/** Sets as reports see them, written down in a few words. */
import type { Score } from "../../src/eval/index.ts";
import {
  type RecordedSet,
  type RecordedTask,
  type RecordedTrial,
  type ReportedSpec,
  reportedSpec,
} from "../../src/eval/report/index.ts";
import { Dict, type Value } from "../../src/values/index.ts";

export const scoreOf = (scorer: string, value: number | null, more: Partial<Score> = {}): Score => ({
  scorer,
  draw: 1,
  value,
  pass: value === null ? null : value >= 1,
  label: null,
  answer: null,
  why: null,
  parts: {},
  meta: null,
  error: null,
  ...more,
});

/** A trial that is done, with one scorer `is` of this value; a text is an error. */
export function trialOf(
  sample: string,
  epoch: number,
  outcome: number | null | string,
  more: Partial<RecordedTrial> = {},
): RecordedTrial {
  return {
    sample,
    variant: "default",
    epoch,
    state: typeof outcome === "string" ? "errored" : "done",
    error: typeof outcome === "string" ? { category: "provider", message: outcome } : null,
    limit: null,
    stopReason: null,
    faults: [],
    blame: null,
    inputTokens: 100,
    outputTokens: 10,
    costUsd: 0.01,
    turns: 1,
    workingMs: 500,
    wallMs: 600,
    attempts: 1,
    metrics: {},
    failedTool: null,
    scores: typeof outcome === "string" ? [] : [scoreOf("is", outcome)],
    ...more,
  };
}

export const specOf = (more: Partial<ReportedSpec> = {}): ReportedSpec =>
  reportedSpec("sums", {
    scorers: [{ name: "is", threshold: 1, needs: [] }],
    success: ["is"],
    variants: [{ name: "default", key: "default", digest: "", body: Dict.of({}) }],
    ...more,
  });

export const variantsOf = (...names: string[]): ReportedSpec["variants"] =>
  names.map((name) => ({ name, key: name, digest: name, body: Dict.of({}) }));

/** A task whose samples are those of its trials, in order; `rows` gives them fields, `cluster` their cluster. */
export function taskOf(
  trials: readonly RecordedTrial[],
  spec: Partial<ReportedSpec> = {},
  rows: Readonly<Record<string, Readonly<Record<string, Value>>>> = {},
): RecordedTask {
  const ids = [...new Set(trials.map(({ sample }) => sample))];
  return {
    spec: specOf(spec),
    samples: ids.map((id, ord) => ({
      id,
      key: id,
      digest: `digest of ${id}`,
      ord,
      cluster: typeof rows[id]?.cluster === "string" ? rows[id].cluster : null,
      body: Dict.of({ id, ...rows[id] }),
    })),
    trials,
  };
}

/** Epochs of samples s1, s2, … with these values. */
export const epochsOf = (
  rows: readonly (readonly (number | null | string)[])[],
  variant = "default",
): RecordedTrial[] =>
  rows.flatMap((values, sample) =>
    values.map((value, epoch) => trialOf(`s${sample + 1}`, epoch + 1, value, { variant })),
  );

export const setOf = (tasks: readonly RecordedTask[], more: Partial<RecordedSet> = {}): RecordedSet => ({
  name: "eval-20261122-145648-ee174955",
  state: "done",
  why: null,
  began: 1000,
  ended: 433_000,
  costUsd: 4.31,
  costLimit: null,
  receipt: "9abb72e80cf01b1b29876",
  stale: 0,
  tasks,
  limits: [],
  ...more,
});
