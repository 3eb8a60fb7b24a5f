/** What is wrong with a paper: every export says it, none fails because of it. */
import { bibtexOf } from "./bibtex/index.ts";
import { type DocumentText, documentOf, oneLine, type PaperDocument, textsOf } from "./document.ts";
import { Figures } from "./images.ts";
import { isMapped } from "./latex/characters.ts";
import { type Inline, normaliseSource, plainText, visitInlines } from "./markdown/index.ts";
import { displayBody, isSafeMath } from "./math.ts";
import type { Finding, FindingKind, Paper } from "./paper.ts";

/** Findings in the order of the paper: its texts by section and place, then its references by key. */
export const checkPaper = (paper: Paper): readonly Finding[] => findingsOf(documentOf(paper));

export function findingsOf(document: PaperDocument): readonly Finding[] {
  const figures = new Figures(document.paper.images);
  return [
    ...characters("", document.paper.title, 0),
    ...document.paper.authors.flatMap((author) => characters("", author, 0)),
    ...textsOf(document).flatMap((text) => textFindings(text, document, figures)),
    ...referenceFindings(document),
  ];
}

function textFindings(text: DocumentText, document: PaperDocument, figures: Figures): readonly Finding[] {
  const found: Finding[] = [];
  const add = (kind: FindingKind, offset: number, what: string): void => {
    found.push({ kind, section: text.section, offset, text: what.slice(0, 200) });
  };
  visitInlines(
    text.blocks,
    (inline) => inlineFindings(inline, text, document, figures, add),
    (block) => {
      if (block.kind === "html_block") add("raw-html", block.span.from, block.text);
      if (block.kind === "display_math" && !isSafeMath(displayBody(block.tex)))
        add("unsafe-math", block.span.from, block.tex);
    },
  );
  const section = document.sections.find((one) => one.section === text.section);
  if (section !== undefined && text.source.trim() === "" && !hasChildren(section, document))
    add("empty-section", 0, section.title);
  if (section !== undefined) found.push(...characters(text.section, section.title, 0));
  found.push(...characters(text.section, text.source));
  return found.sort((a, b) => a.offset - b.offset);
}

function inlineFindings(
  inline: Inline,
  text: DocumentText,
  document: PaperDocument,
  figures: Figures,
  add: (kind: FindingKind, offset: number, what: string) => void,
): void {
  switch (inline.kind) {
    case "citation":
      for (const { key } of inline.items)
        if (!document.references.has(key)) add("unknown-citation", inline.span.from, key);
      return;
    case "cross_reference": {
      const known = inline.to === "sec" ? document.sectionsByLabel : document.figures;
      if (!known.has(inline.label)) add("unknown-label", inline.span.from, `${inline.to}:${inline.label}`);
      return;
    }
    case "note_reference":
      if (!text.notes.has(inline.label)) add("unknown-label", inline.span.from, `^${inline.label}`);
      return;
    case "math":
      if (!isSafeMath(inline.display ? displayBody(inline.tex) : inline.tex))
        add("unsafe-math", inline.span.from, inline.tex);
      return;
    case "html":
      add("raw-html", inline.span.from, inline.text);
      return;
    case "image":
      if (figures.problem(inline.path) !== undefined || !/\.(png|jpe?g|pdf)$/i.test(inline.path))
        add("broken-image", inline.span.from, inline.path);
      return;
    case "strike":
      add("struck-text", inline.span.from, plainText(inline.children));
      return;
    default:
      return;
  }
}

function hasChildren(section: { readonly section: string }, { sections }: PaperDocument): boolean {
  const at = sections.findIndex((one) => one.section === section.section);
  const next = sections[at + 1];
  return next !== undefined && next.depth > (sections[at]?.depth ?? 0);
}

/** Each character that pdfTeX can't print, once for a text. */
function characters(section: string, text: string, offset?: number): readonly Finding[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII as a whole
  if (/^[\u0000-\u007f]*$/.test(text)) return [];
  const normal = normaliseSource(text).normalize("NFC");
  const odd = new Set([...normal].filter((one) => !isMapped(one)));
  return [...odd].map((one) => ({
    kind: "unmapped-character",
    section,
    offset: offset ?? Math.max(normaliseSource(text).indexOf(one), 0),
    text: one,
  }));
}

function referenceFindings({ paper, numberOf }: PaperDocument): readonly Finding[] {
  const found: Finding[] = [];
  const add = (kind: FindingKind, text: string): void => {
    found.push({ kind, section: "", offset: 0, text });
  };
  if (paper.references.length > 0) found.push(...characters("", bibtexOf(paper.references), 0));
  for (const { key, verified, quote } of [...paper.references].sort((a, b) => (a.key < b.key ? -1 : 1))) {
    if (!verified) add("unverified-reference", key);
    if (!numberOf.has(key)) add("uncited-reference", key);
    if (quote.trim() === "" || paper.sourceTexts === undefined) continue;
    if (!oneLine(paper.sourceTexts.get(key) ?? "").includes(oneLine(quote))) add("quote-not-found", key);
  }
  return found;
}
