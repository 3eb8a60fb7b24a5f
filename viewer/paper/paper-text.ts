/** A paper in the words of its exporters: the page reads citations, numbers and references as an export prints them. */
import { limits, type PaperRecord } from "../../src/server/protocol/index.ts";
import { documentOf, type PaperDocument } from "../../src/writing/text/document.ts";
import type { CslItem, Paper } from "../../src/writing/text/paper.ts";
import { inOrder } from "./order.ts";

export const paperOf = (record: PaperRecord): Paper => ({
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
});

/** Characters of a paper beyond which its texts are shown as they were written. */
const maxRead = 4 * limits.markdownBytes;

/** The numbers of citations need all texts, parsed: null for a paper that is too long for that. */
export function readPaper(record: PaperRecord): PaperDocument | null {
  const bodies = record.sections.map(({ body }) => body);
  const isRead = bodies.every((body) => body.length <= limits.markdownBytes);
  const length = bodies.reduce((sum, body) => sum + body.length, record.abstract.length);
  return isRead && length <= maxRead ? documentOf(paperOf(record)) : null;
}
