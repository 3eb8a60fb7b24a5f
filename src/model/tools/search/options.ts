/** The option `tool_search` (agents.md §9), and who searches: the vendor's own tool, or the loop. */

import { type ReadRow, row, rows } from "../../../table/index.ts";
import { thrown } from "../../../values/index.ts";
import type { JsonObject, ModelCapabilities } from "../../llm/index.ts";
import type { ToolSet } from "../types.ts";

const searchVariants = ["bm25", "regex", "hybrid"] as const;
export type SearchVariant = (typeof searchVariants)[number];

/** `tool_search` (agents.md §9). */
export const toolSearchFields = rows(() => ({
  variant: row.oneOf(searchVariants, "How tools are found.", "bm25"),
  mode: row.oneOf(
    ["auto", "native", "client"],
    "Who searches: the vendor's own tool, the loop, or whichever is there.",
    "auto",
  ),
  strategy: row.oneOf(
    [...searchVariants, "semantic", "host"],
    "How the loop itself searches; the variant unless given. `semantic` and `host` ask the host (`tool_search.query`).",
  ),
  always_loaded: row.list(row.text(), "Tools that are shown from the beginning.").full().or([]).bounds(),
  budget_tokens: row
    .int("Tokens that the tools which were found may take of the request.", null, { min: 1 })
    .bounds(),
  name: row.text("Name of the loop's own search tool.", "__harn_tool_search"),
  include_stub_listing: row.bool(
    "Names and first sentences of the tools that can be found stand in the system text.",
    false,
  ),
}));

export const toolSearchRow = () =>
  row
    .either(
      [row.bool(), row.oneOf(searchVariants), row.dict(toolSearchFields)],
      "Show deferred tools only when the model looks for them.",
    )
    .to((read) => {
      if (read === false) return null;
      const { usual } = toolSearchFields;
      const said = read === true ? usual : typeof read === "string" ? { ...usual, variant: read } : read;
      return { ...said, strategy: said.strategy ?? said.variant };
    });
export type ToolSearchOptions = NonNullable<ReadRow<typeof toolSearchRow>>;

// ── who searches ──────────────────────────────────────────────────────────────────────────────────────────────────

export interface SearchRoute {
  readonly provider: string;
  readonly model: string;
  readonly capabilities: ModelCapabilities;
  /** Tools go out through the vendor's own channel. */
  readonly native: boolean;
  /** `{<provider>: {force_native_tool_search: true}}` */
  readonly forced: boolean;
}

/** How a set of tools is disclosed: entries for the vendor, or a search of our own; null: nothing is deferred. */
export type Disclosure =
  | { readonly mode: "native"; readonly providerTools: JsonObject[] }
  | { readonly mode: "client" }
  | null;

/** Decides who searches. `set` holds what stays deferred: tools that are always loaded are not. */
export function disclosureOf(
  options: ToolSearchOptions,
  set: ToolSet,
  route: SearchRoute,
  caller: string,
): Disclosure {
  const deferred = set.entries.filter((entry) => entry.deferLoading);
  if (deferred.length === 0) return null;
  if (deferred.length === set.entries.filter(({ origin }) => origin !== "runtime").length)
    throw thrown(
      `${caller}: tool_search: all tools have defer_loading set. Leave at least one loaded, or name it in \`always_loaded\`.`,
    );
  if (options.mode === "client") return { mode: "client" };
  if (route.native && (route.forced || hasSearch(options, route.capabilities)))
    return { mode: "native", providerTools: [searchEntry(options, deferred, route)] };
  if (options.mode === "auto") return { mode: "client" };
  const { provider, model } = route;
  throw thrown(
    `${caller}: tool_search: provider "${provider}" does not expose native tool-search for model "${model}"; use \`mode: "client"\` (or leave the mode out)`,
  );
}

/** A vendor's search takes its own variants; one that offers no choice takes any but the combination. */
function hasSearch(options: ToolSearchOptions, { defer_loading, tool_search }: ModelCapabilities): boolean {
  if (!defer_loading || tool_search.length === 0) return false;
  return tool_search.includes("hosted") || tool_search.includes(options.variant);
}

function searchEntry(
  options: ToolSearchOptions,
  deferred: ToolSet["entries"],
  route: SearchRoute,
): JsonObject {
  if (route.provider === "anthropic" && !route.forced) {
    // The vendor's names are fixed; `name` is that of the loop's own tool.
    const name = `tool_search_tool_${options.variant}`;
    return { type: `${name}_20251119`, name };
  }
  const namespaces = [...new Set(deferred.flatMap(({ namespace }) => namespace ?? []))].sort();
  return { type: "tool_search", mode: "hosted", ...(namespaces.length === 0 ? {} : { namespaces }) };
}

/** The set with tools that are always loaded taken out of deferral. */
export function withLoaded(set: ToolSet, loaded: readonly string[]): ToolSet {
  if (loaded.length === 0) return set;
  const entries = set.entries.map((entry) =>
    entry.deferLoading && loaded.includes(entry.name) ? { ...entry, deferLoading: false } : entry,
  );
  return { entries, byName: new Map(entries.map((entry) => [entry.name, entry])) };
}
