/** Running text ▸ LaTeX. */
import { isPlainCitation } from "../document.ts";
import { type CitationInline, type ImageInline, type Inline, isKey, plainText } from "../markdown/index.ts";
import { displayBody, isSafeMath } from "../math.ts";
import type { LatexContext } from "./context.ts";
import { escapeLatex, escapeUrl, isWebLink } from "./escape.ts";

/** `start`: nothing stands before it in its item, cell or line. */
export function latexInlines(inlines: readonly Inline[], context: LatexContext, start = false): string {
  let out = "";
  for (const inline of inlines) {
    const atStart = out === "" ? start : out.endsWith("\n");
    const next = latexInline(inline, context, atStart);
    // Marks that two pieces would join to.
    const touches = /[-,?!]$/.test(out) && /^[-,`]/.test(next);
    out += touches ? `{}${next}` : next;
  }
  return out;
}

function latexInline(inline: Inline, context: LatexContext, start: boolean): string {
  switch (inline.kind) {
    case "text":
      return escapeLatex(inline.text, start);
    case "html":
      return escapeLatex(inline.text, start);
    case "code_span":
      return `\\texttt{${escapeLatex(inline.text.replaceAll("\n", " "))}}`;
    case "emphasis":
      return `\\emph{${latexInlines(inline.children, context)}}`;
    case "strong":
      return `\\textbf{${latexInlines(inline.children, context)}}`;
    case "strike":
      return `{[}${latexInlines(inline.children, context)}{]}`;
    case "break":
      // A cell or a heading has one line.
      return context.isNarrow ? " " : "\\\\{}\n";
    case "link": {
      if (!isWebLink(inline.href)) return latexInlines(inline.children, context, start);
      // An address of mail is shown without its scheme.
      if (inline.bare && /^https?:/i.test(inline.href)) return `\\url{${escapeUrl(inline.href)}}`;
      return `\\href{${escapeUrl(inline.href)}}{${latexInlines(inline.children, context)}}`;
    }
    case "image":
      return smallImage(inline, context, start);
    case "math":
      return mathLatex(inline.tex, inline.display, context, start);
    case "note_reference":
      return footnote(inline.label, context);
    case "citation":
      return citation(inline);
    case "cross_reference":
      return crossReferenceLatex(inline, context);
  }
}

function crossReferenceLatex(
  { to, label }: Extract<Inline, { kind: "cross_reference" }>,
  { document }: LatexContext,
): string {
  const [word, known] = to === "sec" ? ["Section", document.sectionsByLabel] : ["Figure", document.figures];
  return known.has(label) ? `${word}~\\ref{${to}:${label}}` : `${word}~??`;
}

/** As it is, unless it could do harm or would not compile. */
function mathLatex(tex: string, display: boolean, context: LatexContext, start: boolean): string {
  const marks = display ? "$$" : "$";
  const body = display ? displayBody(tex).trim() : tex;
  if (!isSafeMath(body)) return escapeLatex(`${marks}${tex}${marks}`, start);
  return display && !context.isNarrow ? `\\[${body}\\]` : `$${body.replaceAll("\n", " ")}$`;
}

/** Of its own paragraph. */
export function displayFormula(tex: string): string {
  const body = displayBody(tex).trim();
  return isSafeMath(body) ? `\\[\n${body}\n\\]` : escapeLatex(`$$${tex}$$`, true);
}

/** An image among words; a figure can't stand there. */
function smallImage(inline: ImageInline, context: LatexContext, start: boolean): string {
  const name = context.figures.latexName(inline.path);
  if (name === undefined || context.isMoving) return escapeLatex(plainText(inline.caption), start);
  return `\\includegraphics[height=2\\baselineskip]{${name}}`;
}

/** The note at its first mention; headings, captions and other notes have it in parentheses. */
function footnote(label: string, context: LatexContext): string {
  const blocks = context.notes.get(label);
  if (blocks === undefined || context.openNotes.has(label)) return escapeLatex(`[^${label}]`, true);
  if (context.isMoving || context.openNotes.size > 0) {
    const inner = { ...context, openNotes: new Set([...context.openNotes, label]), isNarrow: true };
    const words = blocks.flatMap((block) =>
      block.kind === "paragraph" ? [latexInlines(block.children, inner)] : [],
    );
    return words.length === 0 ? "" : ` (${words.join(" ").replaceAll("\n", " ")})`;
  }
  const before = context.set.get(label);
  if (before !== undefined) return `\\textsuperscript{\\ref{${before}}}`;
  let name = "";
  if (context.repeated.has(label)) {
    name = context.noteName();
    context.set.set(label, name);
  }
  const inner = { ...context, openNotes: new Set([label]), isInNote: true };
  const text = context.blocks(blocks, inner).trim();
  return `\\footnote{${name === "" ? "" : `\\label{${name}}`}${text}}`;
}

/** Plain keys share a command, one with words around it has its own. */
function citation(inline: CitationInline): string {
  if (inline.form === "textual") return `\\citet{${inline.items.map((item) => item.key).join(",")}}`;
  if (isPlainCitation(inline)) return `\\citep{${inline.items.map((item) => item.key).join(",")}}`;
  const commands: string[] = [];
  let plain: string[] = [];
  const flush = (): void => {
    if (plain.length > 0) commands.push(`\\citep{${plain.join(",")}}`);
    plain = [];
  };
  for (const { key, prefix, suffix, yearOnly } of inline.items) {
    if (!isKey(key)) continue;
    if (prefix === "" && suffix === "" && !yearOnly) {
      plain.push(key);
      continue;
    }
    flush();
    const [before, after] = [noteText(prefix), noteText(suffix)];
    const notes = before === "" ? (after === "" ? "" : `[${after}]`) : `[${before}][${after}]`;
    commands.push(`\\${yearOnly ? "citeyearpar" : "citep"}${notes}{${key}}`);
  }
  flush();
  return commands.join(" ");
}

/** `p. 3` keeps together. */
const noteText = (text: string): string =>
  escapeLatex(text).replaceAll(/\b(pp?|ch|sec|vol|fig|no)\. /g, "$1.~");
