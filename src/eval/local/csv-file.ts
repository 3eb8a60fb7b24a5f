/** CSV of label sheets and rows of scores. */
import { CsvReader } from "../../values/index.ts";

/** Rows of cells without the mark that spreadsheets put before them; blank lines are skipped. */
export function csvRowsOf(text: string): string[][] {
  const reader = new CsvReader(",");
  return reader.push(text.replace(/^\ufeff/u, "")).concat(reader.end());
}
