/** What the characters between quotes mean: escapes of `"…"`, indentation of `"""…"""` (language.md §1.5). */

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "0": "\0",
  "\\": "\\",
  '"': '"',
  $: "$",
};

/** The text of a `"…"` part with its escapes replaced; an unknown escape keeps both characters. */
export function unescapeText(raw: string): string {
  if (!raw.includes("\\")) return raw;
  return raw.replace(/\\([\s\S])/g, (both, char: string) =>
    Object.hasOwn(ESCAPES, char) ? ESCAPES[char]! : both,
  );
}

/** Stands for a hole while the lines are counted; NUL never occurs in a source text. */
const HOLE = "\0";

/**
 * The texts of a `"""…"""` string: line feed after the opening quotes dropped, common indentation removed, the line
 * feed before the closing quotes dropped. `parts` are the literal texts between the holes. A line that holds only
 * blanks and a hole is not blank. A CR before a line feed is dropped.
 */
export function dedent(parts: readonly string[]): string[] {
  let text = parts.join(HOLE);
  if (text.includes("\r\n")) text = text.replaceAll("\r\n", "\n");
  if (text.startsWith("\n")) text = text.slice(1);
  const lines = text.split("\n");
  const indent = commonIndent(lines);
  if (indent > 0) text = lines.map((line) => (isBlankLine(line) ? "" : line.slice(indent))).join("\n");
  if (text.endsWith("\n")) text = text.slice(0, -1);
  return text.split(HOLE).map((part) => part.replaceAll("\\${", "${"));
}

function commonIndent(lines: readonly string[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const line of lines) if (!isBlankLine(line)) least = Math.min(least, indentOf(line));
  return least === Number.POSITIVE_INFINITY ? 0 : least;
}

function indentOf(line: string): number {
  let count = 0;
  while (line.charCodeAt(count) === 32 || line.charCodeAt(count) === 9) count++;
  return count;
}

function isBlankLine(line: string): boolean {
  return indentOf(line) === line.length;
}
