/** A paper ▸ JSON: everything that a program needs to make it again. */
import { checkPaper } from "./check.ts";
import type { Paper, PaperExport } from "./paper.ts";

export function exportJson(paper: Paper): PaperExport {
  const { title, authors, abstract, language, citationStyle, sections, references } = paper;
  const value = {
    title,
    authors,
    abstract,
    language,
    citation_style: citationStyle,
    sections: sections.map(({ id, depth, title, label, body }) => ({ id, depth, title, label, body })),
    references: references.map(({ key, item, verified, quote }) => ({ key, item, verified, quote })),
  };
  const content = `${JSON.stringify(value, null, 2)}\n`;
  return { files: [{ path: "paper.json", content }], findings: checkPaper(paper) };
}
