/** Exports that the page makes itself: the same functions, and so the same bytes, as the server's. A chunk of its own. */

import type { PaperRecord } from "../../src/server/protocol/index.ts";
import type { CslItem, ExportFile, Paper } from "../../src/writing/text/index.ts";
import { exportPaper, type TextFormat } from "../../src/writing/text/index.ts";
import { inOrder } from "./order.ts";

export async function exportInPage(record: PaperRecord, format: TextFormat): Promise<readonly ExportFile[]> {
  const paper: Paper = {
    title: record.title,
    authors: record.authors,
    abstract: record.abstract,
    language: record.language,
    citationStyle: record.citation_style === "author-year" ? "author-year" : "numeric",
    sections: inOrder(record.sections).map(({ section, depth }) => ({
      id: section.id,
      depth,
      title: section.title,
      label: section.label,
      body: section.body,
    })),
    references: record.references.map(({ key, item, verified, quote }) => ({
      key,
      item: item as CslItem,
      verified,
      quote,
    })),
  };
  return (await exportPaper(paper, format)).files;
}
