/**
 * Patterns over texts. No regular expressions, because patterns and texts come from models: matching costs at most length
 * of pattern times length of text.
 *
 *     *    anything but `/` in a path, anything at all in a text      **   anything      **\/  any number of folders
 *     ?    one character (no `/` in a path)                            {a,b}  alternatives
 *
 * Files are found by minimatch (`glob`, `scan_directory`), which has character classes and extended patterns as well.
 */

type GlobToken =
  | { readonly kind: "char"; readonly text: string }
  | { readonly kind: "one" | "part" | "all" | "folders" };

/** Whether a pattern in which only `*` is special (URLs and prompts of mocks, models) covers a whole text. Linear time. */
export function starMatches(pattern: string, text: string): boolean {
  const parts = pattern.split("*");
  if (parts.length === 1) return pattern === text;
  const first = parts[0] as string;
  const last = parts.at(-1) as string;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  // Leftmost places for the middle parts are always best, so one pass is enough.
  let at = first.length;
  const end = text.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return at <= end;
}

const isPlain = /^[\w .:/@-]*$/;

/** Whether a pattern of names covers a whole name: `read_*`. */
export function nameMatches(pattern: string, name: string): boolean {
  // Most patterns are names: they are asked for with every call of a long loop.
  if (isPlain.test(pattern)) return pattern === name;
  return alternatives(pattern).some((one) => tokensCover(tokens(one, false), name, false));
}

/** Whether a pattern with `/` as separator covers a whole path. */
export function pathMatches(pattern: string, path: string): boolean {
  return alternatives(pattern).some((one) => tokensCover(tokens(one, true), path, true));
}

const maxAlternatives = 64;

/** The patterns that braces stand for; at most so many, the rest of the braces then count as letters. */
function alternatives(pattern: string): string[] {
  let found = [pattern];
  for (;;) {
    const at = found.findIndex((one) => braces(one) !== undefined);
    if (at < 0) return found;
    const one = found[at] as string;
    const [open, close] = braces(one) as [number, number];
    const parts = one.slice(open + 1, close).split(",");
    if (found.length + parts.length - 1 > maxAlternatives) return found;
    const made = parts.map((part) => one.slice(0, open) + part + one.slice(close + 1));
    found = [...found.slice(0, at), ...made, ...found.slice(at + 1)];
  }
}

function braces(pattern: string): [number, number] | undefined {
  const open = pattern.indexOf("{");
  const close = open < 0 ? -1 : pattern.indexOf("}", open);
  return close < 0 ? undefined : [open, close];
}

function tokens(pattern: string, isPath: boolean): GlobToken[] {
  const found: GlobToken[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] as string;
    if (char === "?") found.push({ kind: "one" });
    else if (char !== "*") found.push({ kind: "char", text: char });
    else if (!isPath) found.push({ kind: "all" });
    else if (pattern[at + 1] !== "*") found.push({ kind: "part" });
    else {
      const folders = pattern[at + 2] === "/" && (at === 0 || pattern[at - 1] === "/");
      found.push({ kind: folders ? "folders" : "all" });
      at += folders ? 2 : 1;
    }
  }
  return found;
}

/** Walks the text once with the set of tokens that may come next. */
function tokensCover(pattern: readonly GlobToken[], text: string, isPath: boolean): boolean {
  let states = new Uint8Array(pattern.length + 1);
  states[0] = 1;
  for (let at = 0; ; at++) {
    const atStart = at === 0 || text[at - 1] === "/";
    for (const [index, token] of pattern.entries()) {
      if (states[index] !== 1) continue;
      if (token.kind === "part" || token.kind === "all" || (token.kind === "folders" && atStart))
        states[index + 1] = 1;
    }
    if (at === text.length) return states[pattern.length] === 1;
    const next = new Uint8Array(pattern.length + 1);
    const char = text[at] as string;
    const slash = isPath && char === "/";
    for (const [index, token] of pattern.entries()) {
      if (states[index] !== 1) continue;
      if (token.kind === "char") {
        if (token.text === char) next[index + 1] = 1;
      } else if (token.kind === "one") {
        if (!slash) next[index + 1] = 1;
      } else if (token.kind !== "part" || !slash) next[index] = 1;
    }
    states = next;
  }
}
