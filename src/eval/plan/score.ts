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
