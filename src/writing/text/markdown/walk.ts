/** Going through a tree. */
import type { Block, Inline } from "./tree.ts";

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
