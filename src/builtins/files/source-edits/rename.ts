/** A name and where it is used: in code, after a dot or as a key, in comments and texts. */
import { Part } from "./code-parts.ts";
import type { Outline } from "./outline.ts";

export interface Uses {
  /** Where each use begins. */
  readonly plain: readonly number[];
  /** After a dot, or as a key of a dict: it may be the name of something else. */
  readonly members: readonly number[];
  /** In comments and texts. */
  readonly other: readonly number[];
}

export function usesOf(text: string, name: string, { code, parts, brackets }: Outline): Uses {
  const plain: number[] = [];
  const members: number[] = [];
  const other: number[] = [];
  const escaped = name.replace(/[$]/g, "\\$&");
  const word = new RegExp(`(?<![\\p{ID_Continue}$])${escaped}(?![\\p{ID_Continue}$])`, "gu");
  for (const { index } of text.matchAll(word)) {
    if (parts[index] !== Part.Code) other.push(index);
    else if (isMember(code, index, index + name.length, brackets.around(index))) members.push(index);
    else plain.push(index);
  }
  return { plain, members, other };
}

function isMember(code: string, from: number, to: number, around: number): boolean {
  const before = code.slice(Math.max(0, from - 200), from).trimEnd();
  if (/(?:(?<!\.)\.|->|::|#)$/.test(before)) return true;
  const after = code.slice(to, to + 200).trimStart();
  const opener = around < 0 ? "" : code[around];
  const first = /[{,]$/.test(before) || before.endsWith("(");
  if (opener === "{") return first && /^:(?!:)/.test(after);
  // `f(name = 1)`: the name of a parameter.
  return opener === "(" && first && /^=(?![=>])/.test(after);
}

export function renamedSource(text: string, name: string, to: string, places: readonly number[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const at of [...places].sort((a, b) => a - b)) {
    pieces.push(text.slice(from, at), to);
    from = at + name.length;
  }
  return pieces.join("") + text.slice(from);
}
