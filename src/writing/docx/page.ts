/** The parsed paper ▸ paragraphs, tables and footnotes of a Word document. */
import {
  BookmarkEnd,
  BookmarkStart,
  HeadingLevel,
  type INumberingOptions,
  Paragraph,
  type ParagraphChild,
  Table,
  TableCell,
  TableRow,
  TextRun,
  WidthType,
} from "docx";
import { listedReferences } from "../text/citation-text.ts";
import { type DocumentText, figuresOf, oneLine, type PaperDocument } from "../text/document.ts";
import { isWebLink } from "../text/latex/index.ts";
import type { Block, ImageInline, Inline, ListBlock, TableBlock } from "../text/markdown/index.ts";
import { referenceLine } from "../text/references-text.ts";
import { Bookmarks } from "./places.ts";
import { legalRunText, TextRuns } from "./runs.ts";
import { codeFont } from "./styles.ts";

const headings = [
  HeadingLevel.HEADING_1,
  HeadingLevel.HEADING_2,
  HeadingLevel.HEADING_3,
  HeadingLevel.HEADING_4,
  HeadingLevel.HEADING_5,
  HeadingLevel.HEADING_6,
] as const;
const headingLevel = (level: number) =>
  headings[Math.min(Math.max(level, 1), 6) - 1] ?? HeadingLevel.HEADING_6;

/** Twips by which a list or quotation stands in; Word knows nine levels of lists. */
const stepIn = 567;
const maxListDepth = 8;

type ListStyle = INumberingOptions["config"][number];

/** Where a block stands. */
interface BlockContext {
  /** Levels of lists and quotations around it. */
  readonly depth: number;
  readonly lists: number;
  readonly style?: string | undefined;
}

export class DocxPage {
  private readonly document: PaperDocument;
  private readonly places: Bookmarks;
  private readonly runs: TextRuns;
  private readonly footnotes: { [number: string]: { readonly children: readonly Paragraph[] } } = {};
  private readonly numbering = new Map<string, ListStyle>();
  private lists = 0;
  private depth = 0;

  constructor(document: PaperDocument) {
    this.document = document;
    this.places = new Bookmarks(document);
    this.runs = new TextRuns(document, this.places, (blocks, text) => this.footnote(blocks, text));
  }

  render() {
    const { paper, abstract, sections } = this.document;
    const authors = paper.authors.map(oneLine).join(", ");
    const summary = this.body(abstract, 0, "Abstract");
    const children = [
      new Paragraph({ heading: HeadingLevel.TITLE, children: this.runs.text(oneLine(paper.title)) }),
      ...(authors === "" ? [] : [new Paragraph({ style: "Authors", children: this.runs.text(authors) })]),
      ...(summary.length === 0 ? [] : [this.plainHeading("Abstract"), ...summary]),
      ...sections.flatMap((section) => [
        new Paragraph({
          heading: headingLevel(section.depth),
          children: this.marked(
            this.places.section(section.label),
            this.runs.text(`${section.number} ${section.title}`),
          ),
        }),
        ...this.body(section, section.depth),
      ]),
      ...this.references(),
    ];
    return { children, footnotes: this.footnotes, numbering: [...this.numbering.values()] };
  }

  private plainHeading(words: string): Paragraph {
    return new Paragraph({ heading: HeadingLevel.HEADING_1, children: this.runs.text(words) });
  }

  /** With a place that links lead to. */
  private marked(name: string | undefined, children: readonly ParagraphChild[]): ParagraphChild[] {
    const id = name === undefined ? undefined : this.places.take(name);
    if (name === undefined || id === undefined) return [...children];
    // The library's type of children leaves the two halves of a bookmark out; it takes them.
    return [new BookmarkStart(name, id), ...children, new BookmarkEnd(id)] as unknown as ParagraphChild[];
  }

  private body(text: DocumentText, depth: number, style?: string): (Paragraph | Table)[] {
    this.runs.enter(text);
    this.depth = depth;
    return this.blocks(text.blocks, { depth: 0, lists: 0, style });
  }

  private blocks(blocks: readonly Block[], around: BlockContext): (Paragraph | Table)[] {
    return blocks.flatMap((block) => this.block(block, around));
  }

  private block(block: Block, around: BlockContext): readonly (Paragraph | Table)[] {
    const at = placeOf(around);
    switch (block.kind) {
      case "heading":
        return [
          new Paragraph({
            heading: headingLevel(Math.max(this.depth + 1, block.depth)),
            children: this.runs.of(block.children),
          }),
        ];
      case "paragraph": {
        const figures = figuresOf(block.children);
        if (figures.length > 0) return figures.flatMap((image) => this.figure(image));
        return [new Paragraph({ ...at, children: this.runs.of(block.children) })];
      }
      case "code":
        return [new Paragraph({ ...at, style: "CodeBlock", children: codeLines(block.text) })];
      case "quote":
        return this.blocks(block.children, { ...around, depth: around.depth + 1, style: "Quotation" });
      case "list":
        return this.list(block, around);
      case "table":
        return [this.table(block), new Paragraph({})];
      case "rule":
        return [new Paragraph({ ...at, thematicBreak: true })];
      case "display_math":
        return [new Paragraph({ style: "Figure", children: this.runs.source(`$$${block.tex}$$`) })];
      case "html_block":
        return [new Paragraph({ ...at, children: this.runs.text(block.text) })];
      case "note":
        return [];
    }
  }

  private list({ ordered, start, items }: ListBlock, around: BlockContext): (Paragraph | Table)[] {
    const level = Math.min(around.lists, maxListDepth);
    const reference = this.listStyle(ordered, start);
    this.lists++;
    const instance = this.lists;
    const inside = { ...around, depth: around.depth + 1, lists: around.lists + 1 };
    return items.flatMap(({ checked, children }) => {
      const box = checked === null ? [] : this.runs.text(checked ? "☑ " : "☐ ");
      const [first, ...rest] = children;
      const line = first?.kind === "paragraph" && figuresOf(first.children).length === 0;
      const words = line ? this.runs.of(first.children) : [];
      const indent = { left: stepIn * (around.depth + 1), hanging: stepIn / 2 };
      return [
        new Paragraph({
          numbering: { reference, level, instance },
          indent,
          ...(around.style === undefined ? {} : { style: around.style }),
          children: [...box, ...words],
        }),
        ...this.blocks(line ? rest : children, inside),
      ];
    });
  }

  /** One for each first number: a list counts from there at every level. */
  private listStyle(ordered: boolean, start: number): string {
    const reference = ordered ? `ordered-${start}` : "bullets";
    if (!this.numbering.has(reference))
      this.numbering.set(reference, {
        reference,
        levels: Array.from({ length: maxListDepth + 1 }, (_, level) => ({
          level,
          format: ordered ? "decimal" : "bullet",
          text: ordered ? `%${level + 1}.` : "•",
          start,
        })),
      });
    return reference;
  }

  private table({ align, header, rows }: TableBlock): Table {
    const row = (cells: readonly (readonly Inline[])[], isHeader: boolean): TableRow =>
      new TableRow({
        ...(isHeader ? { tableHeader: true } : {}),
        children: cells.map(
          (cell, at) =>
            new TableCell({
              children: [
                new Paragraph({
                  alignment: align[at] ?? "left",
                  children: this.runs.of(cell, isHeader ? { bold: true } : {}),
                }),
              ],
            }),
        ),
      });
    return new Table({
      width: { size: 100, type: WidthType.PERCENTAGE },
      rows: [row(header, true), ...rows.map((cells) => row(cells, false))],
    });
  }

  private figure(image: ImageInline): readonly Paragraph[] {
    const number = this.document.figures.get(image.label);
    const words = [
      ...this.runs.text(number === undefined ? "" : `Figure ${number}: `),
      ...this.runs.of(image.caption),
    ];
    const place = number === undefined ? undefined : this.places.figure(image.label);
    return [
      new Paragraph({
        style: "Figure",
        keepNext: true,
        children: this.marked(place, [this.runs.image(image)]),
      }),
      new Paragraph({ style: "FigureText", children: words }),
    ];
  }

  /** The note's number. Word has paragraphs only in notes: a table in one stands as its lines. */
  private footnote(blocks: readonly Block[], text: DocumentText): number {
    const number = Object.keys(this.footnotes).length + 1;
    // The number is taken before its text is made: nothing else may get it.
    this.footnotes[number] = { children: [] };
    const children = this.blocks(blocks, { depth: 0, lists: 0 }).filter((one) => one instanceof Paragraph);
    this.footnotes[number] = { children: children.length === 0 ? [new Paragraph({})] : children };
    this.runs.enter(text);
    return number;
  }

  private references(): readonly Paragraph[] {
    const isNumeric = this.document.paper.citationStyle === "numeric";
    const items = listedReferences(this.document).map(({ key, item }, at) => {
      const { text, url } = referenceLine(item);
      const link = isWebLink(url) ? [...this.runs.text(" "), this.runs.link(url, this.runs.text(url))] : [];
      const words = this.runs.text(isNumeric ? `[${at + 1}]\t${text}` : text);
      return new Paragraph({
        style: "Reference",
        children: this.marked(this.places.reference(key), [...words, ...link]),
      });
    });
    return items.length === 0 ? [] : [this.plainHeading("References"), ...items];
  }
}

const placeOf = ({ depth, style }: BlockContext) => ({
  ...(style === undefined ? {} : { style }),
  ...(depth === 0 ? {} : { indent: { left: stepIn * depth } }),
});

const codeLines = (text: string): TextRun[] =>
  text
    .replaceAll("\t", "    ")
    .split("\n")
    .map(
      (line, at) =>
        new TextRun({ text: legalRunText(line), font: codeFont, ...(at === 0 ? {} : { break: 1 }) }),
    );
