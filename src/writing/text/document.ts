/** A paper with its texts parsed and everything numbered: what checks and exporters go through. */
import { soundItem } from "./csl-item.ts";
import {
  type Block,
  type CitationInline,
  type ImageInline,
  type Inline,
  normaliseSource,
  parseMarkdown,
  plainText,
  visitInlines,
} from "./markdown/index.ts";
import type { Paper, PaperSection } from "./paper.ts";

/** A text of the paper: the abstract, or the body of a section. */
export interface DocumentText {
  /** Id of the section; "" for the abstract. */
  readonly section: string;
  readonly source: string;
  readonly blocks: readonly Block[];
  /** Definitions of footnotes by label. They hold for the whole text, and the first one counts. */
  readonly notes: ReadonlyMap<string, readonly Block[]>;
}

export interface DocumentSection extends DocumentText {
  readonly depth: number;
  readonly title: string;
  readonly label: string;
  /** `2.1` */
  readonly number: string;
}

/** The number of the next section of this depth, such as `2.1`; `count` has those of the last one. */
function nextNumber(count: number[], depth: number): string {
  count.length = depth;
  count[depth - 1] = (count[depth - 1] ?? 0) + 1;
  return Array.from(count, (one) => one ?? 1).join(".");
}

export function documentOf(paper: Paper) {
  const abstract = documentText("", paper.abstract);
  const count: number[] = [];
  const sections = paper.sections.map((section) => {
    const depth = Math.min(Math.max(section.depth, 1), 5);
    return { ...sectionText(section), depth, number: nextNumber(count, depth) };
  });
  const references = new Map(paper.references.map((one) => [one.key, { ...one, item: soundItem(one.item) }]));
  const texts = [abstract, ...sections];
  const cited = new Set<string>();
  const figures = new Map<string, number>();
  let images = 0;
  for (const text of texts) {
    visitInlines(
      text.blocks,
      (inline) => {
        if (inline.kind === "citation") for (const { key } of inline.items) cited.add(key);
      },
      (block) => {
        if (block.kind !== "paragraph") return;
        for (const { label, caption } of figuresOf(block.children)) {
          // What has neither is shown, and has no number.
          if (label !== "" || plainText(caption).trim() !== "") images++;
          if (label !== "" && !figures.has(label)) figures.set(label, images);
        }
      },
    );
  }
  const known = [...cited].flatMap((key) => references.get(key) ?? []);
  return {
    paper,
    abstract,
    sections,
    /** By key. */
    references,
    /** References that are cited, in the order of their first use. */
    cited: known,
    /** The place of a reference in `cited`, from 1. */
    numberOf: new Map(known.map(({ key }, at) => [key, at + 1])),
    sectionsByLabel: new Map(sections.map((section) => [section.label, section])),
    /** Numbers of figures with a label: images of paragraphs that hold images only. */
    figures,
  };
}

export type PaperDocument = Readonly<ReturnType<typeof documentOf>>;

const sectionText = (section: PaperSection): Omit<DocumentSection, "depth" | "number"> => ({
  ...documentText(section.id, section.body),
  title: oneLine(section.title),
  label: section.label,
});

function documentText(section: string, body: string): DocumentText {
  const { source, blocks } = parseMarkdown(body);
  const notes = new Map<string, readonly Block[]>();
  visitInlines(
    blocks,
    () => {},
    (block) => {
      if (block.kind === "note" && !notes.has(block.label)) notes.set(block.label, block.children);
    },
  );
  return { section, source, blocks, notes };
}

/** A title or name: no line ends, no blanks around it, no control characters. */
export const oneLine = (text: string): string =>
  normaliseSource(text)
    .replaceAll(/\s+/g, " ")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they have no place in a line
    .replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, "")
    .replaceAll(/ +/g, " ")
    .trim();

export const textsOf = (document: PaperDocument): readonly DocumentText[] => [
  document.abstract,
  ...document.sections,
];

/** Whether every item is a plain key, so that one command can name them all. */
export const isPlainCitation = (citation: CitationInline): boolean =>
  citation.items.every((item) => item.prefix === "" && item.suffix === "" && !item.yearOnly);

/** Images that stand alone in their paragraph are figures; none where anything else stands beside them. */
export const figuresOf = (children: readonly Inline[]): readonly ImageInline[] => {
  const there = children.filter((one) => one.kind !== "text" || one.text.trim() !== "");
  return there.every((one) => one.kind === "image") ? there : [];
};
