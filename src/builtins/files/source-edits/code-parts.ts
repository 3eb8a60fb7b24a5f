/**
 * Which characters of a source text are code, and which brackets belong together. The rules are those of quotes and
 * comments; nothing is parsed. A quote that does not end on its line, where texts end on their lines, is a character
 * like others: an apostrophe in markup, say.
 */
import { thrown } from "../../../values/index.ts";
import type { Language, Quote } from "./languages.ts";

export const Part = { Code: 0, Comment: 1, Text: 2 } as const;
type PartOf = (typeof Part)[keyof typeof Part];

export interface CodeParts {
  /** `Part` by UTF-16 unit. */
  readonly parts: Uint8Array;
  /** The text with blanks for what is no code; line ends stay. */
  readonly code: string;
}

interface OpenQuote {
  readonly quote: Quote;
  readonly mark: string;
  readonly inner: { readonly open: string; readonly close: string } | undefined;
  /** Brackets that are open in the code inside. */
  depth: number;
}

export function codeParts(text: string, language: Language): CodeParts {
  const parts = new Uint8Array(text.length);
  const stack: OpenQuote[] = [];
  let inText = false;
  let at = 0;
  const take = (length: number, part: PartOf): void => {
    parts.fill(part, at, at + length);
    at += length;
  };
  while (at < text.length) {
    const top = stack.at(-1);
    if (inText && top !== undefined) {
      const end = textStep(text, at, top);
      if (end.kind === "close") stack.pop();
      if (end.kind === "code") top.depth = 0;
      inText = end.kind === "text";
      take(end.length, Part.Text);
      // What the closed text stood in is code: that of the file, or that inside of another text.
      continue;
    }
    const comment = commentAt(text, at, language);
    if (comment > 0) {
      take(comment, Part.Comment);
      continue;
    }
    const opened = quoteAt(text, at, language);
    if (opened !== undefined) {
      stack.push({ ...opened, depth: 0 });
      inText = true;
      take(opened.opened.length, Part.Text);
      continue;
    }
    const regex = language.regexes === true ? regexAt(text, at, parts) : 0;
    if (regex > 0) {
      take(regex, Part.Text);
      continue;
    }
    if (top?.inner !== undefined) {
      const char = text[at] as string;
      const opener = top.inner.open.at(-1);
      if (char === top.inner.close && top.depth === 0) {
        inText = true;
        take(1, Part.Text);
        continue;
      }
      if (char === opener) top.depth += 1;
      if (char === top.inner.close) top.depth -= 1;
    }
    at += 1;
  }
  return { parts, code: blanked(text, parts) };
}

/** One step inside of a text: to its end, into code, or over a character. */
function textStep(
  text: string,
  at: number,
  top: OpenQuote,
): { kind: "close" | "code" | "text"; length: number } {
  const { quote, mark, inner } = top;
  if (inner !== undefined && text.startsWith(inner.open, at)) {
    // `{{` in Python is a brace.
    if (inner.open === "{" && text[at + 1] === "{") return { kind: "text", length: 2 };
    return { kind: "code", length: inner.open.length };
  }
  if (quote.escapes && text[at] === "\\") return { kind: "text", length: Math.min(2, text.length - at) };
  if (text.startsWith(mark, at)) return { kind: "close", length: mark.length };
  return { kind: "text", length: 1 };
}

function commentAt(text: string, at: number, language: Language): number {
  if (text.startsWith(language.lineComment, at)) {
    const end = text.indexOf("\n", at);
    return (end < 0 ? text.length : end) - at;
  }
  if (language.blockComment === undefined) return 0;
  const [open, close] = language.blockComment;
  if (!text.startsWith(open, at)) return 0;
  let depth = 1;
  let i = at + open.length;
  while (i < text.length && depth > 0) {
    if (text.startsWith(close, i)) {
      depth -= 1;
      i += close.length;
    } else if (language.nestedComments === true && text.startsWith(open, i)) {
      depth += 1;
      i += open.length;
    } else i += 1;
  }
  return i - at;
}

function quoteAt(
  text: string,
  at: number,
  language: Language,
): (Omit<OpenQuote, "depth"> & { opened: string }) | undefined {
  for (const quote of language.quotes) {
    quote.open.lastIndex = at;
    const opened = quote.open.exec(text)?.[0];
    if (opened === undefined) continue;
    const mark = quote.close(opened);
    if (!quote.lines && !endsOnLine(text, at + opened.length, mark, quote.escapes)) continue;
    return { quote, mark, inner: quote.code?.(opened), opened };
  }
  return undefined;
}

function endsOnLine(text: string, from: number, mark: string, escapes: boolean): boolean {
  for (let i = from; i < text.length; i++) {
    // A line that ends with a backslash goes on.
    if (escapes && text[i] === "\\") i += 1;
    else if (text[i] === "\n") return false;
    else if (text.startsWith(mark, i)) return true;
  }
  return false;
}

const beforeRegex =
  /(?:^|[=([{,;:!&|?+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|delete|yield|await))\s*$/;

/** A regular expression stands where a value may begin. */
function regexAt(text: string, at: number, parts: Uint8Array): number {
  if (text[at] !== "/") return 0;
  const start = text.lastIndexOf("\n", at - 1) + 1;
  let before = "";
  for (let i = start; i < at; i++)
    before += parts[i] === Part.Code ? text[i] : parts[i] === Part.Text ? "a" : " ";
  if (!beforeRegex.test(before)) return 0;
  const found = /^\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/.exec(text.slice(at, at + 2000));
  return found === null ? 0 : found[0].length;
}

function blanked(text: string, parts: Uint8Array): string {
  const pieces: string[] = [];
  let from = 0;
  while (from < text.length) {
    let to = from + 1;
    while (to < text.length && parts[to] === parts[from]) to += 1;
    const piece = text.slice(from, to);
    pieces.push(parts[from] === Part.Code ? piece : piece.replace(/[^\n]/g, " "));
    from = to;
  }
  return pieces.join("");
}

const closers: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

export interface CodeBrackets {
  /** Where the partner of the bracket at this place stands. */
  readonly partner: ReadonlyMap<number, number>;
  /** The place of the innermost open bracket, or -1. */
  around(at: number): number;
}

/** Throws where they do not belong together: such a text is not understood well enough to be edited by its parts. */
export function bracketsOf(caller: string, code: string): CodeBrackets {
  const partner = new Map<number, number>();
  const inner = new Int32Array(code.length + 1).fill(-1);
  const open: number[] = [];
  const wrong = (at: number): never => {
    throw thrown(
      `${caller}: \`${code[at]}\` in line ${lineAt(code, at)} has no partner; the brackets have to balance for edits by declarations (edit_safe_text_patch needs none)`,
    );
  };
  for (let at = 0; at < code.length; at++) {
    const char = code[at] as string;
    inner[at] = open.at(-1) ?? -1;
    if (char === "(" || char === "[" || char === "{") open.push(at);
    else if (char === ")" || char === "]" || char === "}") {
      const last = open.pop();
      if (last === undefined || closers[code[last] as string] !== char) wrong(at);
      partner.set(last as number, at);
      partner.set(at, last as number);
    }
  }
  const left = open.at(-1);
  if (left !== undefined) wrong(left);
  return { partner, around: (at) => inner[at] ?? -1 };
}

/** From 1. */
export function lineAt(text: string, at: number): number {
  let line = 1;
  for (let i = text.indexOf("\n"); i >= 0 && i < at; i = text.indexOf("\n", i + 1)) line += 1;
  return line;
}
