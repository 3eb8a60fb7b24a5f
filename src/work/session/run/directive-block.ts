/**
 * Where the directive of an answer stands: the fenced block that it ends with. What it says is read by `directive.ts`.
 */
import type { Json } from "../../../effects/index.ts";
import { parsedJson } from "../../../store/index.ts";
import { isJsonObject } from "../../../values/index.ts";

export interface Split {
  /** The answer without the block. */
  readonly text: string;
  /** What stands in the block; `undefined` when there is none. */
  readonly block: string | undefined;
  /** The block has no end. */
  readonly open: boolean;
}

/**
 * Takes the directive out of an answer: the block that it ends with. A block in the middle is text (an example, something
 * that is quoted); after the last one may stand what closes an answer of a text protocol.
 */
export function splitDirective(answer: string): Split {
  const lines = answer.split("\n");
  let found: { readonly from: number; readonly end: number } | undefined;
  for (let at = 0; at < lines.length; at++) {
    const fence = /^\s{0,3}(`{3,}|~{3,})\s*(?:loop[-_ ])?directive\s*$/i.exec(lines[at] as string);
    if (fence === null) continue;
    const end = closingMark(lines, at + 1, fence[1] as string);
    found = { from: at, end };
    at = end;
  }
  if (found !== undefined && endsAnswer(lines, found.end)) {
    const { from, end } = found;
    const text = [...lines.slice(0, from), ...lines.slice(end + 1)].join("\n").trim();
    return { text, block: lines.slice(from + 1, end).join("\n"), open: end === lines.length };
  }
  return unmarkedText(lines) ?? { text: answer.trim(), block: undefined, open: false };
}

/** Whether nothing is said after a block: only tags that close, and the claim to be done. */
function endsAnswer(lines: readonly string[], end: number): boolean {
  const rest = lines.slice(end + 1).join("\n");
  return rest.replaceAll(/<done>[^<]*<\/done>|<\/\w+>|^\s*##\w+##\s*$/gm, "").trim() === "";
}

function closingMark(lines: readonly string[], from: number, mark: string): number {
  for (let at = from; at < lines.length; at++) {
    // After it may stand the closing tag of a text protocol.
    const line = (lines[at] as string).trim().replace(/<\/\w+>$/, "");
    if (line.length >= mark.length && line === (mark[0] as string).repeat(line.length)) return at;
  }
  return lines.length;
}

/** A last block that is marked as JSON, or not at all, but is plainly a directive. */
function unmarkedText(lines: readonly string[]): Split | undefined {
  let last = lines.length - 1;
  while (last > 0 && (lines[last] as string).trim() === "") last--;
  if (!/^\s*(`{3,}|~{3,})\s*$/.test(lines[last] ?? "")) return undefined;
  for (let at = last - 1; at >= 0; at--) {
    if (!/^\s*(?:`{3,}|~{3,})/.test(lines[at] as string)) continue;
    if (!/^\s*(?:`{3,}|~{3,})\s*(?:json)?\s*$/i.test(lines[at] as string)) return undefined;
    const block = lines.slice(at + 1, last).join("\n");
    const value = parsedJson(block);
    if (
      !isJsonObject(value) ||
      !Object.keys(value).every((key) => directiveKeys.has(key)) ||
      Object.keys(value).length === 0
    )
      return undefined;
    return { text: lines.slice(0, at).join("\n").trim(), block, open: false };
  }
  return undefined;
}

export type Fields = { readonly [name: string]: Json | undefined };

/** The keys of a directive, and the other spellings that models fall into. */
export const directiveKeys: ReadonlyMap<string, string> = new Map([
  ["summary", "summary"],
  ["next", "next"],
  ["queuedWakes", "queuedWakes"],
  ["queued_wakes", "queuedWakes"],
  ["learnings", "learnings"],
  ["customTool", "customTool"],
  ["custom_tool", "customTool"],
]);
