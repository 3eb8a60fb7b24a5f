/** What repeated friction suggests to write down once (builtins.md §2.21). */

import type { Task } from "../../../interp/index.ts";
import { bm25Words } from "../../../model/index.ts";
import { type At, at, inside, type Read, readRows, refusal, row, rows } from "../../../table/index.ts";
import { compareTexts, Dict, display, Float, List, sha256Hex, type Value } from "../../../values/index.ts";
import { type Argument, numberOf, option, optionsOf, textOf } from "../../arguments.ts";
import { type FrictionKind, frictionEvent, frictionState } from "../../observe/friction-events.ts";
import { evalFixtureFields, type suggestionFields } from "../../rows/friction.ts";
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

export function suggestions(
  task: Task,
  place: At,
  value: Argument,
  options: Read<typeof suggestionFields>,
): List {
  const groups = new Map<string, Dict[]>();
  for (const [index, one] of eventsOf(task, value).entries()) {
    const event = frictionEvent(inside(place, `[${index}]`), one, { id: null, timestamp: null });
    const key = recurrenceKey(event);
    groups.set(key, [...(groups.get(key) ?? []), event]);
  }
  const { owner } = options;
  const least = Math.max(leastOccurrences, options.minOccurrences);
  const found = [...groups]
    .filter(([, group]) => group.length >= least)
    .map(([key, group]) => ({ group, dict: suggestionOf(task, key, group, owner) }));
  found.sort(
    (a, b) => b.group.length - a.group.length || compareTexts(field(a.dict, "title"), field(b.dict, "title")),
  );
  return new List(found.map(({ dict }) => dict));
}

function suggestionOf(task: Task, key: string, group: readonly Dict[], owner: string | null): Dict {
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

const contextPackManifestOf = (suggestion: Dict): Value => suggestion.get("candidate_manifest") ?? null;
const containsEvidence = (text: string, part: string): boolean =>
  text.toLowerCase().includes(part.toLowerCase());

const expected = (doc: string, fits: (suggestion: Dict, wanted: string) => boolean) =>
  row.text(doc).to((wanted) => (suggestion: Dict) => fits(suggestion, wanted));

/** What is expected; but for the number, one suggestion has to have all of it. */
const expectationFields = rows(
  () => ({
    min_suggestions: row.number("So many suggestions at least."),
    recommended_artifact: expected(
      "What it recommends.",
      (one, wanted) => field(one, "recommended_artifact") === wanted,
    ),
    title_contains: expected("What its title has.", (one, wanted) =>
      containsEvidence(field(one, "title"), wanted),
    ),
    manifest_name_contains: expected("What the name of its manifest has.", (one, wanted) =>
      containsEvidence(textOf(option(contextPackManifestOf(one), "name")), wanted),
    ),
    required_capability: expected("What its manifest needs.", (one, wanted) =>
      textsOf(option(contextPackManifestOf(one), "capabilities")).includes(wanted),
    ),
    required_output_slot: expected("A slot of its manifest.", (one, wanted) =>
      textsOf(option(contextPackManifestOf(one), "output_slots")).includes(wanted),
    ),
  }),
  { strict: true },
);

/** Whether events lead to the suggestions that were expected. */
export function evalFixture(task: Task, fixture: Dict): Dict {
  const caller = "friction_eval_fixture";
  const { events, options, expectedSuggestions } = optionsOf(caller, fixture, evalFixtureFields);
  const made = suggestions(task, at("friction_eval_fixture", "events"), events, options);
  const failures = expectedSuggestions.flatMap((one, index) => {
    const failure = failureOf(made, one, at(caller, `expected_suggestions[${index}]`));
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

/** Why an expectation is not met. What is wrong with it itself is an error: it could never fail, or never pass. */
function failureOf(made: List, expectation: Dict, place: At): string | undefined {
  const { minSuggestions: least, ...read } = readRows(expectation, expectationFields, place);
  if (least !== null && made.length < least)
    return `expected at least ${least} suggestions, got ${made.length}`;
  const tests = Object.values(read).filter((test) => test !== null);
  if (tests.length === 0 || (made.toArray() as Dict[]).some((one) => tests.every((test) => test(one))))
    return undefined;
  const asked = [...expectation.entries()]
    .filter(([key, value]) => value !== null && key !== "min_suggestions")
    .map(([key, value]) => `${key} '${display(value)}'`);
  return `no suggestion has ${asked.join(", ")}; there are ${titles(made)}`;
}

const titles = (made: List): string =>
  made.length === 0
    ? "none"
    : made
        .toArray()
        .map((one) => `'${textOf(option(one, "title"))}'`)
        .join(", ");
