/**
 * The tables that operations may read and write row by row, with their columns. The rest of the schema belongs to engines:
 * journals, mailboxes and leases are reached through `Tx` and `Ledger`, because who may claim or write is theirs to judge.
 */
import type { TableShape } from "../store/index.ts";
import { type EvalTables, evalShapes } from "./eval-tables.ts";
import { type ServerTables, serverShapes } from "./server-tables.ts";

/** What runs ask people. */
export interface QuestionRow {
  /** Row of the run. */
  readonly run: number;
  /** `path#number` of the effect. */
  readonly place: string;
  /** Milliseconds since the epoch. */
  readonly asked: number;
  /** JSON text. */
  readonly body: string;
  /** JSON text. */
  readonly answer: string | null;
  readonly answered: number | null;
  readonly answered_by: string | null;
}

/** Names of runs and who owns them, to look at; writing is its journal's writer's. */
export interface RunRow {
  readonly id: number;
  readonly name: string;
  /** Counts its owners: only the newest may write. */
  readonly fence: number;
}

export interface TableRows extends EvalTables, ServerTables {
  readonly question: QuestionRow;
  readonly run: RunRow;
}

export type TableName = keyof TableRows;
export type RowOf<T extends TableName> = TableRows[T];

export const tableShapes: { readonly [T in TableName]: TableShape } = {
  question: {
    key: ["run", "place"],
    columns: ["run", "place", "asked", "body", "answer", "answered", "answered_by"],
  },
  run: { key: ["id"], columns: ["id", "name", "fence"] },
  ...evalShapes,
  ...serverShapes,
};
