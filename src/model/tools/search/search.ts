/** Searching the tools that a model has not been told of: by words, by a pattern, or both. */

import { textField } from "../../../values/index.ts";
import { chatTool, type JsonObject } from "../../llm/index.ts";
import { rankByWords } from "../../values/bm25.ts";
import type { PatternMatcher } from "../../values/schema-pattern.ts";
import type { ToolEntry } from "../types.ts";
import type { SearchVariant } from "./options.ts";

/** Tools that one search finds at most. */
const maxFound = 5;

/** Names of the tools that fit, best first. A blank query and a pattern that is none find nothing. */
export function searchTools(
  entries: readonly ToolEntry[],
  query: string,
  strategy: SearchVariant,
  matches: PatternMatcher,
): string[] {
  if (query.trim() === "") return [];
  const texts = entries.map(toolSearchText);
  const byWords = strategy === "regex" ? [] : rankByWords(query, texts).map(({ index }) => index);
  const byPattern =
    strategy === "bm25" ? [] : texts.flatMap((text, index) => (fits(matches, query, text) ? [index] : []));
  const found = [...new Set([...byWords, ...byPattern])].slice(0, maxFound);
  return found.map((index) => (entries[index] as ToolEntry).name);
}

const fits = (matches: PatternMatcher, pattern: string, text: string): boolean =>
  matches(`(?i)${pattern}`, text) === true;

/** Name, description, names and descriptions of the parameters, and the server (`NAME`, `mcp:NAME`) that has the tool. */
function toolSearchText(entry: ToolEntry): string {
  const properties = (entry.inputSchema.properties ?? {}) as JsonObject;
  const parameters = Object.entries(properties).map(([name, schema]) => {
    const about = typeof schema === "object" && schema !== null ? (schema as JsonObject).description : "";
    return `${name} ${typeof about === "string" ? about : ""}`;
  });
  const server = entry.mcpServer ?? textField(entry.raw, "_mcp_server");
  const origin = server === "" ? [] : [`${server} mcp:${server}`];
  return [entry.name, entry.description, ...parameters, ...origin].join("\n");
}

/** What a tool costs in the context of the model: its whole declaration, as it is sent. */
export const wordsIn = (entry: ToolEntry): number =>
  Math.ceil(
    JSON.stringify(
      chatTool({ name: entry.name, description: entry.description, parameters: entry.inputSchema }),
    ).length / 4,
  );

/**
 * The promotions after a search, oldest first: what was found is the newest, the best match last of all; the oldest
 * give way while there are more tokens than the budget has.
 */
export function promote(
  promoted: readonly string[],
  found: readonly string[],
  budgetTokens: number | null,
  tokens: (name: string) => number,
): string[] {
  const next = [...promoted.filter((name) => !found.includes(name)), ...[...found].reverse()];
  if (budgetTokens === null) return next;
  let sum = next.reduce((total, name) => total + tokens(name), 0);
  while (next.length > 1 && sum > budgetTokens) sum -= tokens(next.shift() as string);
  return next;
}
