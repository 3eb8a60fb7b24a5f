/**
 * `workflow_execute` (agents.md §19.2): from a graph to a record of what its nodes did.
 *
 *     graph, artifacts, options ─▶ run (new, or from a record) ─▶ node by node: inputs ─▶ attempts ─▶ stage ─▶ edges
 *                                                                      └─ a checkpoint on disk behind each
 *
 * What goes wrong in a node is how its stage ended, never how the run did; what is thrown from here is wrong about the
 * call itself. A run that was killed goes on from its file (`resume_path`), or as any program does, from its journal.
 */
import {
  conversations,
  installGuard,
  newId,
  policyScopes,
  readApproval,
  readPolicy,
  runningLoops,
} from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import { Dict, type Given, List, textOf, thrown } from "../../values/index.ts";
import { artifactsOf } from "../artifacts/record.ts";
import { closePlace, openPlace, type Place, placeDict } from "../execution/place.ts";
import { workplaces } from "../execution/workplaces.ts";
import { workers } from "../workers/worker-table.ts";
import { withRetries } from "./attempts.ts";
import { checkInputs, inputsOf } from "./contracts.ts";
import { graphNodes, graphOf } from "./graph.ts";
import { mapNode } from "./map-node.ts";
import type { NodeContext, NodeResult } from "./node-result.ts";
import { loadRecord, recordPath, saveCheckpoint, usualPath } from "./persist.ts";
import { field } from "./record-fields.ts";
import { RecordText } from "./record-text.ts";
import { recordedStage, resumedRun } from "./recorded.ts";
import { type CheckpointReason, type RunStatus, WorkflowRun } from "./run.ts";
import { RunBudget } from "./run-budget.ts";
import { type RunOptions, readRunOptions } from "./run-options.ts";
import { runningRuns } from "./running-runs.ts";
import type { Arrival } from "./schedule.ts";
import { spansNow } from "./spans.ts";
import {
  conditionNode,
  escalationNode,
  forkNode,
  joinNode,
  reduceNode,
  verifyNode,
} from "./steering-nodes.ts";
import { subagentNode } from "./subagent-node.ts";
import { graphErrors } from "./validation.ts";
import { workingNode } from "./working-node.ts";

export interface WorkflowCall {
  /** Begins messages: `workflow_execute`, `spawn_agent`. */
  readonly caller: string;
  readonly about: string;
  readonly graph: Given;
  readonly artifacts: Given;
  readonly options: Given;
}

/** Runs a workflow to its end, or to where it has to stop: `{status, artifacts, transcript, run, path}`. */
export async function executeWorkflow(task: Task, call: WorkflowCall): Promise<Dict> {
  const { caller } = call;
  const options = readRunOptions(caller, call.options);
  const graph = checkedGraph(task, caller, call.graph);
  const replay = await recordGiven(task, caller, options.replay);
  const run = await beginRun(task, call, graph, options, replay);
  const budget = new RunBudget(task, options.limits, run.spentBefore);
  const place = options.execution === null ? null : await openPlace(task, options.execution, run.id, caller);
  run.execution = placeDict(place);
  const work = { task, caller, run, options, budget, replay, text: new RecordText() };
  const leave = enterRun(work, place);
  try {
    await checkpoint(work, "start");
    run.status = await runNodes(work);
    run.spentBefore = budget.spent;
    run.finishedAt = run.status === "completed" ? newId(task) : null;
    await checkpoint(work, "finalize");
  } finally {
    leave();
  }
  // A run that goes on later finds its worktree again.
  if (place !== null && run.status === "completed") await closePlace(task, place);
  return resultOf(task, run);
}

function checkedGraph(task: Task, caller: string, given: Given): Dict {
  const graph = graphOf(task, caller, given);
  const ceilings = task.runtime
    .state(policyScopes)
    .around(task)
    .flatMap(({ policy }) => (policy === null ? [] : [policy]));
  const errors = graphErrors(graph, ceilings);
  if (errors.length > 0) throw thrown(`${caller}: invalid workflow: ${errors.join("; ")}`);
  return graph;
}

const recordGiven = async (task: Task, caller: string, given: Dict | string | null): Promise<Dict | null> =>
  typeof given === "string" ? await loadRecord(task, caller, given) : given;

async function beginRun(
  task: Task,
  call: WorkflowCall,
  graph: Dict,
  options: RunOptions,
  replay: Dict | null,
): Promise<WorkflowRun> {
  const { caller } = call;
  const path = options.persistPath === null ? null : recordPath(task, options.persistPath);
  const inputs = artifactsOf(task, caller, call.artifacts);
  const record = await recordGiven(task, caller, options.resume);
  if (record !== null) return resumedRun(task, caller, { record, graph, about: call.about, inputs, path });
  const id = `run_${newId(task)}`;
  const around = task.runtime.state(runningRuns).around(task);
  const parent = options.parentRun ?? around?.id ?? null;
  return new WorkflowRun({
    id,
    about: call.about,
    graph,
    path: path ?? usualPath(task, id),
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
    encode: (name) => name,
    decode: (stored) => (typeof stored === "string" ? stored : null),
  }) as string | null;
}

function metadataOf({ triggerEvent, audit }: RunOptions, replay: Dict | null, journal: string | null): Dict {
  return Dict.of({
    ...(journal === null ? {} : { recorded_as: journal }),
    ...(triggerEvent === null ? {} : { trigger_event: triggerEvent }),
    ...(audit === null ? {} : { audit }),
    ...(replay === null ? {} : { replay_mode: "deterministic", replayed_from: field(replay, "id") }),
  });
}

/** Puts the run's own rules around everything that its stages do; gives what ends that. */
function enterRun({ task, run, options, budget }: AtWork, place: Place | null): () => void {
  const runs = task.runtime.state(runningRuns);
  const scopes = task.runtime.state(policyScopes);
  const { graph } = run.start;
  const rules = [
    {
      policy: readPolicy(field(graph, "capability_policy"), "workflow: "),
      approval: readApproval(field(graph, "approval_policy"), "workflow: "),
    },
    options,
  ].filter(({ policy, approval }) => policy !== null || approval !== null);
  const conversation = task.runtime.state(conversations).open(`workflow_session_${run.id}`);
  conversation.disposable = true;
  for (const { policy, approval } of rules) {
    if (policy !== null) installGuard(task.runtime);
    scopes.enter(task, {
      conversation,
      policy,
      approval,
      permissions: null,
      command: null,
      repeats: new Map(),
    });
  }
  const above = runs.around(task);
  runs.enter(task, run);
  run.spansBefore = spansNow(task).length;
  const places = task.runtime.state(workplaces);
  if (place !== null) places.enter(task, place.workplace);
  const closePurse = task.runtime.state(runningLoops).openPurse(task, budget.purse);
  return () => {
    closePurse();
    if (place !== null) places.leave(task);
    runs.leave(task);
    for (const _ of rules) scopes.leave(task);
    above?.childRuns.push(childEntry(task, run));
  };
}

const childEntry = (task: Task, run: WorkflowRun): Dict =>
  Dict.of({
    run_id: run.id,
    run_path: run.start.path,
    workflow_id: field(run.start.graph, "id"),
    status: run.status,
    worker_id: task.runtime.state(workers).around(task)?.id ?? null,
  });

/** What is on disk while the run is at work lacks only what can be made of it; the last checkpoint has that too. */
async function checkpoint({ task, caller, run, text }: AtWork, reason: CheckpointReason): Promise<void> {
  run.checkpoint(task, reason);
  const note = { run: run.id, reason, stages: run.stages.length };
  const record = reason === "finalize" ? run.recordOf(task) : run.draft(task);
  await saveCheckpoint(task, caller, run.start.path, note, () => text.of(record));
}

// ── node by node ──────────────────────────────────────────────────────────────────────────────────────────────────

/** As many stages as a run may have unless it says otherwise: enough for every node to come round some times. */
const usualSteps = (graph: Dict): number => Math.max(64, graphNodes(graph).size * 4);

interface AtWork {
  readonly task: Task;
  readonly caller: string;
  readonly run: WorkflowRun;
  readonly options: RunOptions;
  readonly budget: RunBudget;
  readonly replay: Dict | null;
  readonly text: RecordText;
}

async function runNodes(work: AtWork): Promise<RunStatus> {
  const { task, caller, run, options, replay } = work;
  const most = options.maxSteps ?? usualSteps(run.start.graph);
  for (let step = 0; ; step++) {
    const arrival = run.schedule.next();
    if (arrival === undefined) return "completed";
    if (step >= most) {
      run.schedule.putBack();
      return "paused";
    }
    const stage =
      replay === null ? await performStage(work, arrival) : recordedStage(caller, run, replay, arrival);
    if (stage === "suspended" || stage === "paused") {
      run.schedule.putBack();
      return stage;
    }
    run.follow(task, run.add(stage));
    await checkpoint(work, "stage_complete");
  }
}

type Perform = (context: NodeContext) => NodeResult | Promise<NodeResult>;

const performers: Readonly<Record<string, Perform>> = {
  stage: workingNode,
  repair: workingNode,
  subagent: subagentNode,
  verify: verifyNode,
  condition: conditionNode,
  fork: forkNode,
  join: joinNode,
  map: mapNode,
  reduce: reduceNode,
  escalation: escalationNode,
};

/** The stage of a node, or why it is still to be done: its agent was parked, or the run can't pay it. */
async function performStage(work: AtWork, arrival: Arrival): Promise<Dict | "suspended" | "paused"> {
  const { task, caller, run } = work;
  const id = arrival.node;
  const node = graphNodes(run.start.graph).get(id) as Dict;
  const kind = textOf(node.get("kind"));
  const stageId = `${run.id}:${id}:${run.roundsOf(id) + 1}`;
  const startedAt = newId(task);
  let selected: readonly Dict[] = [];
  const { result, attempts } = await withRetries(task, node, (shortcoming) => {
    selected = inputsOf(task, caller, run, node, arrival);
    checkInputs(node, selected, run);
    const perform = performers[kind] as Perform;
    return perform({ ...work, id, node, stageId, arrival, selected, shortcoming });
  });
  if (result.status === "suspended" || result.status === "unpaid") {
    run.undone = { node: id, session: result.session };
    return result.status === "suspended" ? "suspended" : "paused";
  }
  run.undone = null;
  const ids = (artifacts: readonly Dict[]): List => new List(artifacts.map((one) => field(one, "id")));
  return Dict.of({
    id: stageId,
    node_id: id,
    kind,
    status: result.status,
    outcome: result.outcome,
    branch: result.branch,
    started_at: startedAt,
    finished_at: newId(task),
    visible_text: result.text,
    transcript: result.transcript,
    verification: result.verification,
    usage: result.usage,
    artifacts: new List([...result.artifacts]),
    consumed_artifact_ids: ids(selected),
    produced_artifact_ids: ids(result.artifacts),
    attempts,
    metadata: result.error === null ? result.metadata : result.metadata.with("error", result.error),
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
