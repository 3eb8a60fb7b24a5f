/**
 * Run records (agents.md §19.2): what a run of a workflow did, complete enough to judge, compare, replay and go on. A
 * record is plain data: what JSON has no form for (functions in a stage's result) is null in it.
 */

import type { Task } from "../../../interp/index.ts";
import { newId } from "../../../interp/index.ts";
import { at, readRows, row, rows } from "../../../table/index.ts";
import {
  Dict,
  Float,
  fromJson,
  isInt,
  List,
  toJson,
  type Value,
  withoutNilEntries,
} from "../../../values/index.ts";
import { handoffOf } from "../../artifacts/handoff.ts";
import { fixtureOf } from "./fixture.ts";
import { observabilityOf } from "./observability.ts";
import { dictItemsOf, field } from "./record-fields.ts";

const listFields = [
  "stages",
  "transitions",
  "checkpoints",
  "pending_nodes",
  "completed_nodes",
  "child_runs",
  "artifacts",
  "trace_spans",
  "tool_recordings",
  "hitl_questions",
];
const dictFields = [
  "metadata",
  "usage",
  "transcript",
  "policy",
  "execution",
  "replay_fixture",
  "observability",
];

/** A complete record of the fields given; fields that the format doesn't know are kept. */
export function makeRecord(task: Task, name: string, input: Value | undefined): Dict {
  const fields = withoutNilEntries(plainDict(row.dict(null).read(input ?? null, at(name, "record"))));
  readRows(fields, recordFields, at(name));
  const id = fields.get("id") ?? `run_${newId(task)}`;
  const stages = dictItemsOf(fields, "stages");
  const whole = emptyRecord(task)
    .merge(fields)
    .merge(
      Dict.of({
        _type: "run_record",
        id,
        root_run_id: fields.get("root_run_id") ?? fields.get("parent_run_id") ?? id,
      }),
    )
    .with("stages", new List(stages.map((stage, index) => stageOf(id, stage, index))));
  const used = fields.has("usage") ? whole : whole.with("usage", summedUsage(dictItemsOf(whole, "stages")));
  const handed = used.with("handoffs", new List(handoffsOf(task, used)));
  return handed.merge(
    Dict.of({
      replay_fixture: fields.get("replay_fixture") ?? fixtureOf(handed),
      observability: observabilityOf(handed),
    }),
  );
}

/** Without what only lives in this process. */
export const plainDict = (value: Dict): Dict => fromJson(toJson(value)) as Dict;

const alike = <R>(names: readonly string[], one: R): Record<string, R> =>
  Object.fromEntries(names.map((name) => [name, one]));

/** What is looked at; other fields are kept. */
const recordFields = rows(
  () => ({
    ...alike(["id", "status", "task", "workflow_id"], row.text()),
    ...alike([...listFields, "handoffs"], row.handle<List>("list")),
    ...alike(dictFields, row.dict(null)),
  }),
  { others: "kept in the record" },
);

const emptyRecord = (task: Task): Dict =>
  Dict.of({
    workflow_id: null,
    workflow_name: null,
    task: "",
    status: "completed",
    started_at: newId(task),
    finished_at: null,
    parent_run_id: null,
    policy: null,
    execution: null,
    transcript: null,
    metadata: new Dict(),
    persisted_path: null,
    ...Object.fromEntries(listFields.map((key) => [key, new List([])])),
  });

function stageOf(run: Value, stage: Dict, index: number): Dict {
  const node = field(stage, "node_id") ?? `stage_${index + 1}`;
  return Dict.of({
    id: `${String(run)}:${String(node)}:${index + 1}`,
    node_id: node,
    kind: "stage",
    status: "completed",
    outcome: "success",
    branch: null,
    started_at: null,
    finished_at: null,
    visible_text: null,
    transcript: null,
    verification: null,
    usage: noRecordedUsage(),
    artifacts: new List([]),
    consumed_artifact_ids: new List([]),
    produced_artifact_ids: new List([]),
    attempts: new List([]),
    metadata: new Dict(),
  }).merge(withoutNilEntries(stage));
}

// ── usage ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const counted = ["input_tokens", "output_tokens", "total_tokens", "llm_calls", "duration_ms"];

export const noRecordedUsage = (): Dict =>
  Dict.of({ ...Object.fromEntries(counted.map((key) => [key, 0])), cost_usd: new Float(0) });

export function summedUsage(parts: readonly Dict[]): Dict {
  const usages = parts.flatMap((part) => {
    const usage = part.get("usage");
    return usage instanceof Dict ? [usage] : [];
  });
  return addUsage(usages);
}

export function addUsage(usages: readonly Dict[]): Dict {
  const sum = (key: string): number =>
    usages.reduce((total, usage) => {
      const value = usage.get(key);
      if (value instanceof Float) return total + value.value;
      return isInt(value) ? total + Number(value) : total;
    }, 0);
  return Dict.of({
    ...Object.fromEntries(counted.map((key) => [key, sum(key)])),
    cost_usd: new Float(sum("cost_usd")),
  });
}

// ── hand-offs ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Those in the record and those among its artifacts, each once, with a receipt of this run first. */
function handoffsOf(task: Task, run: Dict): Dict[] {
  const artifacts = [
    ...dictItemsOf(run, "artifacts"),
    ...dictItemsOf(run, "stages").flatMap((s) => dictItemsOf(s, "artifacts")),
  ];
  const found = [
    ...dictItemsOf(run, "handoffs"),
    ...artifacts.filter((item) => item.get("kind") === "handoff" || item.get("_type") === "handoff_artifact"),
  ].map((item) => handoffOf(task, item));
  const seen = new Set<Value>();
  const distinct = found.filter((handoff) => {
    const id = field(handoff, "id");
    return !seen.has(id) && seen.add(id);
  });
  return distinct.map((handoff) => withReceipt(run, handoff));
}

function withReceipt(run: Dict, handoff: Dict): Dict {
  const links = dictItemsOf(handoff, "receipt_links");
  const own = Dict.of({
    kind: "run_receipt",
    run_id: field(run, "id"),
    run_path: field(run, "persisted_path"),
  });
  const others = links.filter((link) => link.get("run_id") !== field(run, "id"));
  return handoff.merge(
    Dict.of({
      parent_run_id: field(handoff, "parent_run_id") ?? field(run, "id"),
      receipt_links: new List([own, ...others]),
    }),
  );
}
