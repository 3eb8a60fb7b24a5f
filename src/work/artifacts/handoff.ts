/**
 * Hand-offs: how one persona gives its work to another, or to a person (builtins.md §2.21). A hand-off is a dict of its own
 * type; as an artifact it travels in an artifact's `data`.
 */

import type { Task } from "../../interp/index.ts";
import { newId } from "../../interp/index.ts";
import { at, row, rows } from "../../table/index.ts";
import { type Argument, Dict, jsonStringify, List, textOf, type Value } from "../../values/index.ts";
import { isArtifact, makeArtifact, unixSeconds } from "./record.ts";

const target = rows(() => ({ kind: row.filled().required(), label: row.filled().required() }), {
  others: "kept in the hand-off",
});

/** What is looked at; the rest is kept as it is. */
const handoffFields = rows(
  () => ({
    source_persona: row.words().required(),
    target_persona_or_human: row.dict(target).required(),
    task: row.words().required(),
    reason: row.words().required(),
    confidence: row.number("", null, { min: 0, max: 1 }),
    metadata: row.dict(null).or(new Dict()),
  }),
  { others: "kept in the hand-off" },
);

/** The hand-off in a payload, a hand-off or an artifact of one. */
export function handoffOf(task: Task, input: Argument): Dict {
  const payload = isArtifact(input) ? input.get("data") : input;
  const read = row
    .dict(handoffFields)
    .read(payload ?? null, at("handoff", payload instanceof Dict ? "" : "payload"));
  const given = payload as Dict;
  const field = (name: string): Value => given.get(name) ?? null;
  return Dict.of({
    _type: "handoff_artifact",
    kind: "handoff",
    id: field("id") ?? `handoff_${newId(task)}`,
    source_persona: read.sourcePersona,
    target_persona_or_human: Dict.of({ id: null }).merge(field("target_persona_or_human") as Dict),
    task: read.task,
    reason: read.reason,
    evidence_refs: new List(handoffItems(given, "evidence_refs").map(evidenceRef)),
    files_or_entities_touched: texts(given, "files_or_entities_touched"),
    open_questions: texts(given, "open_questions"),
    blocked_on: texts(given, "blocked_on"),
    requested_capabilities: texts(given, "requested_capabilities"),
    allowed_side_effects: texts(given, "allowed_side_effects"),
    budget_remaining: field("budget_remaining"),
    deadline_checkback: field("deadline_checkback"),
    confidence: field("confidence"),
    parent_run_id: field("parent_run_id"),
    receipt_links: new List(handoffItems(given, "receipt_links")),
    created_at: field("created_at") ?? unixSeconds(task),
    metadata: read.metadata,
  });
}

/** A list; one thing alone counts as a list of it. */
function handoffItems(payload: Dict, name: string): Value[] {
  const value = payload.get(name) ?? null;
  if (value === null) return [];
  return value instanceof List ? value.toArray() : [value];
}

const texts = (payload: Dict, name: string): List =>
  new List(handoffItems(payload, name).map((item) => textOf(item)));

/** An id, an artifact, or what is a reference already. */
function evidenceRef(ref: Value): Dict {
  if (!(ref instanceof Dict)) return Dict.of({ artifact_id: textOf(ref), label: null });
  if (isArtifact(ref))
    return Dict.of({ artifact_id: ref.get("id") ?? null, label: ref.get("title") ?? null });
  return Dict.of({ artifact_id: null, label: null }).merge(ref);
}

// ── as text ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** What the receiver reads. Parts that say nothing are left out. */
export function handoffText(handoff: Dict): string {
  const target = handoff.get("target_persona_or_human") as Dict;
  const lines = [
    `Handoff from ${textOf(handoff.get("source_persona"))} to ${textOf(target.get("label"))} (${textOf(target.get("kind"))})`,
    `Task: ${textOf(handoff.get("task"))}`,
    `Reason: ${textOf(handoff.get("reason"))}`,
    ...listed("Evidence", handoff.get("evidence_refs"), evidenceText),
    ...listed("Files or entities touched", handoff.get("files_or_entities_touched"), textOf),
    ...listed("Open questions", handoff.get("open_questions"), textOf),
    ...listed("Blocked on", handoff.get("blocked_on"), textOf),
    ...listed("Requested capabilities", handoff.get("requested_capabilities"), textOf),
    ...listed("Allowed side effects", handoff.get("allowed_side_effects"), textOf),
    ...single("Budget remaining", handoff.get("budget_remaining")),
    ...single("Deadline checkback", handoff.get("deadline_checkback")),
    ...single("Confidence", handoff.get("confidence")),
  ];
  return lines.join("\n");
}

function listed(title: string, values: Argument, text: (value: Value) => string): string[] {
  if (!(values instanceof List) || values.length === 0) return [];
  return [`${title}:`, ...values.toArray().map((value) => `- ${text(value)}`)];
}

function single(title: string, value: Argument): string[] {
  if (value === undefined || value === null) return [];
  return [
    `${title}: ${value instanceof Dict || value instanceof List ? jsonStringify(value) : textOf(value)}`,
  ];
}

function evidenceText(ref: Value): string {
  const parts = ref instanceof Dict ? [ref.get("label"), ref.get("artifact_id")] : [ref];
  const [first = "", second] = parts
    .filter((part) => part !== undefined && part !== null)
    .map((part) => textOf(part));
  return second === undefined ? first : `${first} (${second})`;
}

export function handoffArtifact(task: Task, input: Argument): Dict {
  const handoff = handoffOf(task, input);
  const target = handoff.get("target_persona_or_human") as Dict;
  const evidence = (handoff.get("evidence_refs") as List).toArray() as Dict[];
  const lineage = evidence.map((ref) => ref.get("artifact_id") ?? null).filter((id) => id !== null);
  return makeArtifact(
    task,
    "handoff_artifact",
    Dict.of({
      kind: "handoff",
      title: `Handoff to ${textOf(target.get("label"))}`,
      text: handoffText(handoff),
      data: handoff,
      source: handoff.get("source_persona") ?? null,
      created_at: handoff.get("created_at") ?? null,
      lineage: new List(lineage),
    }),
  );
}
