/** CSV (builtins.md §2.10). Cells are always strings; quoting as in RFC 4180. */

import { at, defineBuiltins, refusal } from "../../table/index.ts";
import { CsvReader, compareTexts, Dict, display, List, thrown, type Value } from "../../values/index.ts";
import { type Argument, option, textOf } from "../arguments.ts";
import { csvFields } from "../rows/text.ts";

export function delimiterOf(options: Argument): string {
  const value = textOf(option(options, "delimiter"), ",");
  return value === "" ? "," : ([...value][0] as string);
}

/** Rows of cells; blank lines are skipped. */
export function parseRows(text: string, delimiter: string): string[][] {
  const reader = new CsvReader(delimiter);
  return reader.push(text).concat(reader.end());
}

/** A row under the names of its columns: missing cells are empty, surplus ones dropped. */
export const rowDict = (headers: readonly string[], row: readonly string[]): Dict =>
  Dict.from(headers.map((header, index) => [header, row[index] ?? ""] as const));

function parse(text: string, options: Argument): List {
  const rows = parseRows(text, delimiterOf(options));
  if (option(options, "headers") !== true) return new List(rows.map((row) => new List(row)));
  const [headers = [], ...body] = rows;
  return new List(body.map((row) => rowDict(headers, row)));
}

function stringify(rows: Argument, options: Argument): string {
  if (!(rows instanceof List)) throw thrown("csv_stringify: expected a list of rows");
  const delimiter = delimiterOf(options);
  const quote = (text: string): string =>
    /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
  const line = (cells: readonly string[]): string => `${cells.map(quote).join(delimiter)}\n`;
  const all = rows.toArray();
  const dicts = all.filter((row) => row instanceof Dict);
  const lists = all.filter((row) => row instanceof List);
  if (dicts.length + lists.length !== all.length) {
    const other = all.find((row) => !(row instanceof Dict || row instanceof List));
    throw refusal(at("csv_stringify", "rows"), "dicts, or lists of cells", other);
  }
  if (dicts.length > 0 && lists.length > 0)
    throw thrown("csv_stringify: mixed list/dict rows are not supported");
  if (dicts.length === 0)
    return lists.map((row) => line(row.toArray().map((cell) => display(cell)))).join("");
  const columns = [...new Set(dicts.flatMap((row) => [...row.keys()]))].sort(compareTexts);
  const cellOf = (row: Dict, column: string): string => {
    const cell: Value | undefined = row.get(column);
    return cell === undefined ? "" : display(cell);
  };
  const head = option(options, "headers") === true ? line(columns) : "";
  return head + dicts.map((row) => line(columns.map((column) => cellOf(row, column)))).join("");
}

export const csv = defineBuiltins("csv", {
  csv_parse: {
    doc: "Rows of a CSV text as lists, or as dicts when `headers` is true. Cells are strings.",
    sig: "(text: any, options?: {headers?: bool, delimiter?: string}) -> list",
    effect: "pure",
    example: 'csv_parse("a,b\\n1,\\"x,y\\"\\n", {headers: true})  // [{a: 1, b: x,y}]',
    fields: { options: () => csvFields },
    run: (_task, text: Argument, options: Argument) => parse(textOf(text), options),
  },
  csv_stringify: {
    doc: "CSV of a list of lists or of dicts; with `headers: true` a line of column names first.",
    sig: "(rows: list, options?: {headers?: bool, delimiter?: string}) -> string",
    effect: "pure",
    example: 'csv_stringify([{b: 2, a: "x"}], {headers: true}) == "a,b\\nx,2\\n"  // true',
    fields: { options: () => csvFields },
    run: (_task, rows: Argument, options: Argument) => stringify(rows, options),
  },
});
