/**
 * How big a pattern becomes when it is compiled: repeats are written out, so `(a{1000}){1000}` is a million instructions in
 * fourteen characters. Counted before anything is compiled; an estimate, never far too low.
 */

/** Instructions that a pattern may have: half a second to compile, and some 60 MB. */
export const largestRegex = 50_000;

/** What is wrong with a pattern that is larger; `undefined` for others. */
export function tooLargeRegex(pattern: string): string | undefined {
  const size = regexSize(pattern);
  if (size <= largestRegex) return undefined;
  return `the pattern is too large: about ${Math.round(size)} instructions with its repeats written out, at most ${largestRegex}`;
}

/** Sets of characters that consist of many ranges. */
const bigSet = 60;

interface Level {
  /** Of what stands before the last atom. */
  total: number;
  last: number;
}

/** Instructions of a pattern, about. */
export function regexSize(pattern: string): number {
  const levels: Level[] = [{ total: 0, last: 0 }];
  let top = levels[0] as Level;
  const atom = (size: number): void => {
    top.total += top.last;
    top.last = size;
  };
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i] as string;
    if (char === "\\") {
      const next = pattern[++i] ?? "";
      if (next === "Q") {
        const end = pattern.indexOf("\\E", i);
        atom((end < 0 ? pattern.length : end) - i);
        i = end < 0 ? pattern.length : end + 1;
      } else if (next === "p" || next === "P") {
        if (pattern[i + 1] === "{") i = Math.max(i, pattern.indexOf("}", i));
        else i++;
        atom(bigSet);
      } else atom(1);
    } else if (char === "[") {
      const end = setEnd(pattern, i);
      const sets = (pattern.slice(i, end).match(/\\[pP]/g) ?? []).length;
      atom(1 + (end - i) / 4 + sets * bigSet);
      i = end;
    } else if (char === "(") {
      top = { total: 0, last: 0 };
      levels.push(top);
    } else if (char === ")" && levels.length > 1) {
      const inner = levels.pop() as Level;
      top = levels.at(-1) as Level;
      atom(inner.total + inner.last + 2);
    } else if (char === "*" || char === "+" || char === "?") top.last += 1;
    else if (char === "{") {
      const repeat = /^\{(\d+)(,(\d*))?\}/.exec(pattern.slice(i, i + 24));
      if (repeat === null) atom(1);
      else {
        const [all, least = "0", , most = ""] = repeat;
        top.last *= Math.max(1, Number(least), Number(most));
        i += all.length - 1;
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
