/**
 * A paper ▸ one HTML file without a script: formulas are MathML, images stand in it. Loaded by itself, since the library of
 * formulas is larger than everything else together.
 */
import temml from "temml";
import { findingsOf } from "../check.ts";
import { citationPieces, crossReferenceText, listedReferences } from "../citation-text.ts";
import { type DocumentText, documentOf, figuresOf, oneLine, type PaperDocument } from "../document.ts";
import { escapeHtml } from "../escape-html.ts";
import { Figures } from "../images.ts";
import { isWebLink } from "../latex/index.ts";
import {
  type Block,
  type CrossReferenceInline,
  type Inline,
  type ListBlock,
  plainText,
  type TableBlock,
} from "../markdown/index.ts";
import { displayBody, isSafeMath } from "../math.ts";
import type { Paper, PaperExport } from "../paper.ts";
import { referenceLine } from "../references-text.ts";

const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

export function exportHtml(paper: Paper): PaperExport {
  const document = documentOf(paper);
  const content = new Page(document).render();
  return { files: [{ path: "paper.html", content }], findings: findingsOf(document) };
}

class Page {
  private readonly document: PaperDocument;
  private readonly figures: Figures;
  /** Notes in the order of their mention. */
  private readonly notes: {
    readonly id: string;
    readonly blocks: readonly Block[];
    readonly text: DocumentText;
  }[] = [];
  private text: DocumentText;

  constructor(document: PaperDocument) {
    this.document = document;
    this.figures = new Figures(document.paper.images);
    this.text = document.abstract;
  }

  render(): string {
    const { paper, abstract, sections } = this.document;
    const title = escapeHtml(oneLine(paper.title));
    const language = /^[A-Za-z0-9-]{1,35}$/.test(paper.language) ? paper.language : "en";
    const authors = paper.authors.map((name) => escapeHtml(oneLine(name))).join(", ");
    const summary = this.body(abstract);
    const body = [
      `<h1>${title}</h1>`,
      ...(authors === "" ? [] : [`<p class="authors">${authors}</p>`]),
      ...(summary === "" ? [] : [`<section class="abstract">\n<h2>Abstract</h2>\n${summary}\n</section>`]),
      ...sections.map((section) => {
        const level = section.depth + 1;
        const head = `<h${level} id="sec-${section.label}">${section.number} ${escapeHtml(section.title)}</h${level}>`;
        return [head, this.body(section)].filter((one) => one !== "").join("\n");
      }),
      ...this.references(),
      ...this.noteList(),
    ];
    return [
      "<!doctype html>",
      `<html lang="${language}">`,
      "<head>",
      '<meta charset="utf-8">',
      `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
      '<meta name="viewport" content="width=device-width, initial-scale=1">',
      `<title>${title}</title>`,
      `<style>${paperStyle}</style>`,
      "</head>",
      "<body>",
      ...body,
      "</body>",
      "</html>\n",
    ].join("\n");
  }

  private body(text: DocumentText): string {
    this.text = text;
    return this.blocks(text.blocks);
  }

  private blocks(blocks: readonly Block[]): string {
    return blocks
      .map((block) => this.block(block))
      .filter((one) => one !== "")
      .join("\n");
  }

  private block(block: Block): string {
    switch (block.kind) {
      case "heading": {
        const level = Math.min(Math.max(this.depth + 2, block.depth), 6);
        return `<h${level}>${this.inlines(block.children)}</h${level}>`;
      }
      case "paragraph": {
        const figures = figuresOf(block.children);
        return figures.length === 0
          ? `<p>${this.inlines(block.children).trim()}</p>`
          : figures.map((image) => this.figure(image)).join("\n");
      }
      case "code":
        return `<pre><code>${escapeHtml(block.text)}\n</code></pre>`;
      case "quote":
        return `<blockquote>\n${this.blocks(block.children)}\n</blockquote>`;
      case "list":
        return this.list(block);
      case "table":
        return this.table(block);
      case "rule":
        return "<hr>";
      case "display_math":
        return mathHtml(block.tex, true);
      case "html_block":
        return `<p>${escapeHtml(block.text)}</p>`;
      case "note":
        return "";
    }
  }

  private get depth(): number {
    return "depth" in this.text ? (this.text.depth as number) : 0;
  }

  private list({ ordered, start, items }: ListBlock): string {
    const tag = ordered ? "ol" : "ul";
    const rows = items.map(({ checked, children }) => {
      const box = checked === null ? "" : checked ? "☑ " : "☐ ";
      const [only] = children;
      // A line of a list is no paragraph.
      const inner =
        children.length === 1 && only?.kind === "paragraph"
          ? this.inlines(only.children).trim()
          : this.blocks(children);
      return `<li${checked === null ? "" : ' class="task"'}>${box}${inner}</li>`;
    });
    return `<${tag}${ordered && start !== 1 ? ` start="${start}"` : ""}>\n${rows.join("\n")}\n</${tag}>`;
  }

  private table({ align, header, rows }: TableBlock): string {
    const row = (cells: readonly (readonly Inline[])[], tag: "td" | "th"): string =>
      `<tr>${cells
        .map((cell, at) => {
          const side = align[at] ?? "left";
          return `<${tag}${side === "left" ? "" : ` class="${side}"`}>${this.inlines(cell)}</${tag}>`;
        })
        .join("")}</tr>`;
    return [
      "<table>",
      `<thead>${row(header, "th")}</thead>`,
      "<tbody>",
      ...rows.map((cells) => row(cells, "td")),
      "</tbody>",
      "</table>",
    ].join("\n");
  }

  private figure(image: Inline & { kind: "image" }): string {
    const number = this.document.figures.get(image.label);
    const words = `${number === undefined ? "" : `Figure ${number}: `}${this.inlines(image.caption)}`;
    const id = image.label === "" ? "" : ` id="fig-${image.label}"`;
    return `<figure${id}>\n${this.image(image)}\n<figcaption>${words}</figcaption>\n</figure>`;
  }

  private image(image: Inline & { kind: "image" }): string {
    const url = this.figures.dataUrl(image.path);
    const words = escapeHtml(plainText(image.caption));
    return url === undefined
      ? `<em>[image: ${escapeHtml(image.path)}]</em>`
      : `<img src="${url}" alt="${words}">`;
  }

  private inlines(inlines: readonly Inline[]): string {
    return inlines.map((one) => this.inline(one)).join("");
  }

  private inline(inline: Inline): string {
    switch (inline.kind) {
      case "text":
      case "html":
        return escapeHtml(inline.text);
      case "code_span":
        return `<code>${escapeHtml(inline.text)}</code>`;
      case "emphasis":
        return `<em>${this.inlines(inline.children)}</em>`;
      case "strong":
        return `<strong>${this.inlines(inline.children)}</strong>`;
      case "strike":
        return `<del>${this.inlines(inline.children)}</del>`;
      case "break":
        return "<br>\n";
      case "link": {
        const words = this.inlines(inline.children);
        return isWebLink(inline.href) ? link(inline.href, words) : words;
      }
      case "image":
        return this.image(inline);
      case "math":
        return mathHtml(inline.tex, inline.display);
      case "note_reference":
        return this.note(inline.label);
      case "citation":
        return citationPieces(inline, this.document)
          .map(({ text, key }) =>
            key === undefined
              ? escapeHtml(text)
              : `<a href="#ref-${escapeHtml(key)}">${escapeHtml(text)}</a>`,
          )
          .join("");
      case "cross_reference":
        return this.crossReference(inline);
    }
  }

  private crossReference(reference: CrossReferenceInline): string {
    const { to, label } = reference;
    const words = crossReferenceText(reference, this.document);
    const isThere = (to === "sec" ? this.document.sectionsByLabel : this.document.figures).has(label);
    return isThere ? `<a href="#${to}-${label}">${words}</a>` : words;
  }

  private note(label: string): string {
    const blocks = this.text.notes.get(label);
    if (blocks === undefined) return escapeHtml(`[^${label}]`);
    const id = `note-${this.text.section}-${label}`;
    let at = this.notes.findIndex((note) => note.id === id);
    if (at < 0) at = this.notes.push({ id, blocks, text: this.text }) - 1;
    return `<sup><a href="#note-${at + 1}">${at + 1}</a></sup>`;
  }

  /** A note may mention another, which then comes after it. */
  private noteList(): readonly string[] {
    const items: string[] = [];
    for (let at = 0; at < this.notes.length; at++) {
      const { blocks, text } = this.notes[at] as (typeof this.notes)[number];
      this.text = text;
      items.push(`<li id="note-${at + 1}">${this.blocks(blocks)}</li>`);
    }
    return items.length === 0
      ? []
      : [`<section class="notes">\n<h2>Notes</h2>\n<ol>\n${items.join("\n")}\n</ol>\n</section>`];
  }

  private references(): readonly string[] {
    const isNumeric = this.document.paper.citationStyle === "numeric";
    const items = listedReferences(this.document).map(({ key, item }) => {
      const { text, url } = referenceLine(item);
      const place = isWebLink(url) ? ` ${link(url, escapeHtml(url))}` : "";
      return `<li id="ref-${escapeHtml(key)}">${escapeHtml(text)}${place}</li>`;
    });
    if (items.length === 0) return [];
    const tag = isNumeric ? "ol" : "ul";
    return [
      `<section class="references">\n<h2 id="references">References</h2>\n<${tag}>\n${items.join("\n")}\n</${tag}>\n</section>`,
    ];
  }
}

const link = (href: string, words: string): string =>
  `<a href="${escapeHtml(href)}" rel="noopener noreferrer">${words}</a>`;

/** MathML; the source where it can't be made. */
function mathHtml(tex: string, display: boolean): string {
  const body = display ? displayBody(tex) : tex;
  if (isSafeMath(body)) {
    try {
      const options = { displayMode: display, throwOnError: true, trust: false, maxExpand: 500 };
      return temml.renderToString(body, options);
    } catch {
      // Commands that the library does not know: the reader gets the source.
    }
  }
  const marks = display ? "$$" : "$";
  return `<code>${escapeHtml(marks + tex + marks)}</code>`;
}

/** How a paper looks on a page and on paper. The page of `harn serve` uses it, too. */
const paperStyle = `
:root { color-scheme: light dark; }
body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.55 Georgia, "Times New Roman", serif; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; margin: 1.6em 0 0.5em; }
h1 { text-align: center; }
.authors { text-align: center; }
.abstract { margin: 1.5rem 2rem; }
.abstract h2 { font-size: 1rem; text-align: center; }
pre { overflow-x: auto; padding: 0.6rem; border: 1px solid #8884; font-size: 0.85rem; }
code { font-size: 0.9em; }
table { border-collapse: collapse; margin: 1rem auto; border-top: 2px solid; border-bottom: 2px solid; }
th { border-bottom: 1px solid; }
th, td { padding: 0.2rem 0.6rem; }
.right { text-align: right; }
.center { text-align: center; }
figure { margin: 1.5rem 0; text-align: center; }
img { max-width: 100%; }
blockquote { margin: 1rem 2rem; }
.task { list-style: none; }
.notes, .references { font-size: 0.9rem; }
.references li, .notes li { overflow-wrap: anywhere; }
math[display="block"] { margin: 0.8em 0; }
@media print { body { max-width: none; margin: 0; } a { color: inherit; text-decoration: none; } h2, h3, h4 { break-after: avoid; } figure, table, pre { break-inside: avoid; } }
@page { margin: 2.5cm; }
`;
