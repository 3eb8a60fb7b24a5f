/** Methods of strings (language.md §22.1). Positions are code points. */
import {
  charAt,
  characterPosition,
  chars,
  clampIndex,
  List,
  pieces,
  repeatText,
  sliceText,
  textLength,
  toKey,
  tryIter,
  type Value,
} from "../../values/index.ts";
import { intArg, type MethodRun, methodTable, textOr } from "./method.ts";

/** The argument's display; the empty string when missing. */
const textArg = (value: Value | undefined): string => (value === undefined ? "" : toKey(value));

type StringMethod = MethodRun<string>;

const count: StringMethod = (_task, text) => textLength(text);
const lower: StringMethod = (_task, text) => text.toLowerCase();
const upper: StringMethod = (_task, text) => text.toUpperCase();

/** White space as Unicode defines it: JavaScript's own set differs at U+0085 and U+FEFF. */
const LEADING = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/u;
const BLANK = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/u;

function trimEnd(text: string): string {
  // A regex anchored only at the end retries at every blank: step back by hand instead.
  let end = text.length;
  while (end > 0 && BLANK.test(text[end - 1] as string)) end--;
  return end === text.length ? text : text.slice(0, end);
}

const trimStart = (text: string): string => text.replace(LEADING, "");

/** Splits at every occurrence; an empty separator gives the characters with an empty string at both ends. */
export function splitIntoParts(text: string, separator: string): Value[] {
  return separator === "" ? ["", ...chars(text), ""] : pieces(text, separator);
}

/** Replaces all occurrences, literally; an empty `from` matches between all characters. */
export function replaceText(text: string, from: string, to: string): string {
  if (from !== "") return pieces(text, from).join(to);
  return (
    to +
    chars(text)
      .map((character) => character + to)
      .join("")
  );
}

function substring(text: string, from: number, to: Value | undefined): string {
  const length = textLength(text);
  const end = Math.min(Math.max(intArg(to, length), 0), length);
  return sliceText(text, Math.min(Math.max(from, 0), length), end);
}

/** Lines without their breaks; a last line break starts no line. */
export function textLines(text: string): string[] {
  if (text === "") return [];
  const lines = pieces(text, "\n");
  if (lines[lines.length - 1] === "") lines.pop();
  return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
}

/** The blanks, or other characters, that bring a text to a width. */
function padding(text: string, args: readonly Value[]): string {
  const missing = intArg(args[0], 0) - textLength(text);
  const fill = charAt(textOr(args[1], " "), 0) ?? " ";
  return missing > 0 ? repeatText(fill, missing) : "";
}

export const stringMethods = methodTable<string>({
  never: {
    count,
    len: count,
    empty: (_task, text) => text === "",
    contains: (_task, text, [needle]) => text.includes(textArg(needle)),
    starts_with: (_task, text, [prefix]) => text.startsWith(textArg(prefix)),
    ends_with: (_task, text, [suffix]) => text.endsWith(textArg(suffix)),
    replace: (_task, text, [from, to]) =>
      from === undefined || to === undefined ? null : replaceText(text, toKey(from), toKey(to)),
    split: (_task, text, [separator]) => new List(splitIntoParts(text, textOr(separator, ","))),
    trim: (_task, text) => trimEnd(trimStart(text)),
    trim_start: (_task, text) => trimStart(text),
    trim_end: (_task, text) => trimEnd(text),
    lowercase: lower,
    lower,
    to_lower: lower,
    uppercase: upper,
    upper,
    to_upper: upper,
    substring: (_task, text, [start, end]) => substring(text, intArg(start, 0), end),
    slice: (_task, text, [start, end]) => {
      const length = textLength(text);
      const from = clampIndex(intArg(start, 0), length);
      return sliceText(text, from, clampIndex(intArg(end, length), length));
    },
    index_of: (_task, text, [needle]) => characterPosition(text, text.indexOf(textArg(needle))),
    last_index_of: (_task, text, [needle]) => characterPosition(text, text.lastIndexOf(textArg(needle))),
    chars: (_task, text) => new List(chars(text)),
    char_at: (_task, text, [index]) => {
      const at = intArg(index, 0);
      return at < 0 ? null : (charAt(text, at) ?? null);
    },
    lines: (_task, text) => new List(textLines(text)),
    repeat: (_task, text, [times]) => repeatText(text, intArg(times, 1)),
    reverse: (_task, text) => chars(text).reverse().join(""),
    pad_left: (_task, text, args) => padding(text, args) + text,
    pad_right: (_task, text, args) => text + padding(text, args),
    iter: (_task, text) => tryIter(text) ?? null,
  },
});
