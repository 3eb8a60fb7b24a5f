/** `workflow_result_run`: what was done without a graph, as the record of a run with one stage. */

import type { Task } from "../../../interp/index.ts";
import { newId } from "../../../interp/index.ts";
import { type Argument, Dict, List, option, textOf, thrown, type Value } from "../../../values/index.ts";
import { artifactsOf, makeArtifact } from "../../artifacts/record.ts";
import { nodeUsage } from "../nodes/node-work.ts";
import { makeRecord } from "./record.ts";
import { field } from "./record-fields.ts";

export interface ResultRun {
  readonly about: Argument;
  readonly name: Argument;
  readonly result: Argument;
  readonly artifacts: Argument;
  readonly options: Argument;
}

const caller = "workflow_result_run";
const failedStatuses: ReadonlySet<string> = new Set(["failed", "provider_error", "blocked", "error"]);

/** What came out of the only stage. */
const stageParts = (result: Argument, made: readonly Dict[]): { readonly [name: string]: Value } => ({
  transcript: option(result, "transcript") ?? null,
  artifacts: new List([...made]),
  produced_artifact_ids: new List(made.map((one) => field(one, "id"))),
  ...(result instanceof Dict && result.get("llm") instanceof Dict ? { usage: nodeUsage(result) } : {}),
});

/** The record; nothing is written. */
export function resultRun(task: Task, { about, name, result, artifacts, options }: ResultRun): Dict {
  const node = textOf(name ?? undefined);
  if (node === "") throw thrown(`${caller}: name is required`);
  const text = visibleText(result);
  const kept = artifactsOf(task, caller, artifacts);
  const made = [...kept, ...textArtifacts(task, text, kept)];
  const id = `run_${newId(task)}`;
  const failed = failedStatuses.has(textOf(option(result, "status")));
  const outcome = failed ? "error" : "success";
  const stage = Dict.of({
    id: `${id}:${node}:1`,
    node_id: node,
    status: failed ? "failed" : "completed",
    outcome,
    branch: outcome,
    started_at: newId(task),
    finished_at: newId(task),
    visible_text: text,
    ...stageParts(result, made),
  });
  return makeRecord(
    task,
    caller,
    Dict.of({
      id,
      workflow_id: option(options, "workflow_id") ?? node,
      workflow_name: node,
      task: textOf(about),
      status: failed ? "failed" : "completed",
      finished_at: newId(task),
      parent_run_id: option(options, "parent_run_id") ?? null,
      metadata: option(options, "metadata") ?? null,
      stages: new List([stage]),
      completed_nodes: new List([node]),
      artifacts: new List(made),
      transcript: option(result, "transcript") ?? null,
    }),
  );
}

function visibleText(result: Argument): Value {
  if (result instanceof Dict) return option(result, "visible_text") ?? option(result, "text") ?? null;
  return result === undefined || result === null ? null : textOf(result);
}

/** A text that people saw and no artifact holds is one, too. */
function textArtifacts(task: Task, text: Value, artifacts: readonly Dict[]): Dict[] {
  if (typeof text !== "string" || text.trim() === "") return [];
  if (artifacts.some((artifact) => textOf(artifact.get("text")).includes(text))) return [];
  return [makeArtifact(task, caller, Dict.of({ kind: "summary", title: "Visible result", text }))];
}
