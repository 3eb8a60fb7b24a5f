/** The option `tool_search` (agents.md §9), and who searches: the vendor's own tool, or the loop. */

import { Dict, List, shownValue, thrown, typeOf, type Value } from "../../../values/index.ts";
import type { Capabilities, JsonObject } from "../../llm/index.ts";
import type { ToolSet } from "../types.ts";

export type SearchVariant = "bm25" | "regex" | "hybrid";

/** How the loop searches: by itself, or by asking the program around the runtime. */
export type SearchStrategy = SearchVariant | HostStrategy;
export type HostStrategy = "semantic" | "host";

export interface ToolSearchOptions {
  readonly variant: SearchVariant;
  readonly mode: "auto" | "native" | "client";
  /** How the loop searches; the variant unless given. */
  readonly strategy: SearchStrategy;
  readonly alwaysLoaded: ReadonlySet<string>;
  readonly budgetTokens: number | null;
  /** Name of the loop's own search tool; null is the usual one. */
  readonly name: string | null;
  /** Names and first sentences of the tools that can be found stand in the system text. */
  readonly includeStubListing: boolean;
}

/** Name of the tool that the loop itself answers. */
export const usualSearchTool = "__harn_tool_search";

const variants: readonly Value[] = ["bm25", "regex", "hybrid"];
const isVariant = (value: Value): value is SearchVariant => variants.includes(value);
const isStrategy = (value: Value): value is SearchStrategy =>
  isVariant(value) || value === "semantic" || value === "host";

/** Reads the option; nil when it is off. `caller` begins the error texts. */
export function readToolSearch(value: Value | undefined, caller: string): ToolSearchOptions | null {
  if (value === undefined || value === null || value === false) return null;
  const fail = (text: string): never => {
    throw thrown(`${caller}tool_search${text}`);
  };
  if (value === true) return optionsOf(new Dict(), fail);
  if (typeof value === "string") return optionsOf(Dict.of({ variant: value }), fail);
  if (value instanceof Dict) return optionsOf(value, fail);
  return fail(`: expected bool, string, dict, or nil; got ${typeOf(value)}`);
}

function optionsOf(dict: Dict, fail: (text: string) => never): ToolSearchOptions {
  for (const key of ["variant", "mode", "strategy", "name"]) {
    const value = dict.get(key) ?? null;
    if (value !== null && typeof value !== "string") fail(`.${key}: expected a string`);
  }
  const variant = dict.get("variant") ?? "bm25";
  if (!isVariant(variant))
    fail(`.variant: expected "bm25", "regex", or "hybrid", got ${shownValue(variant)}`);
  const mode = dict.get("mode") ?? "auto";
  if (mode !== "auto" && mode !== "native" && mode !== "client")
    fail(`.mode: expected "auto" | "native" | "client", got ${shownValue(mode)}`);
  const strategy = dict.get("strategy") ?? variant;
  if (!isStrategy(strategy))
    fail(`.strategy: expected "bm25", "regex", "hybrid", "semantic", or "host", got ${shownValue(strategy)}`);
  const name = dict.get("name") ?? null;
  const budget = dict.get("budget_tokens") ?? null;
  if (budget !== null && typeof budget !== "number") fail(".budget_tokens: expected an integer");
  if (typeof budget === "number" && budget < 1)
    fail(`.budget_tokens: expected a positive int, got ${shownValue(budget)}`);
  const listing = dict.get("include_stub_listing") ?? false;
  if (typeof listing !== "boolean") fail(".include_stub_listing: expected a bool");
  return {
    variant: variant as SearchVariant,
    mode: mode as ToolSearchOptions["mode"],
    strategy: strategy as SearchStrategy,
    alwaysLoaded: new Set(namesOf(dict.get("always_loaded") ?? null, fail)),
    budgetTokens: budget as number | null,
    name: name as string | null,
    includeStubListing: listing as boolean,
  };
}

function namesOf(value: Value, fail: (text: string) => never): string[] {
  if (value === null) return [];
  const names = value instanceof List ? [...value] : [null];
  if (names.every((name) => typeof name === "string")) return names as string[];
  return fail(".always_loaded: expected a list of tool names");
}

// ── who searches ──────────────────────────────────────────────────────────────────────────────────────────────────

export interface SearchRoute {
  readonly provider: string;
  readonly model: string;
  readonly capabilities: Capabilities;
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
      `${caller}tool_search: all tools have defer_loading set. Leave at least one loaded, or name it in \`always_loaded\`.`,
    );
  if (options.mode === "client") return { mode: "client" };
  if (route.native && (route.forced || hasSearch(options, route.capabilities)))
    return { mode: "native", providerTools: [searchEntry(options, deferred, route)] };
  if (options.mode === "auto") return { mode: "client" };
  const { provider, model } = route;
  throw thrown(
    `${caller}tool_search: provider "${provider}" does not expose native tool-search for model "${model}"; use \`mode: "client"\` (or leave the mode out)`,
  );
}

/** A vendor's search takes its own variants; one that offers no choice takes any but the combination. */
function hasSearch(options: ToolSearchOptions, { defer_loading, tool_search }: Capabilities): boolean {
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
export function withLoaded(set: ToolSet, loaded: ReadonlySet<string>): ToolSet {
  if (loaded.size === 0) return set;
  const entries = set.entries.map((entry) =>
    entry.deferLoading && loaded.has(entry.name) ? { ...entry, deferLoading: false } : entry,
  );
  return { entries, byName: new Map(entries.map((entry) => [entry.name, entry])) };
}
