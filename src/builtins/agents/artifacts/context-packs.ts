/** What repeated friction suggests to write down once (builtins.md §2.21). */

import type { Task } from "../../../interp/index.ts";
import { bm25Words } from "../../../model/index.ts";
import { at, inside, refusal, subject } from "../../../table/index.ts";
import {
  compareTexts,
  Dict,
  display,
  Float,
  List,
  runtimeError,
  sha256Hex,
  type Value,
} from "../../../values/index.ts";
import { type Argument, intOr, numberOf, option, textOf } from "../../arguments.ts";
import { type FrictionKind, frictionEvent, frictionState } from "../../observe/friction-events.ts";
import { wallClock } from "../../time/clock-state.ts";
import { isoTime } from "../../time/iso-time.ts";
import { candidateManifest, textsOf } from "./context-pack-manifests.ts";

/** What would end a kind of friction, where it isn't knowledge alone. */
const remedies: Readonly<Partial<Record<FrictionKind, string>>> = {
  approval_stall: "workflow",
  manual_handoff: "workflow",
  tool_gap: "both",
  failed_assumption: "both",
  expensive_model_used_for_deterministic_step: "both",
};

/** By how often it happened, from twice on. */
const confidences = [0.62, 0.74, 0.82, 0.9] as const;

/** Once is no recurrence. */
const leastOccurrences = 2;

const field = (event: Dict, key: string): string => textOf(event.get(key) ?? undefined, "");
const frictionSummaryOf = (event: Dict): string => field(event, "redacted_summary");
const firstHint = (event: Dict): string | undefined => textsOf(event.get("recurrence_hints"))[0];

/** The same thing again. Numbers are no words: asking three times and asking seven times is the same. */
function recurrenceKey(event: Dict): string {
  const same = firstHint(event) ?? bm25Words(frictionSummaryOf(event).replaceAll(/\p{N}+/gu, " ")).join(" ");
  return [...["kind", "source", "tool", "provider"].map((key) => field(event, key)), same].join("\0");
}

const sumOfCosts = (events: readonly Dict[], key: string): number =>
  events.reduce((total, event) => total + (numberOf(event.get(key)) ?? 0), 0);

/** The events given, those in a dict's `events`, or those that the run recorded. */
function eventsOf(task: Task, value: Argument): readonly Value[] {
  const events = value instanceof Dict ? option(value, "events") : (value ?? undefined);
  if (events === undefined && !(value instanceof Dict)) return task.runtime.state(frictionState).events;
  if (events instanceof List) return events.toArray();
  throw refusal(at("context_pack_suggestions", "events"), "list", events);
}

export function suggestions(task: Task, value: Argument, options: Argument): List {
  const groups = new Map<string, Dict[]>();
  for (const one of eventsOf(task, value)) {
    const event = frictionEvent(one, { id: null, timestamp: null });
    const key = recurrenceKey(event);
    groups.set(key, [...(groups.get(key) ?? []), event]);
  }
  const least = Math.max(leastOccurrences, intOr(option(options, "min_occurrences"), leastOccurrences));
  const owner = option(options, "owner");
  const found = [...groups]
    .filter(([, group]) => group.length >= least)
    .map(([key, group]) => ({ group, dict: suggestionOf(task, key, group, owner) }));
  found.sort(
    (a, b) => b.group.length - a.group.length || compareTexts(field(a.dict, "title"), field(b.dict, "title")),
  );
  return new List(found.map(({ dict }) => dict));
}

function suggestionOf(task: Task, key: string, group: readonly Dict[], owner: Value | undefined): Dict {
  const [first = new Dict()] = group;
  const kind = field(first, "kind") as FrictionKind;
  const topic = firstHint(first) ?? frictionSummaryOf(first).trim().split(/\s+/).slice(0, 6).join(" ");
  const title = [field(first, "source"), topic, "context pack"].filter((part) => part !== "").join(" ");
  const later = group.slice(1);
  const ids = group.map((event) => event.get("id") ?? null).filter((id) => id !== null);
  const digest = sha256Hex(task.runtime.host.crypto, key).slice(0, 12);
  return Dict.of({
    _type: "context_pack_suggestion",
    id: `context_pack_suggestion_${digest}`,
    title,
    recommended_artifact: remedies[kind] ?? "context_pack",
    confidence: new Float(confidences[Math.min(group.length, 5) - leastOccurrences] as number),
    candidate_manifest: candidateManifest(title, group, owner),
    evidence: new List(group.map(evidenceOf)),
    examples: new List([...new Set(group.map(frictionSummaryOf))].slice(0, 3)),
    estimated_savings: Dict.of({
      occurrences: group.length,
      estimated_time_saved_ms: sumOfCosts(later, "estimated_time_ms"),
      estimated_cost_saved_usd: new Float(sumOfCosts(later, "estimated_cost_usd")),
    }),
    risk_privacy_notes: new List([...privacyNotes(group)]),
    source_event_ids: new List(ids),
    created_at: isoTime(wallClock(task)),
    metadata: Dict.of({
      kind,
      ...Object.fromEntries(["source", "tool", "provider"].map((name) => [name, first.get(name) ?? null])),
    }),
  });
}

const evidenceOf = (event: Dict): Dict =>
  Dict.of({
    event_id: event.get("id") ?? null,
    excerpt: frictionSummaryOf(event),
    actor: event.get("actor") ?? null,
    timestamp: event.get("timestamp") ?? null,
    links: event.get("links") ?? new List([]),
  });

function* privacyNotes(group: readonly Dict[]): Iterable<string> {
  yield "It holds redacted summaries only; raw prompts and contents were dropped.";
  const secrets = group.some((event) => option(event.get("metadata"), "secret_ref") !== undefined);
  if (secrets) yield "It needs secrets: it names them, whoever runs it has to have them.";
  const tenants = new Set(group.map((event) => field(event, "tenant_id")).filter((tenant) => tenant !== ""));
  if (tenants.size > 1) yield "Its events come from several tenants: look through it before it is shared.";
  if (group.some((event) => (event.get("human_hypothesis") ?? null) !== null))
    yield "It rests on what people believe: verify it before it is relied on.";
}

// ---------------------------------------------------------------- fixtures

type Expectation = (suggestion: Dict, wanted: string) => boolean;

const contextPackManifestOf = (suggestion: Dict): Value => suggestion.get("candidate_manifest") ?? null;
const containsEvidence = (text: string, part: string): boolean =>
  text.toLowerCase().includes(part.toLowerCase());

/** What an expectation may ask of one suggestion. */
const expectations: ReadonlyMap<string, Expectation> = new Map<string, Expectation>([
  ["recommended_artifact", (one, wanted) => field(one, "recommended_artifact") === wanted],
  ["title_contains", (one, wanted) => containsEvidence(field(one, "title"), wanted)],
  [
    "manifest_name_contains",
    (one, wanted) => containsEvidence(textOf(option(contextPackManifestOf(one), "name")), wanted),
  ],
  [
    "required_capability",
    (one, wanted) => textsOf(option(contextPackManifestOf(one), "capabilities")).includes(wanted),
  ],
  [
    "required_output_slot",
    (one, wanted) => textsOf(option(contextPackManifestOf(one), "output_slots")).includes(wanted),
  ],
]);

const caller = "friction_eval_fixture";

/** Whether events lead to the suggestions that were expected. */
export function evalFixture(task: Task, value: Argument): Dict {
  const events = option(value, "events");
  if (!(events instanceof List))
    throw runtimeError(`${caller}: expected {events, options, expected_suggestions} with a list of events`);
  const expected = option(value, "expected_suggestions") ?? new List([]);
  if (!(expected instanceof List)) throw refusal(at(caller, "expected_suggestions"), "list", expected);
  const made = suggestions(task, events, option(value, "options"));
  const failures = expected.toArray().flatMap((one, index) => {
    const failure = failureOf(made, one, index);
    return failure === undefined ? [] : [`expected_suggestions[${index}]: ${failure}`];
  });
  return Dict.of({
    pass: failures.length === 0,
    failures: new List(failures),
    event_count: events.length,
    suggestion_count: made.length,
    suggestions: made,
  });
}

/** What is wrong with an expectation itself is an error: it could never fail, or never pass. */
function failureOf(made: List, expectation: Value, index: number): string | undefined {
  const place = at(caller, `expected_suggestions[${index}]`);
  if (!(expectation instanceof Dict)) throw refusal(place, "dict", expectation);
  const wanted: [string, string][] = [];
  for (const [key, value] of expectation.entries()) {
    if (key === "min_suggestions" || value === null) continue;
    if (!expectations.has(key)) {
      const known = ["min_suggestions", ...expectations.keys()].join(", ");
      throw runtimeError(`${subject(place)}: unknown expectation '${key}'; known are ${known}`);
    }
    if (typeof value !== "string") throw refusal(inside(place, key), "string", value);
    wanted.push([key, value]);
  }
  const least = option(expectation, "min_suggestions");
  if (least !== undefined && numberOf(least) === undefined)
    throw refusal(inside(place, "min_suggestions"), "float", least);
  if (least !== undefined && made.length < (numberOf(least) as number))
    return `expected at least ${display(least)} suggestions, got ${made.length}`;
  if (wanted.length === 0) return undefined;
  const fits = (one: Value): boolean =>
    one instanceof Dict && wanted.every(([key, value]) => expectations.get(key)?.(one, value) === true);
  if (made.toArray().some(fits)) return undefined;
  const asked = wanted.map(([key, value]) => `${key} '${value}'`).join(", ");
  return `no suggestion has ${asked}; there are ${titles(made)}`;
}

const titles = (made: List): string =>
  made.length === 0
    ? "none"
    : made
        .toArray()
        .map((one) => `'${textOf(option(one, "title"))}'`)
        .join(", ");
