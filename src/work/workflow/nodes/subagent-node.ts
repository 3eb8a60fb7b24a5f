/** A stage that is given to a worker (agents.md §19.2): its text, and a summary of what the worker did, are the artifacts. */
import { newId } from "../../../interp/index.ts";
import { Dict, List, type Value } from "../../../values/index.ts";
import { carryOf } from "../../fields/shared-fields.ts";
import { runStage, type StagePlan } from "../../workers/stage-cycle.ts";
import type { Worker, WorkerPlan } from "../../workers/worker.ts";
import { handleOf } from "../../workers/worker-handle.ts";
import { requestOf } from "../../workers/worker-plan.ts";
import { delegate } from "../../workers/worker-start.ts";
import { field } from "../record/record-fields.ts";
import { broken, finished, type NodeContext, type NodeResult, undone } from "./node-result.ts";
import { nodeUsage } from "./node-work.ts";
import { outputKind, stageArtifact } from "./stage-artifact.ts";
import { laterChecks } from "./stage-prompt.ts";
import { verify } from "./verification.ts";
import { outputMetadata } from "./working-node.ts";

export async function subagentNode(context: NodeContext): Promise<NodeResult> {
  const { task, node } = context;
  const worker = await delegate(task, planOf(context));
  const handle = handleOf(worker);
  const done: Partial<NodeResult> = {
    text: worker.lastText,
    transcript: worker.transcript,
    usage: nodeUsage(subAgentStageResult(worker)),
    metadata: Dict.of({
      worker_id: worker.id,
      worker: handle.without("result"),
      session_id: worker.session,
    }),
  };
  if (context.budget.ranOut(subAgentStageResult(worker))) return undone("unpaid", null);
  if (worker.status !== "completed") return broken(failureOf(worker), done);
  const checked = await verify(task, node.get("verify"), worker.lastText);
  const made = {
    ...done,
    artifacts: subAgentArtifactsOf(context, worker, handle),
    verification: checked.verification,
  };
  if (checked.ok) return finished("subagent_completed", "success", made);
  return { ...finished("verification_failed", "failed", made), status: "failed" };
}

const failureOf = ({ id, status, error }: Worker): string => error ?? `worker ${id} ended as ${status}`;

function planOf({ task, run, options, id, node, stageId, selected, shortcoming }: NodeContext): WorkerPlan {
  const metadata = field(node, "metadata");
  const named = metadata instanceof Dict ? metadata.get("worker_name") : null;
  const checks = laterChecks(run.start.graph, id);
  const policy = node.get("capability_policy");
  const stage: StagePlan = {
    node,
    options: options.loop.merge(dictOf(node.get("model_policy"))),
    policy: policy instanceof Dict ? policy : null,
    tools: null,
    permissions: null,
    approvalPolicy: field(node, "approval_policy"),
    transcript: null,
    selected,
    expectations:
      shortcoming === "" ? checks : [...checks, `The attempt before this one failed: ${shortcoming}`],
  };
  return {
    name: typeof named === "string" && named !== "" ? named : id,
    task: run.start.about,
    mode: "stage",
    session: `session_${newId(task)}`,
    request: requestOf(run.start.about, new Dict(), metadata),
    carry: carryOf(null, "workflow_execute"),
    approvalPolicy: stage.approvalPolicy,
    resumeWhen: null,
    execution: null,
    parentStage: stageId,
    spec: node,
    cycle: (own, worker, now) => runStage(own, worker, now, stage),
  };
}

const dictOf = (value: Value | undefined): Dict => (value instanceof Dict ? value : new Dict());

/** What the worker's loop came to, of its result. */
const subAgentStageResult = (worker: Worker): Dict => dictOf(worker.result?.get("result"));

function subAgentArtifactsOf({ task, caller, id, node }: NodeContext, worker: Worker, handle: Dict): Dict[] {
  const metadata = outputMetadata(node).merge(Dict.of({ delegated: true, worker_id: worker.id }));
  const output = stageArtifact(task, caller, {
    stage: id,
    kind: outputKind(node, "artifact"),
    text: worker.lastText,
    metadata,
  });
  const summary = stageArtifact(task, caller, {
    stage: id,
    kind: "worker_result",
    title: `worker ${worker.plan.name} result`,
    text: worker.lastText,
    data: subAgentSummary(worker, handle, output),
    metadata,
  });
  return [output, summary];
}

/** The worker as its parent keeps it: without transcript and artifacts, which are elsewhere. */
function subAgentSummary(worker: Worker, handle: Dict, output: Dict): Dict {
  const payload = worker.result?.without("transcript").without("artifacts") ?? new Dict();
  return Dict.of({
    worker_id: worker.id,
    worker_name: worker.plan.name,
    status: worker.status,
    request: field(handle, "request"),
    provenance: field(handle, "provenance"),
    execution: field(handle, "execution"),
    payload: payload.with("result", subAgentStageResult(worker).without("transcript")),
    payload_compacted: true,
    produced_artifact_ids: new List([field(output, "id")]),
  });
}
