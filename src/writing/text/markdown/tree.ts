/**
 * What a text of a paper is made of. One tree for the page and for every exporter: what is shown is what is exported.
 * Leaves know where they stand in their source, so that findings can point and the Markdown exporter can replace.
 */

/** Offsets of UTF-16 units in the normalised source (`normaliseSource`). */
export interface TextSpan {
  readonly from: number;
  readonly to: number;
}

export type Block =
  | { readonly kind: "heading"; readonly depth: number; readonly children: readonly Inline[] }
  | { readonly kind: "paragraph"; readonly children: readonly Inline[] }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "quote"; readonly children: readonly Block[] }
  | ListBlock
  | TableBlock
  | { readonly kind: "rule" }
  | { readonly kind: "display_math"; readonly tex: string; readonly span: TextSpan }
  /** Raw HTML: shown and exported as text. */
  | { readonly kind: "html_block"; readonly text: string; readonly span: TextSpan }
  /** The definition of a footnote; `span` is that of its label. */
  | {
      readonly kind: "note";
      readonly label: string;
      readonly children: readonly Block[];
      readonly span: TextSpan;
    };

export interface ListBlock {
  readonly kind: "list";
  readonly ordered: boolean;
  /** Number of the first item. */
  readonly start: number;
  readonly items: readonly ListItem[];
}

export interface ListItem {
  /** Of a task item; null for any other. */
  readonly checked: boolean | null;
  readonly children: readonly Block[];
}

export type Alignment = "left" | "center" | "right";

export interface TableBlock {
  readonly kind: "table";
  readonly align: readonly Alignment[];
  readonly header: readonly (readonly Inline[])[];
  readonly rows: readonly (readonly (readonly Inline[])[])[];
}

export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "emphasis" | "strong"; readonly children: readonly Inline[] }
  | { readonly kind: "strike"; readonly children: readonly Inline[]; readonly span: TextSpan }
  | { readonly kind: "code_span"; readonly text: string }
  /** A hard line break. */
  | { readonly kind: "break" }
  | LinkInline
  | ImageInline
  | { readonly kind: "math"; readonly tex: string; readonly display: boolean; readonly span: TextSpan }
  | { readonly kind: "note_reference"; readonly label: string; readonly span: TextSpan }
  | CitationInline
  | CrossReferenceInline
  /** Raw HTML: shown and exported as text. */
  | { readonly kind: "html"; readonly text: string; readonly span: TextSpan };

export interface LinkInline {
  readonly kind: "link";
  readonly href: string;
  /** The text is the address itself. */
  readonly bare: boolean;
  readonly children: readonly Inline[];
}

export interface ImageInline {
  readonly kind: "image";
  readonly path: string;
  readonly caption: readonly Inline[];
  /** Of `{#fig:label}`; "" without. */
  readonly label: string;
  readonly span: TextSpan;
  /** Of `{#fig:label}` itself; empty without. */
  readonly labelSpan: TextSpan;
}

export interface CitationInline {
  readonly kind: "citation";
  /** `@key` in running text names its author; `[@key]` stands in brackets. */
  readonly form: "bracketed" | "textual";
  readonly items: readonly CitationItem[];
  readonly span: TextSpan;
}

/** `@sec:label`, `@fig:label`. */
export interface CrossReferenceInline {
  readonly kind: "cross_reference";
  readonly to: "sec" | "fig";
  readonly label: string;
  readonly span: TextSpan;
}

export interface CitationItem {
  readonly key: string;
  /** Before it: `see`. */
  readonly prefix: string;
  /** After it: `p. 3`. */
  readonly suffix: string;
  /** `-@key`: the year alone. */
  readonly yearOnly: boolean;
}

/** What a text of this source becomes, in order. */
export interface MarkdownTree {
  /** The text that offsets count in. */
  readonly source: string;
  readonly blocks: readonly Block[];
}

/** The blocks that stand directly within a block. */
export function blocksWithin(block: Block): readonly Block[] {
  if (block.kind === "quote" || block.kind === "note") return block.children;
  return block.kind === "list" ? block.items.flatMap((item) => item.children) : [];
}

/** Calls `visit` for every block and every inline, in the order of the text. */
export function visitInlines(
  blocks: readonly Block[],
  visit: (inline: Inline) => void,
  enter: (block: Block) => void = () => {},
): void {
  const inlines = (list: readonly Inline[]): void => {
    for (const one of list) {
      visit(one);
      if (one.kind === "image") inlines(one.caption);
      else if ("children" in one) inlines(one.children);
    }
  };
  for (const block of blocks) {
    enter(block);
    if (block.kind === "paragraph" || block.kind === "heading") inlines(block.children);
    else if (block.kind === "table") for (const row of [block.header, ...block.rows]) row.forEach(inlines);
    else visitInlines(blocksWithin(block), visit, enter);
  }
}

/** The words of a run of text, without marks. */
export const plainText = (inlines: readonly Inline[]): string =>
  inlines
    .map((one): string => {
      switch (one.kind) {
        case "text":
        case "code_span":
        case "html":
          return one.text;
        case "break":
          return " ";
        case "math":
          return one.tex;
        case "image":
          return plainText(one.caption);
        case "citation":
          return `[${one.items.map((item) => item.key).join(", ")}]`;
        case "cross_reference":
          return one.label;
        case "note_reference":
          return "";
        default:
          return plainText(one.children);
      }
    })
    .join("");
