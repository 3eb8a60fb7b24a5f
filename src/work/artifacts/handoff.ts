/**
 * Hand-offs: how one persona gives its work to another, or to a person (builtins.md §2.21). A hand-off is a dict of its own
 * type; as an artifact it travels in an artifact's `data`.
 */

import type { Task } from "../../interp/index.ts";
import { newId } from "../../interp/index.ts";
import {
  type Argument,
  Dict,
  jsonStringify,
  List,
  numericValue,
  type ScriptError,
  shownValue,
  textOf,
  thrown,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { isArtifact, makeArtifact, unixSeconds } from "./record.ts";

function invalidHandoff(why: string): ScriptError {
  return thrown(`handoff: invalid handoff payload: ${why}`);
}

/** The hand-off in a payload, a hand-off or an artifact of one. */
export function handoffOf(task: Task, input: Argument): Dict {
  const payload = isArtifact(input) ? input.get("data") : input;
  if (!(payload instanceof Dict)) throw invalidHandoff(`a dict is wanted, got ${typeOf(payload ?? null)}`);
  const field = (name: string): Value => payload.get(name) ?? null;
  return Dict.of({
    _type: "handoff_artifact",
    kind: "handoff",
    id: field("id") ?? `handoff_${newId(task)}`,
    source_persona: needText(payload, "source_persona"),
    target_persona_or_human: target(payload),
    task: needText(payload, "task"),
    reason: needText(payload, "reason"),
    evidence_refs: new List(handoffItems(payload, "evidence_refs").map(evidenceRef)),
    files_or_entities_touched: texts(payload, "files_or_entities_touched"),
    open_questions: texts(payload, "open_questions"),
    blocked_on: texts(payload, "blocked_on"),
    requested_capabilities: texts(payload, "requested_capabilities"),
    allowed_side_effects: texts(payload, "allowed_side_effects"),
    budget_remaining: field("budget_remaining"),
    deadline_checkback: field("deadline_checkback"),
    confidence: confidence(payload),
    parent_run_id: field("parent_run_id"),
    receipt_links: new List(handoffItems(payload, "receipt_links")),
    created_at: field("created_at") ?? unixSeconds(task),
    metadata: metadata(payload),
  });
}

function needText(payload: Dict, name: string): string {
  const value = payload.get(name) ?? null;
  if (typeof value === "string" && value.trim() !== "") return value;
  throw invalidHandoff(
    value === null ? `'${name}' is missing` : `'${name}' must be a string that is not empty`,
  );
}

function target(payload: Dict): Dict {
  const name = "target_persona_or_human";
  const value = payload.get(name) ?? null;
  if (value === null) throw invalidHandoff(`'${name}' is missing`);
  if (!(value instanceof Dict))
    throw invalidHandoff(`'${name}' must be a dict {kind, id?, label}, got ${typeOf(value)}`);
  const part = (key: string) => {
    const text = value.get(key);
    if (typeof text === "string" && text !== "") return text;
    throw invalidHandoff(`'${name}.${key}' must be a string that is not empty`);
  };
  return value.merge(Dict.of({ kind: part("kind"), id: value.get("id") ?? null, label: part("label") }));
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

function confidence(payload: Dict): Value {
  const value = payload.get("confidence") ?? null;
  if (value === null) return null;
  const number = numericValue(value);
  if (number !== undefined && number >= 0 && number <= 1) return value;
  throw invalidHandoff(`'confidence' must be a number from 0 to 1, got ${shownValue(value)}`);
}

function metadata(payload: Dict): Dict {
  const value = payload.get("metadata") ?? null;
  if (value === null) return new Dict();
  if (value instanceof Dict) return value;
  throw invalidHandoff(`'metadata' must be a dict, got ${typeOf(value)}`);
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
