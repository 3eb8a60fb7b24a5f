/** Exporters by the name of their format. All are functions of the paper alone: the same bytes wherever they run. */
import { bibtexOf } from "./bibtex/index.ts";
import { checkPaper } from "./check.ts";
import { exportLatex } from "./latex/index.ts";
import { exportMarkdown } from "./markdown-export.ts";
import type { Paper, PaperExport } from "./paper.ts";

/** Those that need nothing beside this folder. */
export const textFormats = ["md", "latex", "bib", "html", "json"] as const;
export type TextFormat = (typeof textFormats)[number];

export async function exportPaper(paper: Paper, format: TextFormat): Promise<PaperExport> {
  if (format === "html") return (await import("./html/index.ts")).exportHtml(paper);
  if (format === "md") return exportMarkdown(paper);
  if (format === "latex") return exportLatex(paper);
  if (format === "json") return exportJson(paper);
  const files = [{ path: "references.bib", content: bibtexOf(paper.references) }];
  return { files, findings: checkPaper(paper) };
}

/** A paper ▸ JSON: everything that a program needs to make it again. */
function exportJson(paper: Paper): PaperExport {
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
