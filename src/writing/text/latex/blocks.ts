/** Blocks ▸ LaTeX: paragraphs are separated by an empty line. */
import { figuresOf } from "../document.ts";
import {
  type Block,
  type ImageInline,
  type Inline,
  type ListBlock,
  plainText,
  type TableBlock,
} from "../markdown/index.ts";
import type { LatexContext } from "./context.ts";
import { escapeCodeLine, escapeLatex, verbatimText } from "./escape.ts";
import { displayFormula, latexInlines } from "./inlines.ts";

export const sectionCommands = [
  "section",
  "subsection",
  "subsubsection",
  "paragraph",
  "subparagraph",
] as const;

export function latexBlocks(blocks: readonly Block[], context: LatexContext): string {
  return blocks
    .map((block) => latexBlock(block, context))
    .filter((text) => text !== "")
    .join("\n\n");
}

function latexBlock(block: Block, context: LatexContext): string {
  switch (block.kind) {
    case "heading":
      return headingLatex(block.depth, block.children, context);
    case "paragraph": {
      const figures = context.isInNote ? [] : figuresOf(block.children);
      return figures.length === 0
        ? latexInlines(block.children, context, true).trim()
        : figures.map((image) => latexFigure(image, context)).join("\n\n");
    }
    case "code":
      return code(block.text, context);
    case "quote":
      return quote(block.children, context);
    case "list":
      return listLatex(block, context);
    case "table":
      return tableLatex(block, context);
    case "rule":
      return "\\par\\noindent\\rule{\\linewidth}{0.4pt}\\par";
    case "display_math":
      return displayFormula(block.tex);
    case "html_block":
      return escapeLatex(block.text, true).trim();
    case "note":
      return "";
  }
}

/** A heading within a text stands below its section, whatever its number of marks. */
function headingLatex(depth: number, children: readonly Inline[], context: LatexContext): string {
  const text = latexInlines(children, { ...context, isNarrow: true, isMoving: true }).trim();
  if (context.isInNote || context.quotes + context.itemize + context.enumerate > 0)
    return text === "" ? "" : `\\textbf{${text}}`;
  const level = Math.min(Math.max(context.depth + 1, depth - 1), 5);
  return `\\${sectionCommands[level - 1]}{${text.replaceAll("\n", " ")}}`;
}

function latexFigure({ path, caption, label }: ImageInline, context: LatexContext): string {
  const words = latexInlines(caption, { ...context, isNarrow: true, isMoving: true }).replaceAll("\n", " ");
  const name = context.figures.latexName(path);
  return [
    "\\begin{figure}",
    "\\centering",
    ...(name === undefined ? [] : [`\\includegraphics[width=\\linewidth]{${name}}`]),
    // Without a caption there is no number that a label could name.
    ...(words === "" && label === "" ? [] : [`\\caption{${words}}`]),
    ...(label === "" ? [] : [`\\label{fig:${label}}`]),
    "\\end{figure}",
  ].join("\n");
}

function code(text: string, context: LatexContext): string {
  const plain = verbatimText(text);
  if (!context.isInNote && !plain.includes("\\end{verbatim}"))
    return `\\begin{verbatim}\n${plain}\n\\end{verbatim}`;
  const lines = plain
    .split("\n")
    .map((line) => (line.trim() === "" ? "\\mbox{}" : `\\texttt{${escapeCodeLine(line)}}`));
  return `\\noindent ${lines.join("\\\\{}\n")}`;
}

/** LaTeX nests six lists and quotes, four lists of a kind. */
const maxNested = 6;
const maxOfKind = 4;
const isNestedTooDeep = (context: LatexContext): boolean =>
  context.quotes + context.itemize + context.enumerate >= maxNested;

function quote(blocks: readonly Block[], context: LatexContext): string {
  if (isNestedTooDeep(context)) return latexBlocks(blocks, context);
  const inner = latexBlocks(blocks, { ...context, quotes: context.quotes + 1 });
  return inner === "" ? "" : `\\begin{quote}\n${inner}\n\\end{quote}`;
}

function listLatex(block: ListBlock, context: LatexContext): string {
  const kind = block.ordered ? "enumerate" : "itemize";
  if (isNestedTooDeep(context) || context[kind] >= maxOfKind)
    return block.items
      .map(({ children }, at) => {
        const mark = block.ordered ? `${block.start + at}. ` : "\\textbullet{} ";
        return `${mark}${latexBlocks(children, context)}`;
      })
      .join("\n\n");
  const inner = { ...context, [kind]: context[kind] + 1 };
  const counter = `enum${["i", "ii", "iii", "iv"][context.enumerate]}`;
  const items = block.items.map(({ checked, children }) => {
    const box = checked === null ? "" : checked ? "[$\\boxtimes$]" : "[$\\square$]";
    const text = latexBlocks(children, inner);
    return `\\item${box}${text === "" ? "" : ` ${text}`}`;
  });
  return [
    `\\begin{${kind}}`,
    ...(block.ordered && block.start !== 1 ? [`\\setcounter{${counter}}{${block.start - 1}}`] : []),
    ...items,
    `\\end{${kind}}`,
  ].join("\n");
}

/** Characters of the usual letter size on a line of class `article`. */
const lineLength = 72;

/**
 * Columns as wide as their longest cell; where these do not fit on a line, those that take more than an equal part of it share
 * what the others leave, by the lengths of their cells, and wrap between words.
 */
function columnsOf({ align, header, rows }: TableBlock): string[] {
  const lengths = align.map((_, at) =>
    Math.max(3, ...[header, ...rows].map((cells) => plainText(cells[at] ?? []).length + 2)),
  );
  const all = addUp(lengths);
  const isWide = (length: number): boolean => all > lineLength && length > lineLength / lengths.length;
  const wide = addUp(lengths.filter(isWide));
  const rest = 1 - (all - wide) / lineLength;
  return align.map((one, at) => {
    const length = lengths[at] as number;
    if (!isWide(length)) return one[0] as string;
    const sides = { left: "\\raggedright", center: "\\centering", right: "\\raggedleft" };
    const width = ((rest * length) / wide).toFixed(3);
    return `>{${sides[one]}\\arraybackslash}p{\\dimexpr${width}\\linewidth-2\\tabcolsep\\relax}`;
  });
}

const addUp = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

function tableLatex(block: TableBlock, context: LatexContext): string {
  const inner = { ...context, isNarrow: true };
  const row = (cells: readonly (readonly Inline[])[]): string =>
    cells.map((cell) => latexInlines(cell, inner, true).replaceAll("\n", " ").trim()).join(" & ");
  if (context.isInNote)
    return [block.header, ...block.rows].map((cells) => row(cells).replaceAll(" & ", ", ")).join("\\\\{}\n");
  const columns = columnsOf(block).join(" ");
  return [
    `\\begin{longtable}{${columns}}`,
    "\\toprule",
    `${row(block.header)} \\\\`,
    "\\midrule",
    "\\endhead",
    ...block.rows.map((cells) => `${row(cells)} \\\\`),
    "\\bottomrule",
    "\\end{longtable}",
  ].join("\n");
}
