/**
 * The tables of evaluations: a set is the trials of one evaluation with their scores. Times are milliseconds since the epoch,
 * money US dollars, flags 0 or 1; a column `piece` holds the number of a kept text (`Tx.piece`).
 */

import { number, type Row, table, text } from "./table-shape.ts";

/** Number of a text that the store keeps once by its content. */
const piece = number;

export const evalShapes = {
  eval_set: table("id", {
    id: number,
    name: text,
    /** Row of the run that made its tasks. */
    plan: number.orNull,
    seed: text,
    /** JSON text: what it was asked for (`eval/sets/`). */
    spec: text,
    /** `running`, `done`, `incomplete`, `paused`, `waiting` (for people), `stopped`, `failed` */
    state: text,
    /** Of `paused`: `budget` or `provider`; of the others what happened, in words. */
    why: text.orNull,
    /** Digest of the program's modules. */
    program: text,
    began: number,
    ended: number.orNull,
    receipt: text.orNull,
  }),
  eval_task: table("id", {
    id: number,
    eval_set: number,
    name: text,
    /** JSON text of the task. */
    spec: text,
    digest: text,
  }),
  eval_sample: table("id", {
    id: number,
    eval_set: number,
    task: number,
    /** Its id as addresses write it. */
    key: text,
    digest: text,
    ord: number,
    cluster: text.orNull,
    /** The row is gone from the dataset. */
    retired: number,
    body: piece.orNull,
  }),
  eval_variant: table("id", {
    id: number,
    eval_set: number,
    task: number,
    key: text,
    digest: text,
    /** JSON text. */
    body: text,
  }),
  eval_trial: table("id", {
    id: number,
    eval_set: number,
    sample: number,
    variant: number,
    epoch: number,
    /** JSON text: streams of roles that differ from the epoch; `{}` ordinarily. */
    streams: text,
    /** `epoch`, `cross`, `fork`, `oracle` (of a sample on which trials failed) */
    kind: text,
    /** Place in the planned order. */
    ord: number,
    /** `pending`, `running`, `done`, `errored`, `waiting` (for people), `paused` (for money), `skipped` */
    state: text,
    /** Its identity: what it was made of. */
    digest: text,
    /** Of its last attempt; null when that had no effects. */
    run: number.orNull,
    outcome: piece.orNull,
    error: text.orNull,
    /** `provider`, `environment`, `config`, `harness` */
    category: text.orNull,
    limit_hit: text.orNull,
    /** JSON text of a list. */
    faults: text.orNull,
    blame: text.orNull,
    input_tokens: number,
    output_tokens: number,
    cost: number,
    /** What calls may have cost besides of which nobody knows whether they were made. */
    doubtful: number,
    turns: number,
    working_ms: number,
    wall_ms: number,
    began: number.orNull,
    ended: number.orNull,
    attempts: number,
  }),
  eval_attempt: table("trial n", {
    trial: number,
    /** From 1. */
    n: number,
    run: number.orNull,
    state: text,
    error: text.orNull,
    category: text.orNull,
    began: number,
    ended: number.orNull,
  }),
  eval_score: table("trial scorer version draw", {
    eval_set: number,
    trial: number,
    scorer: text,
    /** From 1; the last one counts. */
    version: number,
    /** From 1. */
    draw: number,
    value: number.orNull,
    pass: number.orNull,
    label: text.orNull,
    /** JSON text of `{answer, why, parts, meta, error}`, without what is absent; null when all is. */
    body: piece.orNull,
    /** Of the scoring; null when it had no effects. */
    run: number.orNull,
    cost: number,
  }),
  eval_label: table("trial scorer rater", {
    trial: number,
    scorer: text,
    rater: text,
    value: number.orNull,
    label: text.orNull,
    note: text.orNull,
    at: number,
  }),
  eval_draw: table("key", {
    key: text,
    result: piece,
    made: number,
  }),
  eval_limit: table("id", {
    id: number,
    eval_set: number,
    at: number,
    /** Provider and base URL. */
    provider: text,
    old: number,
    new: number,
    reason: text,
  }),
};

export type EvalSetRow = Row<typeof evalShapes.eval_set>;
export type EvalTaskRow = Row<typeof evalShapes.eval_task>;
export type EvalSampleRow = Row<typeof evalShapes.eval_sample>;
export type EvalVariantRow = Row<typeof evalShapes.eval_variant>;
export type EvalTrialRow = Row<typeof evalShapes.eval_trial>;
export type EvalAttemptRow = Row<typeof evalShapes.eval_attempt>;
export type EvalScoreRow = Row<typeof evalShapes.eval_score>;
export type EvalLabelRow = Row<typeof evalShapes.eval_label>;
export type EvalDrawRow = Row<typeof evalShapes.eval_draw>;
export type EvalLimitRow = Row<typeof evalShapes.eval_limit>;
export type EvalTables = { readonly [T in keyof typeof evalShapes]: Row<(typeof evalShapes)[T]> };
