/** Exporters by the name of their format. All are functions of the paper alone: the same bytes wherever they run. */
import { bibtexOf } from "./bibtex/index.ts";
import { checkPaper, findingsOf } from "./check.ts";
import { citationPieces, crossReferenceText, listedReferences } from "./citation-text.ts";
import { type DocumentText, documentOf, oneLine, type PaperDocument, textsOf } from "./document.ts";
import { exportLatex } from "./latex/index.ts";
import { type CrossReferenceInline, type TextSpan, visitInlines } from "./markdown/index.ts";
import type { Paper, PaperExport } from "./paper.ts";
import { referenceLine } from "./references-text.ts";

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

/** A paper ▸ one Markdown file. Bodies stay as they are stored; citations, references and labels become text and links. */
function exportMarkdown(paper: Paper): PaperExport {
  const document = documentOf(paper);
  const anchors = headingAnchors(document);
  const notes = noteLabels(document);
  const body = (text: DocumentText): string => bodyOf(text, document, anchors, notes);
  const abstract = body(document.abstract);
  const parts = [
    `# ${escapeMarkdown(oneLine(paper.title))}`,
    paper.authors.map((name) => escapeMarkdown(oneLine(name))).join(", "),
    abstract === "" ? "" : `## Abstract\n\n${abstract}`,
    ...document.sections.flatMap((section) => [
      `${"#".repeat(section.depth + 1)} ${escapeMarkdown(section.title)}`,
      body(section),
    ]),
    referenceList(document),
  ];
  const content = `${parts.filter((part) => part.trim() !== "").join("\n\n")}\n`;
  return { files: [{ path: "paper.md", content }], findings: findingsOf(document) };
}

interface Replacement {
  readonly span: TextSpan;
  readonly text: string;
}

function bodyOf(
  text: DocumentText,
  document: PaperDocument,
  anchors: ReadonlyMap<string, string>,
  notes: ReadonlyMap<string, string>,
): string {
  const changes: Replacement[] = [];
  const renamed = (label: string, span: TextSpan): void => {
    const other = notes.get(`${text.section}\n${label}`);
    if (other !== undefined) changes.push({ span, text: `[^${other}]` });
  };
  visitInlines(
    text.blocks,
    (inline) => {
      if (inline.kind === "citation") {
        const words = citationPieces(inline, document)
          .map((piece) => piece.text)
          .join("");
        changes.push({ span: inline.span, text: `[${escapeMarkdown(words)}](#${anchors.get("")})` });
      } else if (inline.kind === "cross_reference") {
        changes.push({ span: inline.span, text: crossReference(inline, document, anchors) });
      } else if (inline.kind === "image" && inline.label !== "") {
        changes.push({ span: inline.labelSpan, text: "" });
      } else if (inline.kind === "note_reference") renamed(inline.label, inline.span);
    },
    (block) => {
      if (block.kind === "note") renamed(block.label, block.span);
    },
  );
  return withClosedFence(replaced(text.source, changes).replaceAll(/^\n+|\s+$/g, ""));
}

function replaced(source: string, changes: readonly Replacement[]): string {
  let out = "";
  let at = 0;
  for (const { span, text } of [...changes].sort((a, b) => a.span.from - b.span.from)) {
    // One that was not found as it stands has no place, and stays.
    if (span.from >= span.to || span.from < at) continue;
    out += source.slice(at, span.from) + text;
    at = span.to;
  }
  return out + source.slice(at);
}

function crossReference(
  reference: CrossReferenceInline,
  document: PaperDocument,
  anchors: ReadonlyMap<string, string>,
): string {
  const words = crossReferenceText(reference, document);
  const section = reference.to === "sec" ? document.sectionsByLabel.get(reference.label) : undefined;
  return section === undefined ? words : `[${words}](#${anchors.get(section.section)})`;
}

/** A fence that nobody closed would take in the sections after it. */
function withClosedFence(text: string): string {
  let open = "";
  for (const line of text.split("\n")) {
    const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence === null) continue;
    const [, marks, rest] = fence as unknown as [string, string, string];
    if (open === "") open = marks.startsWith("`") && rest.includes("`") ? "" : marks;
    else if (marks.startsWith(open) && rest.trim() === "") open = "";
  }
  return open === "" ? text : `${text}\n${open}`;
}

/** Anchors of headings as GitHub makes them: by the section's id, "" for the list of references. */
function headingAnchors(document: PaperDocument): ReadonlyMap<string, string> {
  const count = new Map<string, number>();
  const anchor = (title: string): string => {
    const slug = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    const n = count.get(slug) ?? 0;
    count.set(slug, n + 1);
    return n === 0 ? slug : `${slug}-${n}`;
  };
  anchor(oneLine(document.paper.title));
  if (document.abstract.source.trim() !== "") anchor("Abstract");
  const sections = document.sections.map(({ section, title }): [string, string] => [section, anchor(title)]);
  return new Map([...sections, ["", anchor("References")]]);
}

/** New labels of footnotes whose label an earlier text has taken: one file has one space of names. */
function noteLabels(document: PaperDocument): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const renamed = new Map<string, string>();
  for (const text of textsOf(document))
    for (const label of text.notes.keys()) {
      let name = label;
      for (let n = 2; taken.has(name); n++) name = `${label}-${n}`;
      taken.add(name);
      if (name !== label) renamed.set(`${text.section}\n${label}`, name);
    }
  return renamed;
}

function referenceList(document: PaperDocument): string {
  const lines = listedReferences(document).map(({ item }, at) => {
    const { text, url } = referenceLine(item);
    const mark = document.paper.citationStyle === "numeric" ? `${at + 1}.` : "-";
    return `${mark} ${escapeMarkdown(text)}${url === "" ? "" : ` <${url.replaceAll(/[<>\s]/g, encodeURIComponent)}>`}`;
  });
  return lines.length === 0 ? "" : `## References\n\n${lines.join("\n")}`;
}

/** Text that must not become syntax. */
const escapeMarkdown = (text: string): string =>
  text.replaceAll(/[\\`*_[\]<>]/g, "\\$&").replace(/^([#+-])(?=\s|$)/, "\\$1");
