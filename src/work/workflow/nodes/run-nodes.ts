/**
 * Node by node: the schedule says which, its kind says how, and how it ended is a stage of the record. What goes into a stage is what
 * its context policy and its input contract let through.
 */
import { newId, type Task } from "../../../interp/index.ts";
import { at, row } from "../../../table/index.ts";
import { Dict, List, textOf, thrown } from "../../../values/index.ts";
import { artifactKind } from "../../artifacts/record.ts";
import { selectArtifacts } from "../../artifacts/selection.ts";
import { inputContractFields } from "../../fields/workflow-fields.ts";
import { type AtWork, workflowCheckpoint } from "../at-work.ts";
import { graphNodes } from "../record/graph.ts";
import { field } from "../record/record-fields.ts";
import { recordedStage } from "../record/recorded.ts";
import type { WorkflowRun, WorkflowRunStatus } from "../run.ts";
import type { Arrival } from "../schedule.ts";
import { withRetries } from "./attempts.ts";
import { mapNode } from "./map-node.ts";
import type { NodeContext, NodeResult } from "./node-result.ts";
import {
  conditionNode,
  escalationNode,
  forkNode,
  joinNode,
  reduceNode,
  verifyNode,
} from "./steering-nodes.ts";
import { subagentNode } from "./subagent-node.ts";
import { needsTranscript, workingNode } from "./working-node.ts";

/** As many stages as a run may have unless it says otherwise: enough for every node to come round some times. */
const usualSteps = (graph: Dict): number => Math.max(64, graphNodes(graph).size * 4);

/** Runs node after node, as far as it goes. */
export async function runNodes(work: AtWork): Promise<WorkflowRunStatus> {
  const { task, caller, run, options, replay } = work;
  const max = options.maxSteps ?? usualSteps(run.start.graph);
  for (let step = 0; ; step++) {
    const arrival = run.schedule.next();
    if (arrival === undefined) return "completed";
    if (step >= max) {
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
    await workflowCheckpoint(work, "stage_complete");
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

/** The stage of a node, or why it is still to be done: its agent was suspended, or the run can't pay it. */
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

/** The artifacts that a stage works from. */
function inputsOf(task: Task, caller: string, run: WorkflowRun, node: Dict, arrival: Arrival): Dict[] {
  const offered = ownInputs(run, node, arrival);
  const chosen = selectArtifacts(task, caller, new List(offered), node.get("context_policy"));
  const kinds = inputContractOf(node).inputKinds.map((kind) => artifactKind(kind));
  const admitted =
    kinds.length === 0 ? chosen : chosen.filter((one) => kinds.includes(textOf(one.get("kind"))));
  return keepsOrder(node) ? offered.filter((one) => admitted.includes(one)) : admitted;
}

/** What puts parts together or goes through them takes them in the order in which they were made. */
const keepsOrder = (node: Dict): boolean => node.get("kind") === "reduce" || node.get("kind") === "map";

/** A map or a reduce works on what led to it; everybody else may see everything. */
function ownInputs(run: WorkflowRun, node: Dict, arrival: Arrival): Dict[] {
  const { offered } = run;
  if (!keepsOrder(node) || arrival.inputs.length === 0) return offered;
  const arrived = offered.filter((one) => arrival.inputs.includes(textOf(one.get("id"))));
  return arrived.length === 0 ? offered : arrived;
}

/** Throws what the stage lacks. */
function checkInputs(node: Dict, selected: readonly Dict[], run: WorkflowRun): void {
  const contract = node.get("input_contract");
  if (contract === undefined || contract === null) return;
  const { minInputs: min, maxInputs: max } = inputContractOf(node);
  const count = selected.length;
  if (min !== null && count < min)
    throw thrown(`input_contract: at least ${min} inputs are needed, got ${count}`);
  if (max !== null && count > max)
    throw thrown(`input_contract: at most ${max} inputs are allowed, got ${count}`);
  const present = new Set(selected.map((one) => field(one, "kind")));
  const missing = inputContractOf(node).inputKinds.filter((kind) => !present.has(artifactKind(kind)));
  if (missing.length > 0) throw thrown(`input_contract: no input of kind ${missing.join(", ")}`);
  if (needsTranscript(node) && run.transcript === null)
    throw thrown("input_contract: a transcript is needed, and no stage before this one has left one");
}

const inputContractOf = (node: Dict) =>
  row.dict(inputContractFields).read(node.get("input_contract") ?? new Dict(), at("input_contract"));
