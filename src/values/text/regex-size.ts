/**
 * How big a pattern becomes when it is compiled: repeats are written out, so `(a{1000}){1000}` is a million instructions in
 * fourteen characters. Counted before anything is compiled; an estimate, never far too low.
 */

/** Instructions that a pattern may have: half a second to compile, and some 60 MB. */
const largestRegex = 50_000;

/** Matching keeps the places of all groups for each instruction that it may be at: so many are some 100 MB. */
const largestMatch = 4_000_000;

/** What is wrong with a pattern that is larger; `undefined` for others. */
export function tooLargeRegex(pattern: string): string | undefined {
  const size = regexSize(pattern);
  const groups = groupsIn(pattern);
  if (size <= largestRegex && size * groups > largestMatch)
    return `the pattern is too large: about ${Math.round(size)} instructions times ${groups} groups, at most ${largestMatch}; (?:…) is a group that keeps nothing`;
  if (size <= largestRegex) return undefined;
  return `the pattern is too large: about ${Math.round(size)} instructions with its repeats written out, at most ${largestRegex}`;
}

/** Groups that keep what they matched. Brackets in sets count, too: never too few. */
const groupsIn = (pattern: string): number => (pattern.match(/(?<!\\)\((?!\?(?!P?<))/g) ?? []).length;

/** Sets of characters that consist of many ranges. */
const bigSet = 60;

interface SizeLevel {
  /** Of what stands before the last atom. */
  total: number;
  last: number;
}

function setSize(pattern: string, from: number, end: number): number {
  const sets = (pattern.slice(from, end).match(/\\[pP]/g) ?? []).length;
  return 1 + (end - from) / 4 + sets * bigSet;
}

/** The escape whose backslash was just before: its size, and its last character. */
function escapeAt(pattern: string, at: number): { readonly size: number; readonly end: number } {
  const next = pattern[at] ?? "";
  if (next === "Q") {
    const end = pattern.indexOf("\\E", at);
    return end < 0 ? { size: pattern.length - at, end: pattern.length } : { size: end - at, end: end + 1 };
  }
  if (next !== "p" && next !== "P") return { size: 1, end: at };
  return { size: bigSet, end: pattern[at + 1] === "{" ? Math.max(at, pattern.indexOf("}", at)) : at + 1 };
}

/** `{2}`, `{2,}` or `{2,5}` at a place of the pattern. */
function repeatAt(
  pattern: string,
  at: number,
): { readonly times: number; readonly length: number } | undefined {
  const repeat = /^\{(\d+)(,(\d*))?\}/.exec(pattern.slice(at, at + 24));
  if (repeat === null) return undefined;
  const [all, least = "0", , most = ""] = repeat;
  return { times: Math.max(1, Number(least), Number(most)), length: all.length };
}

/** Instructions of a pattern, about. */
export function regexSize(pattern: string): number {
  const levels: SizeLevel[] = [{ total: 0, last: 0 }];
  let top = levels[0] as SizeLevel;
  const atom = (size: number): void => {
    top.total += top.last;
    top.last = size;
  };
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i] as string;
    if (char === "\\") {
      const { size, end } = escapeAt(pattern, i + 1);
      atom(size);
      i = end;
    } else if (char === "[") {
      const end = setEnd(pattern, i);
      atom(setSize(pattern, i, end));
      i = end;
    } else if (char === "(") {
      top = { total: 0, last: 0 };
      levels.push(top);
    } else if (char === ")" && levels.length > 1) {
      const inner = levels.pop() as SizeLevel;
      top = levels.at(-1) as SizeLevel;
      atom(inner.total + inner.last + 2);
    } else if (char === "*" || char === "+" || char === "?") top.last += 1;
    else if (char === "{") {
      const repeat = repeatAt(pattern, i);
      if (repeat === undefined) atom(1);
      else {
        top.last *= repeat.times;
        i += repeat.length - 1;
      }
    } else atom(1);
  }
  return levels.reduce((sum, { total, last }) => sum + total + last, 0);
}

/** The offset of the bracket that closes a set. */
function setEnd(pattern: string, from: number): number {
  let i = from + 1;
  if (pattern[i] === "^") i++;
  if (pattern[i] === "]") i++;
  for (; i < pattern.length; i++) {
    if (pattern[i] === "\\") i++;
    else if (pattern.startsWith("[:", i)) i = Math.max(i, pattern.indexOf(":]", i) + 1);
    else if (pattern[i] === "]") return i;
  }
  return pattern.length - 1;
}
