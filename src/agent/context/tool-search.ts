/**
 * Progressive disclosure by the loop itself (agents.md §9): deferred tools are hidden behind a search tool; what a search
 * finds is shown from the next turn on, within a budget of tokens.
 */
import type { Runtime, Task } from "../../interp/index.ts";
import type { StructuralTool, ToolEntry } from "../../model/index.ts";
import {
  type PatternMatcher,
  patternMatcher,
  promote,
  runtimeTool,
  searchTools,
  type ToolSearchOptions,
  wordsIn,
} from "../../model/index.ts";
import { Dict, display, jsonStringify, List, proceed, type Value } from "../../values/index.ts";
import type { Loop } from "../state/loop-state.ts";
import { emitNamed, type Turn } from "../state/requests.ts";
import { callHost, serverErrorText } from "../tools/index.ts";
import { isDeferredTool, isOffered, refreshVisible } from "./visible-tools.ts";

/** The tool as the model sees it. It is answered by `searchAnswer`, before any policy is asked: it only looks. */
export function searchTool(options: ToolSearchOptions): ToolEntry {
  const how =
    options.strategy === "regex"
      ? "a regular expression over names, descriptions and parameters"
      : "words that say what you want to do";
  return runtimeTool({
    name: options.name,
    description: `Finds further tools that you have not been told of. Those it finds can be called from your next turn on. \`query\`: ${how}.`,
    parameters: { query: { type: "string", required: true } },
    run: () => "",
  });
}

interface Finds {
  readonly names: readonly string[];
  /** Why there are none, or what the host says of them. */
  readonly diagnostic: string | undefined;
}

/** Answers a search: the names found, as JSON. */
export function searchAnswer(loop: Loop, runtime: Runtime, options: ToolSearchOptions): StructuralTool {
  const matches = patternMatcher(runtime);
  return (task, pending) => {
    const hidden = loop.tools.entries.filter(
      (entry) => isDeferredTool(loop, entry) && isOffered(loop, entry),
    );
    const query = searchQuery(pending.arguments);
    const { strategy } = options;
    if (strategy === "semantic" || strategy === "host")
      return proceed(askHostForTools(task, hidden, query, strategy), answer);
    const names = searchTools(hidden, query, strategy, matches);
    return answer({
      names,
      diagnostic: names.length > 0 ? undefined : whyNothing(hidden, query, options, matches),
    });
  };
}

function answer({ names: found, diagnostic }: Finds): { ok: boolean; text: string; result: Value } {
  const names = new List([...found]);
  return { ok: true, text: jsonStringify(Dict.of({ tool_names: names, diagnostic })), result: names };
}

/** Names that one answer of the host may bring. */
const maxHostNames = 20;

/** The host's order is kept; names that it was not offered, or gives twice, are dropped. */
async function askHostForTools(
  task: Task,
  hidden: readonly ToolEntry[],
  query: string,
  strategy: "semantic" | "host",
): Promise<Finds> {
  const candidates = hidden.map(({ name }) => name);
  const params = Dict.of({ strategy, query, candidates: new List(candidates) });
  try {
    const said = await callHost(task, "tool_search.query", params);
    return said === undefined ? { names: [], diagnostic: noHost } : hostFinds(said, candidates);
  } catch (error) {
    return { names: [], diagnostic: `The host's search failed: ${serverErrorText(error)}` };
  }
}

const noHost = "No host answers tool searches here (tool_search.query).";

function hostFinds(said: Value, candidates: readonly string[]): Finds {
  const outer = said instanceof Dict ? said : new Dict();
  const inner = outer.get("result");
  const body = inner instanceof Dict ? inner : outer;
  const toolNames = body.get("tool_names");
  const named = toolNames instanceof List ? [...toolNames] : [];
  const known = [...new Set(named)].filter((name) => typeof name === "string" && candidates.includes(name));
  const about = body.get("diagnostic");
  const diagnostic =
    typeof about === "string" ? about : known.length > 0 ? undefined : "The host found no tool that fits.";
  return { names: known.slice(0, maxHostNames) as string[], diagnostic };
}

function whyNothing(
  hidden: readonly ToolEntry[],
  query: string,
  { strategy }: ToolSearchOptions,
  matches: PatternMatcher,
): string {
  if (hidden.length === 0) return "The index is empty: no tool is deferred.";
  if (strategy === "regex") {
    const problem = matches(query, "");
    if (typeof problem === "string") return `The pattern can't be read: ${problem}`;
  }
  return "No tool fits. Try other words.";
}

function searchQuery(args: Dict): string {
  const query = args.get("query") ?? "";
  return typeof query === "string" ? query : display(query);
}

/** After the turn: what its searches found is shown from now on. */
export function* discloseTools(loop: Loop): Turn<void> {
  const options = loop.options.toolSearch;
  if (options === null || loop.disclosure?.mode !== "client") return;
  const name = options.name;
  for (const outcome of loop.work.outcomes) {
    if (outcome === null || outcome.name !== name || !(outcome.result instanceof List)) continue;
    const found = [...outcome.result].filter((tool) => typeof tool === "string");
    const before = new Set(loop.state.slots.toolSearch.promoted);
    showFoundTools(loop, options, found);
    const added = found.filter((tool) => !before.has(tool));
    yield* report(loop, options, outcome.callId, searchQuery(outcome.arguments), found, added);
  }
}

function showFoundTools(loop: Loop, options: ToolSearchOptions, found: readonly string[]): void {
  const { toolSearch, narrowing } = loop.state.slots;
  const tokens = (name: string): number => {
    const entry = loop.tools.byName.get(name);
    return entry === undefined ? 0 : wordsIn(entry);
  };
  toolSearch.promoted = promote(toolSearch.promoted, found, options.budgetTokens, tokens);
  // Found means used, as far as narrowing is concerned: the model has had no turn to call it.
  for (const name of found) narrowing.removed.delete(name);
  narrowing.window.at(-1)?.push(...found);
  refreshVisible(loop);
}

function* report(
  loop: Loop,
  options: ToolSearchOptions,
  callId: string,
  query: string,
  found: readonly string[],
  added: readonly string[],
): Turn<void> {
  const { strategy } = options;
  const common = { tool_use_id: callId, strategy, mode: "client" };
  const name = strategy === "regex" ? "tool_search_tool_regex" : "tool_search_tool_bm25";
  yield* both(loop, "tool_search_query", { ...common, id: callId, name, query: Dict.of({ query }) });
  yield* both(loop, "tool_search_result", {
    ...common,
    promoted: new List([...added]),
    tool_references: new List(found.map((tool_name) => Dict.of({ tool_name }))),
  });
}

/** The same in the transcript and live. */
function* both(loop: Loop, kind: string, fields: Readonly<Record<string, Value>>): Turn<void> {
  loop.conversation.audit.push({
    kind,
    role: "system",
    visibility: "internal",
    text: "",
    metadata: Dict.of(fields),
  });
  if (loop.listens()) yield* emitNamed(kind, fields);
}

/** Tools that have to be searched for before they are shown. */
export const searchableTools = (loop: Loop): ToolEntry[] =>
  loop.tools.entries.filter(
    (entry) => isDeferredTool(loop, entry) && isOffered(loop, entry) && !loop.visible.byName.has(entry.name),
  );

/** A line about such a tool, for `include_stub_listing`. */
export function stubLine({ name, description }: ToolEntry): string {
  const [first = ""] = description.trim().split(/(?<=[.!?])\s|\n/);
  return first === "" ? `- ${name}` : `- ${name}: ${first}`;
}
