/** `[@key, p. 3; see @other]`, `@key`, `[-@key]`: pandoc's citations, as far as papers need them. */
import type { CitationItem } from "./tree.ts";

/** A key ends with a letter or digit, so that "(@doe2020)." is the key doe2020. */
export const keyPattern = "[A-Za-z0-9_](?:[A-Za-z0-9_:.+/-]*[A-Za-z0-9_])?";
export const isKey = (text: string): boolean => new RegExp(`^${keyPattern}$`).test(text);

const bracketed = /^\[(?!\^)([^[\]]*@[^[\]]*)\](?![([:])/;
const item = new RegExp(`^([^@]*?)(-?)@(${keyPattern})(?:[ \\n]*,[ \\n]*|[ \\n]+|$)([^@]*)$`);

/** The items of a citation in brackets that a text begins with; null when it is something else. */
export function bracketedCitation(text: string): { raw: string; items: readonly CitationItem[] } | null {
  const found = bracketed.exec(text);
  if (found === null) return null;
  const items: CitationItem[] = [];
  for (const part of (found[1] as string).split(";")) {
    const read = item.exec(part.trim());
    if (read === null) return null;
    const [, prefix, minus, key, suffix] = read as unknown as [string, string, string, string, string];
    if (/^(sec|fig):/.test(key)) return null;
    items.push({ key, prefix: folded(prefix), suffix: folded(suffix), yearOnly: minus === "-" });
  }
  return { raw: found[0], items };
}

const folded = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** `@key` anywhere in a text, not after a letter or digit (that is an address). */
export const bareMention = new RegExp(`(?<![\\p{L}\\p{N}_@.])@(${keyPattern})`, "gu");
/** `[^label]` in running text. */
export const noteMention = /\[\^([^\]\s]{1,64})\]/g;
