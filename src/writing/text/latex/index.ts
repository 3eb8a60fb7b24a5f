/** A paper ▸ `paper.tex`, `references.bib` and `figures/`. */
import { bibtexOf } from "../bibtex/index.ts";
import { findingsOf } from "../check.ts";
import { type DocumentText, documentOf, oneLine, type PaperDocument } from "../document.ts";
import { Figures } from "../images.ts";
import { visitInlines } from "../markdown/index.ts";
import type { CitationStyle, Paper, PaperExport } from "../paper.ts";
import { latexBlocks, sectionCommands } from "./blocks.ts";
import { characterDeclaration, isControl } from "./characters.ts";
import type { LatexContext } from "./context.ts";
import { escapeLatex } from "./escape.ts";

export { escapeLatex, isWebLink } from "./escape.ts";

export function exportLatex(paper: Paper): PaperExport {
  const document = documentOf(paper);
  const figures = new Figures(paper.images);
  const body = bodyOf(document, figures);
  const references = paper.references.length === 0 ? "" : bibtexOf(paper.references);
  const files = [
    { path: "paper.tex", content: `${preambleOf(body + references, paper.citationStyle)}\n\n${body}` },
    ...(references === "" ? [] : [{ path: "references.bib", content: references }]),
    ...figures.files(),
  ];
  return { files, findings: findingsOf(document) };
}

function bodyOf(document: PaperDocument, figures: Figures): string {
  const { paper } = document;
  const authors = paper.authors.map((name) => escapeLatex(oneLine(name))).join(" \\and ");
  let notes = 0;
  const noteName = (): string => `fn:${++notes}`;
  const abstract = textLatex(document.abstract, 0, document, figures, noteName);
  const sections = document.sections.map((section) => {
    const text = textLatex(section, section.depth, document, figures, noteName);
    const head = `\\${sectionCommands[section.depth - 1]}{${escapeLatex(section.title)}}\\label{sec:${section.label}}`;
    return text === "" ? head : `${head}\n\n${text}`;
  });
  // BibTeX fails without any reference that it knows.
  const style = paper.citationStyle === "numeric" ? "unsrtnat" : "plainnat";
  const references =
    document.cited.length === 0 ? [] : [`\\bibliographystyle{${style}}\n\\bibliography{references}`];
  return `${[
    `\\title{${escapeLatex(oneLine(paper.title))}}\n\\author{${authors}}\n\\date{}`,
    "\\begin{document}\n\\maketitle",
    ...(abstract === "" ? [] : [`\\begin{abstract}\n${abstract}\n\\end{abstract}`]),
    ...sections,
    ...references,
    "\\end{document}",
  ].join("\n\n")}\n`;
}

function textLatex(
  text: DocumentText,
  depth: number,
  document: PaperDocument,
  figures: Figures,
  noteName: () => string,
): string {
  const context: LatexContext = {
    document,
    figures,
    notes: text.notes,
    repeated: repeatedNotes(text),
    set: new Map(),
    noteName,
    openNotes: new Set(),
    depth,
    isInNote: false,
    isNarrow: false,
    isMoving: false,
    itemize: 0,
    enumerate: 0,
    quotes: 0,
    blocks: latexBlocks,
  };
  return latexBlocks(text.blocks, context);
}

/** Notes that are mentioned twice or more. */
function repeatedNotes({ blocks }: DocumentText): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  visitInlines(blocks, (inline) => {
    if (inline.kind !== "note_reference") return;
    if (seen.has(inline.label)) repeated.add(inline.label);
    seen.add(inline.label);
  });
  return repeated;
}

/** For `text`, all that is printed. `% !TEX program = lualatex` comes first when pdfTeX would print `?` somewhere. */
function preambleOf(text: string, style: CitationStyle): string {
  const declarations: string[] = [];
  let isComplete = true;
  for (const character of [...new Set(text)].sort((a, b) =>
    a.codePointAt(0)! < b.codePointAt(0)! ? -1 : 1,
  )) {
    const declared = isControl(character) ? undefined : characterDeclaration(character);
    if (declared === undefined) continue;
    isComplete &&= declared !== null;
    const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
    declarations.push(`  \\DeclareUnicodeCharacter{${code}}{${declared ?? "?"}}`);
  }
  return [
    ...(isComplete ? [] : ["% !TEX program = lualatex"]),
    "\\documentclass{article}",
    "\\usepackage{iftex}",
    "\\ifPDFTeX",
    "  \\usepackage[utf8]{inputenc}",
    // T1 has to be there for guillemets, thorns and straight quotes; without lmodern its fonts are made by METAFONT.
    "  \\usepackage[T1]{fontenc}",
    "  \\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}",
    "  \\usepackage{textcomp}",
    ...declarations,
    "\\else",
    "  \\usepackage{fontspec}",
    "\\fi",
    ...["amsmath", "amssymb", "graphicx", "array", "booktabs", "longtable"].map(
      (name) => `\\usepackage{${name}}`,
    ),
    `\\usepackage[${style === "numeric" ? "numbers,sort&compress" : "authoryear,round"}]{natbib}`,
    "\\usepackage{hyperref}",
  ].join("\n");
}
