/** Exports that the page makes itself: the same functions, and so the same bytes, as the server's. A chunk of its own. */
import type { PaperRecord } from "../../src/server/protocol/index.ts";
import { type ExportFile, exportPaper, type TextFormat } from "../../src/writing/text/index.ts";
import { paperOf } from "./paper-text.ts";

export const exportInPage = async (record: PaperRecord, format: TextFormat): Promise<readonly ExportFile[]> =>
  (await exportPaper(paperOf(record), format)).files;
