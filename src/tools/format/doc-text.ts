/** Documentation comments: their lines without markers (language.md §1.2, §26). */

/** The lines of a `///` line or a block of documentation, blank ones at its ends dropped. */
export function docLines(text: string): string[] {
  if (text.startsWith("///")) return [text.slice(3).replace(/^ /, "").trimEnd()];
  const lines = text.slice(3, -2).split("\n").map(withoutStar);
  while (lines.length > 1 && lines[0] === "") lines.shift();
  while (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return lines;
}

function withoutStar(line: string, index: number): string {
  const starred = index > 0 ? /^\s*\* ?(.*)$/.exec(line) : null;
  return starred === null ? line.trim() : starred[1]!.trimEnd();
}

/** Could these lines stand in a block comment? */
export function fitsBlock(lines: readonly string[]): boolean {
  return lines.every((line) => !line.includes("*/") && !line.includes("/*") && !line.endsWith("*"));
}
