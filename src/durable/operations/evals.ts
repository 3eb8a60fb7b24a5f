/**
 * Sets of evaluations. Who writes a set holds its lease, so these are plain looks and writes; what a trial left, its scores and
 * the end of its journal become true together because they are written in one transaction.
 */
import type { Json } from "../../effects/index.ts";
import { StoreError } from "../../store/index.ts";
import { defineOperations, operation } from "../operation.ts";
import { type RowOf, type TableName, tableShapes } from "../tables.ts";
import type { Cells as Row, Tx } from "../tx.ts";

export type EvalTableName = Extract<TableName, `eval_${string}`>;

/** A text that rows refer to by its hash. */
export interface EvalPiece {
  /** SHA-256 of the text, 64 hexadecimal digits. */
  readonly hash: string;
  /** JSON text. */
  readonly text: string;
}

type RowCells = { readonly [column: string]: string | number | null };

export interface EvalWrite {
  readonly table: EvalTableName;
  /** In columns of pieces the hash of one that is written with it, or its number. */
  readonly row: RowCells;
}

/** Columns of a table that refer to a piece. */
export const pieceColumns: { readonly [table: string]: string } = {
  eval_sample: "body",
  eval_trial: "outcome",
  eval_score: "body",
  eval_draw: "result",
};

/** Columns of a table that name a run, which those who write rows know by its name. */
export const runColumns: { readonly [table: string]: string } = {
  eval_set: "plan",
  eval_trial: "run",
  eval_attempt: "run",
  eval_score: "run",
};
const evalsScope = (): readonly string[] => ["evals"];

export const evals = defineOperations("evals", {
  insert: operation({
    doc: "Inserts rows of a table of evaluations whose key is a number; gives their numbers.",
    scopes: evalsScope,
    run: (
      tx: Tx,
      one: {
        readonly table: EvalTableName;
        readonly rows: readonly RowCells[];
        readonly pieces: readonly EvalPiece[];
      },
    ): readonly number[] => {
      mustBeEvalTable(one.table);
      const known = knownNumbers(tx, one.pieces);
      return one.rows.map((row) => tx.insert(one.table, resolvedRow(one.table, row, known) as never));
    },
  }),
  write: operation({
    doc: "Inserts rows of tables of evaluations, or replaces those with their keys.",
    scopes: evalsScope,
    commit: "process",
    run: (
      tx: Tx,
      one: { readonly writes: readonly EvalWrite[]; readonly pieces: readonly EvalPiece[] },
    ): null => {
      const known = knownNumbers(tx, one.pieces);
      for (const { table, row } of one.writes) tx.write(table, resolvedRow(table, row, known) as never);
      return null;
    },
  }),
  rows: operation({
    doc: "Rows of a table of evaluations whose columns have these values, in the order of its key.",
    scopes: evalsScope,
    reads: true,
    run: (
      tx: Tx,
      one: { readonly table: EvalTableName; readonly where: RowCells },
    ): readonly RowOf<EvalTableName>[] => tx.rows(mustBeEvalTable(one.table), one.where as never, maxRows),
  }),
  cells: operation({
    doc: "The same rows, each a list of the values of some columns: for sets with many trials.",
    scopes: evalsScope,
    reads: true,
    run: (
      tx: Tx,
      {
        table,
        where,
        up_to: upTo,
        ...page
      }: {
        readonly table: EvalTableName;
        readonly where: RowCells;
        readonly columns: readonly string[];
        readonly after: number | null;
        readonly up_to: number | null;
        readonly limit: number;
      },
    ): readonly Row[] => {
      const known = tableShapes[mustBeEvalTable(table)].columns;
      const unknown = page.columns.find((name) => !known.includes(name));
      if (unknown !== undefined)
        throw new StoreError("invalid", `the table ${table} has no column ${unknown}`);
      return tx.cells(table, where as never, { ...page, upTo });
    },
  }),
  count: operation({
    doc: "How many rows of a table of evaluations have columns with these values.",
    scopes: evalsScope,
    reads: true,
    run: (tx: Tx, one: { readonly table: EvalTableName; readonly where: RowCells }): number =>
      tx.count(mustBeEvalTable(one.table), one.where as never),
  }),
  pieces: operation({
    doc: "Kept texts by their numbers; nil for one that is not there.",
    scopes: evalsScope,
    reads: true,
    run: (tx: Tx, one: { readonly ids: readonly number[] }): readonly (string | null)[] =>
      one.ids.map((id) => tx.piece(id) ?? null),
  }),
  remove: operation({
    doc: "Removes rows of a table of evaluations, and what belongs to them; gives how many there were.",
    scopes: evalsScope,
    run: (tx: Tx, one: { readonly table: EvalTableName; readonly where: RowCells }): number => {
      if (Object.keys(one.where).length === 0)
        throw new StoreError("invalid", "evals.remove: name a column, not all rows");
      return tx.remove(mustBeEvalTable(one.table), one.where as never);
    },
  }),
});

/** More than a set may have. */
const maxRows = 100_000_000;

function mustBeEvalTable(name: EvalTableName): EvalTableName {
  if (name.startsWith("eval_") && Object.hasOwn(tableShapes, name)) return name;
  throw new StoreError("invalid", `there is no table of evaluations ${name}`);
}

/** Numbers of what rows of one write refer to. */
interface RowNumbers {
  readonly pieces: ReadonlyMap<string, number>;
  /** Of a run by its name; null when there is none. */
  readonly run: (name: string) => number | null;
}

/** Keeps the pieces. Rows that are written together mostly belong to one run: it is looked up once. */
function knownNumbers(tx: Tx, pieces: readonly EvalPiece[]): RowNumbers {
  const runs = new Map<string, number | null>();
  return {
    pieces: new Map(pieces.map(({ hash, text }) => [hash, tx.keepPiece(hash, text)])),
    run: (name) => {
      const known = runs.get(name);
      if (known !== undefined) return known;
      const id = tx.rows("run", { name } as Partial<RowOf<"run">>, 1)[0]?.id ?? null;
      runs.set(name, id);
      return id;
    },
  };
}

/** The row with numbers in the place of hashes and names. */
function resolvedRow(table: EvalTableName, row: RowCells, known: RowNumbers): Json {
  mustBeEvalTable(table);
  const resolved: { [column: string]: string | number | null } = { ...row };
  const piece = pieceColumns[table];
  const hash = piece === undefined ? null : resolved[piece];
  if (piece !== undefined && typeof hash === "string") {
    const id = known.pieces.get(hash);
    if (id === undefined) throw new StoreError("invalid", `${table}.${piece}: no piece ${hash} came with it`);
    resolved[piece] = id;
  }
  const run = runColumns[table];
  const name = run === undefined ? null : resolved[run];
  if (run !== undefined && typeof name === "string") resolved[run] = known.run(name);
  return resolved;
}
