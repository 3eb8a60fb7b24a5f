/** The two forms of a scorer: a function, or a dict with one. */

import { stateKey } from "../../interp/index.ts";
import { type At, readRows, row, rows } from "../../table/index.ts";
import { Callable, Dict, List, type Value } from "../../values/index.ts";
import type { ScorerSpec } from "./score.ts";

/** What a scorer may need beside outcome and sample. Whoever scores a trial fills it in; elsewhere it is empty. */
interface ScoringContext {
  /** Name of the task whose outcome is scored. */
  task: string | null;
  /** Absolute path of the trial's folder; null without a sandbox. */
  sandbox: string | null;
  /** How often the judge that is at work draws, in the place of what it was declared with; null: as declared. */
  draws: number | null;
  /** Where something lies that came along from another machine; undefined: it did not, or nobody moved. */
  placeOf: (path: string) => string | undefined;
}

/** `task.runtime.state(scoringContext)` */
export const scoringContext = stateKey<ScoringContext>("scoring context", () => ({
  task: null,
  sandbox: null,
  draws: null,
  placeOf: () => undefined,
}));

/** A scorer with its function. */
export interface NamedScorer extends ScorerSpec {
  readonly score: Callable;
  /** Options of the calls of its judges. */
  readonly calls: readonly Dict[];
}

const scorerRows = rows(
  () => ({
    name: row.filled().required(),
    threshold: row.number(),
    needs: row.list(row.oneOf(["model", "files", "world"]), "", []).full(),
    score: row.closure().required(),
  }),
  { strict: true },
);

/** A function `fn(outcome, sample)`, or `{name, score, threshold?, needs?}`. */
export function scorerOf(value: Value, place: At): NamedScorer {
  if (value instanceof Callable)
    return { name: value.name || "scorer", threshold: null, needs: [], score: value, calls: [] };
  const dict = row.handle<Dict>("dict | closure").read(value, place);
  return { ...readRows(dict, scorerRows, place), calls: judgeCalls(value) };
}

export const scorerRow = (doc = "") => row.handle<Dict | Callable>("dict | closure", doc).to(scorerOf);

/** What judges say of their calls (`_calls`), also of scorers that are made of them. */
export function judgeCalls(value: Value): Dict[] {
  if (value instanceof List) return value.toArray().flatMap(judgeCalls);
  if (!(value instanceof Dict)) return [];
  const calls = value.get("_calls");
  if (calls instanceof List) return calls.toArray().filter((one) => one instanceof Dict);
  return ["scorer", "scorers"].flatMap((name) => judgeCalls(value.get(name) ?? null));
}
