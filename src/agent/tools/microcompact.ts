/**
 * Shortens one long text for a model (agents.md §3.2): head and tail at line ends, a marker that says how much is
 * missing, and between them the lines that look like failures, which are usually what the text was asked for.
 */

/** Less than this is not worth cutting. */
export const smallestLimit = 200;

const failureLine =
  /\b(?:error|panic(?:ked)?|exception|fatal|traceback|FAILED|FAIL|assertion)\b|^\S+\.\w+:\d+/i;
const maxFailures = 32;
const maxFailureLength = 240;

/** `text`, or about `max` characters of it. */
export function microcompact(text: string, max: number): string {
  if (max < smallestLimit || text.length <= max) return text;
  const half = Math.floor(max / 2);
  const head = wholeLines(text.slice(0, half), "head");
  const tail = wholeLines(text.slice(text.length - half), "tail");
  const middle = text.slice(head.length, text.length - tail.length);
  const failures = failureLines(middle);
  const cut = `${middle.length} characters snipped`;
  if (failures.length === 0) return `${head}\n[... ${cut} ...]\n${tail}`;
  const shown = failures.join("\n");
  return `${head}\n[... output compacted, ${cut}; lines that look like failures: ...]\n${shown}\n[... end of failures ...]\n${tail}`;
}

/** Cuts at the nearest line end unless that loses most of it; never inside a surrogate pair. */
function wholeLines(part: string, side: "head" | "tail"): string {
  if (side === "head") {
    const at = part.lastIndexOf("\n");
    if (at > part.length / 2) return part.slice(0, at);
    return /[\ud800-\udbff]$/.test(part) ? part.slice(0, -1) : part;
  }
  const at = part.indexOf("\n");
  if (at !== -1 && at < part.length / 2) return part.slice(at + 1);
  return /^[\udc00-\udfff]/.test(part) ? part.slice(1) : part;
}

/** Lines that look like failures, the first `max`, each cut. */
export function failureLines(text: string, max = maxFailures): string[] {
  const lines: string[] = [];
  let from = 0;
  while (from < text.length && lines.length < max) {
    const eol = text.indexOf("\n", from);
    const end = eol === -1 ? text.length : eol;
    // Very long lines are data, not messages; only their beginning is looked at.
    const line = text.slice(from, Math.min(end, from + maxFailureLength)).trimEnd();
    if (failureLine.test(line)) lines.push(line);
    from = end + 1;
  }
  return lines;
}
