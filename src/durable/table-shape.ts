import type { TableShape } from "../store/index.ts";

/** A column, for the type of what it holds. */
export interface Column<T> {
  readonly holds: T;
}
interface FullColumn<T> extends Column<T> {
  readonly orNull: Column<T | null>;
}

// Only types are read of what columns hold.
const column = <T>(): FullColumn<T> => ({ orNull: {} }) as FullColumn<T>;
export const text = column<string>();
export const number = column<number>();

export interface Table<Row> extends TableShape {
  readonly holds: Row;
}

/** The shape of a table; the names of its key have blanks between them. */
export const table = <Columns extends Readonly<Record<string, Column<unknown>>>>(
  key: string,
  columns: Columns,
): Table<{ readonly [C in keyof Columns]: Columns[C]["holds"] }> =>
  ({ key: key.split(" "), columns: Object.keys(columns) }) as unknown as Table<never>;

export type Row<T extends Table<unknown>> = T["holds"];
