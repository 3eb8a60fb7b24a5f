/** The text for a call of a tool that does not exist (agents.md §7.2, rule 8). */
import { nearest } from "../../diagnostics/index.ts";
import { compareTexts } from "../../values/index.ts";

/** Names what may be called instead; names are sorted. */
export function unknownToolText(name: string, known: Iterable<string>): string {
  const names = [...known].sort(compareTexts);
  const near = nearest(name, names);
  const hint = near === undefined ? "" : ` Did you mean '${near}'?`;
  return `Unknown tool '${name}'.${hint} Tool calls must be one of: [${names.join(", ")}]`;
}
