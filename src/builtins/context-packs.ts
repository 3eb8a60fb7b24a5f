/** What repeated friction suggests to write down once, and the manifests of such packs (builtins.md §2.21). */
import { Dict, display, Float, List, runtimeError, typeOf, type Value } from "../values/index.ts";
import { type Given, intOr, numberOf, option, textOf } from "./arguments.ts";
import { type FrictionKind, frictionEvent } from "./friction-events.ts";

/** What would end each kind of friction. */
const remedies: Readonly<Record<FrictionKind, string>> = {
  repeated_query: "context_pack",
  repeated_clarification: "context_pack",
  missing_context: "context_pack",
  failed_assumption: "context_pack",
  human_hypothesis: "context_pack",
  approval_stall: "approval_policy",
  manual_handoff: "handoff_template",
  tool_gap: "tool",
  expensive_model_used_for_deterministic_step: "script",
};

/** The same thing again: same kind, same tool, same hint, else the same words but for numbers. */
function recurrenceKey(event: Dict): string {
  const hints = event.get("recurrence_hints");
  const hint = hints instanceof List && hints.length > 0 ? display(hints.toArray()[0] ?? null) : undefined;
  const words = textOf(event.get("redacted_summary"))
    .toLowerCase()
    .replaceAll(/\d+/g, "#")
    .replaceAll(/\s+/g, " ");
  return [event.get("kind"), event.get("tool"), event.get("provider"), hint ?? words.trim()]
    .map((part) => display(part ?? null))
    .join("\0");
}

const snakeName = (text: string): string =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .join("_");

const sum = (events: readonly Dict[], key: string): number =>
  events.reduce((total, event) => total + (numberOf(event.get(key)) ?? 0), 0);

export function suggestions(given: Given, options: Given): List {
  if (!(given instanceof List)) throw runtimeError("context_pack_suggestions: events must be a list");
  const groups = new Map<string, Dict[]>();
  for (const one of given.toArray()) {
    const event = frictionEvent(one, null);
    const key = recurrenceKey(event);
    groups.set(key, [...(groups.get(key) ?? []), event]);
  }
  const least = Math.max(1, intOr(option(options, "min_occurrences"), 2));
  const found = [...groups.values()].filter((group) => group.length >= least);
  found.sort((a, b) => b.length - a.length);
  return new List(found.map((group) => suggestionOf(group, textOf(option(options, "owner"), "unassigned"))));
}

function suggestionOf(group: readonly Dict[], owner: string): Dict {
  const [first = new Dict()] = group;
  const kind = textOf(first.get("kind")) as FrictionKind;
  const summary = textOf(first.get("redacted_summary"));
  const later = group.slice(1);
  const title = `${kind.replaceAll("_", " ")}: ${summary.length > 80 ? `${summary.slice(0, 79)}…` : summary}`;
  const manifest = Dict.of({ name: title, owner, description: summary });
  return Dict.of({
    _type: "context_pack_suggestion",
    id: snakeName(title),
    title,
    kind,
    recommended_artifact: remedies[kind],
    confidence: new Float(Math.min(0.95, Math.round((0.4 + 0.15 * (group.length - 1)) * 100) / 100)),
    candidate_manifest: packManifest(manifest),
    evidence: new List(group.map((event) => event.get("id") ?? null)),
    examples: new List([...new Set(group.map((event) => textOf(event.get("redacted_summary"))))].slice(0, 3)),
    estimated_savings: Dict.of({
      occurrences: group.length,
      estimated_time_saved_ms: sum(later, "estimated_time_ms"),
      estimated_cost_saved_usd: new Float(sum(later, "estimated_cost_usd")),
    }),
  });
}

/** A manifest with its id and its refresh policy; further fields stay. */
export function packManifest(given: Given): Dict {
  const name = textOf(option(given, "name")).trim();
  const owner = textOf(option(given, "owner")).trim();
  if (name === "") throw runtimeError("context_pack_manifest: missing name");
  if (owner === "") throw runtimeError("context_pack_manifest: missing owner");
  const policy = option(given, "refresh_policy");
  const refresh = (policy instanceof Dict ? policy : new Dict()) as Dict;
  const extra = given instanceof Dict ? given : new Dict();
  return Dict.of({ _type: "context_pack_manifest", version: 1, description: null, sources: new List([]) })
    .merge(extra)
    .merge(
      Dict.of({
        id: option(given, "id") ?? snakeName(name),
        name,
        owner,
        refresh_policy: refresh.has("mode") ? refresh : refresh.with("mode", "on_demand"),
      }),
    );
}

/** Whether events lead to the suggestions that were expected; an expectation names the fields that count. */
export function evalFixture(given: Given): Dict {
  if (!(option(given, "events") instanceof List))
    throw runtimeError(
      "friction_eval_fixture: expected {events, options, expected_suggestions} with a list of events",
    );
  const made = suggestions(option(given, "events"), option(given, "options"));
  const expected = option(given, "expected_suggestions") ?? new List([]);
  if (!(expected instanceof List))
    throw runtimeError(`friction_eval_fixture: expected_suggestions must be a list, got ${typeOf(expected)}`);
  const wanted = expected.toArray();
  const missing = wanted.filter((one) => !made.toArray().some((suggestion) => fits(suggestion, one)));
  return Dict.of({
    pass: missing.length === 0,
    suggestion_count: made.length,
    expected_count: wanted.length,
    missing: new List(missing),
    suggestions: made,
  });
}

function fits(value: Value, wanted: Value): boolean {
  if (!(wanted instanceof Dict)) return display(value) === display(wanted);
  return (
    value instanceof Dict && [...wanted.entries()].every(([key, part]) => fits(value.get(key) ?? null, part))
  );
}
