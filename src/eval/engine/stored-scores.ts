/** Scores as rows. */
import type { EvalScoreRow } from "../../durable/index.ts";
import type { Score } from "../plan/index.ts";

/** A stored score without what it says besides its verdict. */
export const plainScore = ({ scorer, draw, value, pass, label }: EvalScoreRow): Score => ({
  scorer,
  draw,
  value,
  pass: pass === null ? null : pass === 1,
  label,
  answer: null,
  why: null,
  parts: {},
  meta: null,
  error: null,
});

/** Of each scorer of a trial the last version. */
export function newestScores<
  T extends { readonly trial: number; readonly scorer: string; readonly version: number },
>(rows: readonly T[]): T[] {
  const newest = new Map<string, number>();
  const keyOf = ({ trial, scorer }: T): string => `${trial} ${scorer}`;
  for (const row of rows) newest.set(keyOf(row), Math.max(newest.get(keyOf(row)) ?? 0, row.version));
  return rows.filter((row) => newest.get(keyOf(row)) === row.version);
}
