/** What in a text is exact: a summary may not invent it, and a check looks for it. Blanks are folded wherever texts are compared. */

/** One blank for any run of them. */
export const foldBlanks = (text: string): string => text.replace(/\s+/g, " ").trim();

const patterns = {
  quotation: /"([^"\n]{3,120})"|“([^”\n]{3,120})”|«([^»\n]{3,120})»/g,
  code: /`([^`\n]{2,200})`/g,
  address: /\b(?:https?|ssh|git|ftp):\/\/[^\s<>"'`)\]]+|\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
  path: /(?<![\w/:])(?:~|\.{1,2})?\/?(?:[\w@.+-]+\/)+[\w@.+-]*[\w-]|\b[\w-]+\.(?:ts|tsx|js|mjs|json|md|py|rs|go|java|c|h|cpp|toml|yaml|yml|txt|csv|sql|sh|html|css|lock|harn|log|xml|ini|cfg|conf|env|rb|php|kt|swift)\b/g,
  hash: /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/g,
  identifier: /\b(?=\w*[A-Za-z])(?=\w*[\d_])[A-Za-z_][\w-]*\w\b|\b\d+[A-Za-z][\w-]*\b/g,
  /** Three digits or more, or fewer with a unit after. */
  number:
    /(?<![\w.])\d[\d.,:]*\d{2}(?!\w)|(?<![\w.])\d{3,}(?!\w)|(?<![\w.])\d[\d.,]*\s?(?:%|ms|s|min|h|kB|KB|MB|GB|TB|tokens|px|€|\$|USD|EUR)(?!\w)|[€$]\s?\d[\d.,]*/g,
} as const;

const trimmedClaim = (text: string): string => foldBlanks(text).replace(/[.,:;]+$/, "");

function found(text: string, kinds: readonly (keyof typeof patterns)[]): string[] {
  const values = new Set<string>();
  for (const kind of kinds)
    for (const match of text.matchAll(patterns[kind])) {
      const inner = match.slice(1).find((group) => group !== undefined);
      const value = trimmedClaim(inner ?? match[0]);
      if (value !== "") values.add(value);
    }
  return [...values];
}

/** As much of a text as is looked through: more is data. */
const looked = 100_000;

/** What a person's message has that must not get lost, in no part of another such thing. */
export function exactParts(text: string): string[] {
  const parts = found(text.slice(0, looked), [
    "quotation",
    "code",
    "address",
    "path",
    "identifier",
    "number",
  ]);
  return parts.filter((part) => !parts.some((other) => other !== part && other.includes(part)));
}

/** Names in the result of a call that wrote something. */
export const identifiersIn = (text: string): string[] =>
  found(text.slice(0, looked), ["path", "identifier", "hash"]);

/** What a summary may say only where its source has it: a number of two digits or more, a path, a hash, a quotation. */
function claimsIn(text: string): string[] {
  const numbers = Array.from(text.matchAll(/\d[\d.,]*\d/g), ([number]) => trimmedClaim(number));
  return [...new Set([...found(text, ["quotation", "address", "path", "hash"]), ...numbers])];
}

/** The claims that stand in none of the sources. */
export function ungrounded(text: string, sources: readonly string[]): string[] {
  const claims = claimsIn(text);
  if (claims.length === 0) return [];
  const folded = sources.map(foldBlanks);
  return claims.filter((claim) => !folded.some((source) => source.includes(claim)));
}
