import type { TableShape } from "../store/index.ts";

/** The shape of a table; the names of its key and its columns have blanks between them. */
export const tableShape = (key: string, columns: string): TableShape => ({
  key: key.split(" "),
  columns: columns.split(" "),
});
