/**
 * The tables that operations may read and write row by row, with their columns. The rest of the schema belongs to engines:
 * journals, mailboxes and leases are reached through `Tx` and `Ledger`, because who may claim or write is theirs to judge.
 */
import { evalShapes } from "./eval-tables.ts";
import { serverShapes } from "./server-tables.ts";
import { number, type Row, table, text } from "./table-shape.ts";

export const tableShapes = {
  /** What runs ask people. */
  question: table("run place", {
    /** Row of the run. */
    run: number,
    /** `path#number` of the effect. */
    place: text,
    /** Milliseconds since the epoch. */
    asked: number,
    /** JSON text. */
    body: text,
    /** JSON text. */
    answer: text.orNull,
    answered: number.orNull,
    answered_by: text.orNull,
  }),
  /** Names of runs and who owns them, to look at; writing is its journal's writer's. */
  run: table("id", {
    id: number,
    name: text,
    /** Counts its owners: only the newest may write. */
    fence: number,
  }),
  ...evalShapes,
  ...serverShapes,
};

export type TableName = keyof typeof tableShapes;
export type RowOf<T extends TableName> = Row<(typeof tableShapes)[T]>;
