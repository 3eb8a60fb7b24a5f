import type { Dict, Value } from "../../values/index.ts";

/** What a scorer says of an outcome, after reading it (`scoreFrom`). */
export interface Score {
  /** The name of the scorer in its task. */
  readonly scorer: string;
  /** From 1: judges may draw several times. */
  readonly draw: number;
  /** Null: unscored, or a label without a number. */
  readonly value: number | null;
  /** Null: it has no value, so nothing says whether it passes. */
  readonly pass: boolean | null;
  readonly label: string | null;
  /** What the scorer took for the answer. */
  readonly answer: Value;
  /** At most 100 kB. */
  readonly why: string | null;
  /** Figures of their own: metrics named `SCORER.NAME`. */
  readonly parts: Readonly<Record<string, number>>;
  readonly meta: Dict | null;
  /** What the scorer threw, or why it could not score; the trial is unscored by it then. */
  readonly error: ScoreError | null;
}

export interface ScoreError {
  /** `HARN-EVL-032`, `HARN-EVL-033`, `judge_error`, or null for what a script threw. */
  readonly code: string | null;
  readonly message: string;
}

/** What a scorer has to have, so that nothing that is missing is scored as wrong. */
export type ScorerNeed = "model" | "files" | "world";

/** A scorer of a task as data; what it does is in `TaskCode.scorers`, at the same place. */
export interface ScorerSpec {
  /** Unique in its task. */
  readonly name: string;
  /** A value without `pass` passes from here on. Null: 1, and the scorer is not among `success` by itself. */
  readonly threshold: number | null;
  readonly needs: readonly ScorerNeed[];
}

/** Several draws of one scorer on one trial, as one score. */
export interface CombinedScore {
  /** Null: unscored, or a label without a number. */
  readonly value: number | null;
  readonly pass: boolean | null;
  readonly parts: Readonly<Record<string, number>>;
}

/**
 * The mean of the values; it passes when more than half of those that say anything pass, so that a tie fails. Undefined for
 * no draws at all.
 */
export function combineDraws(draws: readonly Score[]): CombinedScore | undefined {
  const [first] = draws;
  if (first === undefined || draws.length === 1) return first;
  const values = draws.flatMap(({ value }) => value ?? []);
  const passes = draws.flatMap(({ pass }) => pass ?? []);
  return {
    value: values.length === 0 ? null : drawMean(values),
    pass: passes.length === 0 ? null : passes.filter((pass) => pass).length * 2 > passes.length,
    // Only metrics of parts ask for them: stored scores read them then.
    get parts() {
      return partsOf(draws);
    },
  };
}

const drawMean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function partsOf(draws: readonly Score[]): Readonly<Record<string, number>> {
  const names = new Set(draws.flatMap(({ parts }) => Object.keys(parts)));
  return Object.fromEntries(
    [...names].map((name) => [name, drawMean(draws.flatMap(({ parts }) => parts[name] ?? []))]),
  );
}

/** What a scorer says after all its draws; undefined when it is not among the scores. */
export function drawsOf(scores: readonly Score[], name: string): CombinedScore | undefined {
  const [only] = scores;
  if (scores.length === 1) return only?.scorer === name ? only : undefined;
  return combineDraws(scores.filter(({ scorer }) => scorer === name));
}

/**
 * Whether a trial succeeded: 1 when every scorer that decides passes, 0 when one does not, null when one is unscored and none
 * fails.
 */
export function successOfScores(scores: readonly Score[], deciding: readonly string[]): 0 | 1 | null {
  let isUnscored = deciding.length === 0;
  for (const name of deciding) {
    const pass = drawsOf(scores, name)?.pass ?? null;
    if (pass === false) return 0;
    isUnscored ||= pass === null;
  }
  return isUnscored ? null : 1;
}
