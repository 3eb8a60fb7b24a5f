/**
 * The tables of evaluations: a set is the trials of one evaluation with their scores. Times are milliseconds since the epoch,
 * money US dollars, flags 0 or 1; a column of type `Piece` holds the number of a kept text (`Tx.piece`).
 */

import type { TableShape } from "../store/index.ts";
import { tableShape } from "./table-shape.ts";

/** Number of a text that the store keeps once by its content. */
export type Piece = number;

export interface EvalSetRow {
  readonly id: number;
  readonly name: string;
  /** Row of the run that made its tasks. */
  readonly plan: number | null;
  readonly seed: string;
  /** JSON text: what it was asked for (`eval/sets/`). */
  readonly spec: string;
  /** `running`, `done`, `incomplete`, `paused`, `waiting` (for people), `stopped`, `failed` */
  readonly state: string;
  /** Of `paused`: `budget` or `provider`; of the others what happened, in words. */
  readonly why: string | null;
  /** Digest of the program's modules. */
  readonly program: string;
  readonly began: number;
  readonly ended: number | null;
  readonly receipt: string | null;
}

export interface EvalTaskRow {
  readonly id: number;
  readonly eval_set: number;
  readonly name: string;
  /** JSON text of the task. */
  readonly spec: string;
  readonly digest: string;
}

export interface EvalSampleRow {
  readonly id: number;
  readonly eval_set: number;
  readonly task: number;
  /** Its id as addresses write it. */
  readonly key: string;
  readonly digest: string;
  readonly ord: number;
  readonly cluster: string | null;
  /** The row is gone from the dataset. */
  readonly retired: number;
  readonly body: Piece | null;
}

export interface EvalVariantRow {
  readonly id: number;
  readonly eval_set: number;
  readonly task: number;
  readonly key: string;
  readonly digest: string;
  /** JSON text. */
  readonly body: string;
}

export interface EvalTrialRow {
  readonly id: number;
  readonly eval_set: number;
  readonly sample: number;
  readonly variant: number;
  readonly epoch: number;
  /** JSON text: streams of roles that differ from the epoch; `{}` ordinarily. */
  readonly streams: string;
  /** `epoch`, `cross`, `fork`, `oracle` (of a sample on which trials failed) */
  readonly kind: string;
  /** Place in the planned order. */
  readonly ord: number;
  /** `pending`, `running`, `done`, `errored`, `waiting` (for people), `paused` (for money), `skipped` */
  readonly state: string;
  /** Its identity: what it was made of. */
  readonly digest: string;
  /** Of its last attempt; null when that had no effects. */
  readonly run: number | null;
  readonly outcome: Piece | null;
  readonly error: string | null;
  /** `provider`, `environment`, `config`, `harness` */
  readonly category: string | null;
  readonly limit_hit: string | null;
  /** JSON text of a list. */
  readonly faults: string | null;
  readonly blame: string | null;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost: number;
  /** What calls may have cost besides of which nobody knows whether they were made. */
  readonly doubtful: number;
  readonly turns: number;
  readonly working_ms: number;
  readonly wall_ms: number;
  readonly began: number | null;
  readonly ended: number | null;
  readonly attempts: number;
}

export interface EvalAttemptRow {
  readonly trial: number;
  /** From 1. */
  readonly n: number;
  readonly run: number | null;
  readonly state: string;
  readonly error: string | null;
  readonly category: string | null;
  readonly began: number;
  readonly ended: number | null;
}

export interface EvalScoreRow {
  readonly eval_set: number;
  readonly trial: number;
  readonly scorer: string;
  /** From 1; the last one counts. */
  readonly version: number;
  /** From 1. */
  readonly draw: number;
  readonly value: number | null;
  readonly pass: number | null;
  readonly label: string | null;
  /** JSON text of `{answer, why, parts, meta, error}`, without what is absent; null when all is. */
  readonly body: Piece | null;
  /** Of the scoring; null when it had no effects. */
  readonly run: number | null;
  readonly cost: number;
}

export interface EvalLabelRow {
  readonly trial: number;
  readonly scorer: string;
  readonly rater: string;
  readonly value: number | null;
  readonly label: string | null;
  readonly note: string | null;
  readonly at: number;
}

export interface EvalDrawRow {
  readonly key: string;
  readonly result: Piece;
  readonly made: number;
}

export interface EvalLimitRow {
  readonly id: number;
  readonly eval_set: number;
  readonly at: number;
  /** Provider and base URL. */
  readonly provider: string;
  readonly old: number;
  readonly new: number;
  readonly reason: string;
}

export interface EvalTables {
  readonly eval_set: EvalSetRow;
  readonly eval_task: EvalTaskRow;
  readonly eval_sample: EvalSampleRow;
  readonly eval_variant: EvalVariantRow;
  readonly eval_trial: EvalTrialRow;
  readonly eval_attempt: EvalAttemptRow;
  readonly eval_score: EvalScoreRow;
  readonly eval_label: EvalLabelRow;
  readonly eval_draw: EvalDrawRow;
  readonly eval_limit: EvalLimitRow;
}

export const evalShapes: { readonly [T in keyof EvalTables]: TableShape } = {
  eval_set: tableShape("id", "id name plan seed spec state why program began ended receipt"),
  eval_task: tableShape("id", "id eval_set name spec digest"),
  eval_sample: tableShape("id", "id eval_set task key digest ord cluster retired body"),
  eval_variant: tableShape("id", "id eval_set task key digest body"),
  eval_trial: tableShape(
    "id",
    "id eval_set sample variant epoch streams kind ord state digest run outcome error category limit_hit faults blame input_tokens output_tokens cost doubtful turns working_ms wall_ms began ended attempts",
  ),
  eval_attempt: tableShape("trial n", "trial n run state error category began ended"),
  eval_score: tableShape(
    "trial scorer version draw",
    "eval_set trial scorer version draw value pass label body run cost",
  ),
  eval_label: tableShape("trial scorer rater", "trial scorer rater value label note at"),
  eval_draw: tableShape("key", "key result made"),
  eval_limit: tableShape("id", "id eval_set at provider old new reason"),
};
