/**
 * `workflow_execute` (agents.md §19.2): from a graph to a record of what its nodes did.
 *
 *     graph, artifacts, options ─▶ run (new, or from a record) ─▶ node by node: inputs ─▶ attempts ─▶ stage ─▶ edges
 *                                                                      └─ a checkpoint on disk after each
 *
 * What goes wrong in a node is how its stage ended, never how the run did; what is thrown from here is wrong about the
 * call itself. A run that was killed goes on from its file (`resume_path`), or as any program does, from its journal.
 */

import { policyScopes } from "../../agent/index.ts";
import { shape } from "../../effects/index.ts";
import type { Task } from "../../interp/index.ts";
import { newId } from "../../interp/index.ts";
import { type Argument, Dict, List, thrown } from "../../values/index.ts";
import { artifactsOf } from "../artifacts/record.ts";
import { closePlace, openPlace, placeDict } from "../execution/place.ts";
import { workflowCheckpoint } from "./at-work.ts";
import { runNodes } from "./nodes/run-nodes.ts";
import { graphOf } from "./record/graph.ts";
import { loadRecord, recordPath, usualPath } from "./record/persist.ts";
import { makeRecord } from "./record/record.ts";
import { field } from "./record/record-fields.ts";
import { RecordText } from "./record/record-text.ts";
import { resumedRun } from "./record/recorded.ts";
import { type WorkflowRunOptions, workflowRunOptions } from "./record/run-options.ts";
import { graphErrors } from "./record/validation.ts";
import { WorkflowRun } from "./run.ts";
import { RunBudget } from "./run-budget.ts";
import { enterRun } from "./run-scope.ts";
import { runningRuns } from "./running-runs.ts";

export interface WorkflowCall {
  /** Begins messages: `workflow_execute`, `spawn_agent`. */
  readonly caller: string;
  readonly about: string;
  readonly graph: Argument;
  readonly artifacts: Argument;
  readonly options: Argument;
}

/** Runs a workflow to its end, or to where it has to stop: `{status, artifacts, transcript, run, path}`. */
export async function executeWorkflow(task: Task, call: WorkflowCall): Promise<Dict> {
  const { caller } = call;
  const options = workflowRunOptions(caller, call.options);
  const graph = checkedGraph(task, caller, call.graph);
  const replay = await resumedRecord(task, caller, options.replay);
  const run = await beginWorkflowRun(task, call, graph, options, replay);
  const budget = new RunBudget(task, options.limits, run.spentBefore);
  const place = options.execution === null ? null : await openPlace(task, options.execution, run.id, caller);
  run.execution = placeDict(place);
  const work = { task, caller, run, options, budget, replay, text: new RecordText() };
  const leave = enterRun(work, place);
  try {
    await workflowCheckpoint(work, "start");
    run.status = await runNodes(work);
    run.spentBefore = budget.spent;
    run.finishedAt = run.status === "completed" ? newId(task) : null;
    await workflowCheckpoint(work, "finalize");
  } finally {
    leave();
  }
  // A run that goes on later finds its worktree again.
  if (place !== null && run.status === "completed") await closePlace(task, place);
  return resultOf(task, run);
}

function checkedGraph(task: Task, caller: string, value: Argument): Dict {
  const graph = graphOf(task, caller, value);
  const ceilings = task.runtime
    .state(policyScopes)
    .around(task)
    .flatMap(({ policy }) => (policy === null ? [] : [policy]));
  const errors = graphErrors(graph, ceilings);
  if (errors.length > 0) throw thrown(`${caller}: invalid workflow: ${errors.join("; ")}`);
  return graph;
}

async function resumedRecord(task: Task, caller: string, input: Dict | string | null): Promise<Dict | null> {
  if (input === null) return null;
  return typeof input === "string" ? await loadRecord(task, caller, input) : makeRecord(task, caller, input);
}

async function beginWorkflowRun(
  task: Task,
  call: WorkflowCall,
  graph: Dict,
  options: WorkflowRunOptions,
  replay: Dict | null,
): Promise<WorkflowRun> {
  const { caller } = call;
  const path = options.persistPath === null ? null : await recordPath(task, options.persistPath);
  const inputs = artifactsOf(task, caller, call.artifacts);
  const record = await resumedRecord(task, caller, options.resume);
  if (record !== null)
    return await resumedRun(task, caller, { record, graph, about: call.about, inputs, path });
  const id = `run_${newId(task)}`;
  const around = runningRuns.current(task);
  const parent = options.parentRunId ?? around?.id ?? null;
  return new WorkflowRun({
    id,
    about: call.about,
    graph,
    path: path ?? (await usualPath(task, id)),
    parentRun: parent,
    rootRun: around?.start.rootRun ?? parent ?? id,
    startedAt: newId(task),
    metadata: metadataOf(options, replay, recordedAs(task)),
    inputs,
    transcript: options.transcript,
  });
}

/** The recorded run that this happens in: what `harn replay` plays again. A replay shows the same. */
function recordedAs(task: Task): string | null {
  return task.perform<string | null>({
    effect: "observe",
    kind: "workflow.recorded_as",
    args: () => null,
    run: () => task.runtime.recordedAs?.() ?? null,
    result: shape.orNull(shape.text),
  }) as string | null;
}

function metadataOf(
  { triggerEvent, audit }: WorkflowRunOptions,
  replay: Dict | null,
  journal: string | null,
): Dict {
  return Dict.of({
    ...(journal === null ? {} : { recorded_as: journal }),
    ...(triggerEvent === null ? {} : { trigger_event: triggerEvent }),
    ...(audit === null ? {} : { audit }),
    ...(replay === null ? {} : { replay_mode: "deterministic", replayed_from: field(replay, "id") }),
  });
}

// ── the result ────────────────────────────────────────────────────────────────────────────────────────────────────

function resultOf(task: Task, run: WorkflowRun): Dict {
  return Dict.of({
    status: run.status,
    artifacts: new List(run.results),
    transcript: run.transcript,
    run: run.recordOf(task),
    path: run.start.path,
  });
}
