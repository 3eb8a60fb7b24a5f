/** Stages, repairs and items of a map: a model or an agent works, then the node's own checks look at what it said. */

import type { Task } from "../../../interp/index.ts";
import { newId } from "../../../interp/index.ts";
import { conversations, type ToolOutcome } from "../../../model/index.ts";
import { Dict, type Value } from "../../../values/index.ts";
import { handoffArtifact } from "../../artifacts/handoff.ts";
import { isArtifact } from "../../artifacts/record.ts";
import { plainDict } from "../record/record.ts";
import { dictIn } from "../record/record-fields.ts";
import type { WorkflowRun } from "../run.ts";
import { broken, finished, type NodeContext, type NodeResult, undone } from "./node-result.ts";
import { type NodeEnd, nodeUsage, workOnNode } from "./node-work.ts";
import { outputKind, stageArtifact } from "./stage-artifact.ts";
import { laterChecks } from "./stage-prompt.ts";
import { unchecked, verify } from "./verification.ts";

export async function workingNode(context: NodeContext): Promise<NodeResult> {
  const { task, run, node, id, stageId } = context;
  const session = nodeSessionOf(context);
  const end = await runWorkingNode(
    context,
    task,
    session.id,
    session.resumes ? "Go on with your task." : run.start.about,
  );
  recordNodeCalls(run, stageId, end.calls);
  const done = { ...commonStageFields(context, end), session: session.id };
  if (end.status === "suspended") return undone("suspended", session.id);
  if (context.budget.ranOut(end.loop)) return undone("unpaid", session.id);
  if (end.status === "failed")
    return broken(end.error ?? "the stage failed", { ...done, verification: null });
  const checked = await verify(task, node.get("verify"), String(end.result.get("visible_text") ?? ""));
  const output = stageArtifact(task, context.caller, {
    stage: id,
    kind: outputKind(node, "artifact"),
    text: end.text,
    data: end.data,
    lineage: [],
    metadata: outputMetadata(node),
  });
  const made = { ...done, artifacts: [output, ...handedOver(task, end.made)] };
  if (checked.ok) return finished("success", "success", { ...made, verification: checked.verification });
  return {
    ...finished("verification_failed", "failed", { ...made, verification: checked.verification }),
    status: "failed",
  };
}

/** One model at work on the node; items of a map have a task and a session of their own. */
export async function runWorkingNode(
  context: NodeContext,
  task: Task,
  session: string,
  about: string,
): Promise<NodeEnd> {
  const { node, run, options, caller, shortcoming } = context;
  const conversation = task.runtime.state(conversations).get(session);
  const fresh = conversation === undefined || conversation.log.length === 0;
  const own = node.get("model_policy");
  const expectations = laterChecks(run.start.graph, context.id);
  return await workOnNode(task, {
    caller,
    name: context.id,
    node,
    about,
    options: options.loop.merge(own instanceof Dict ? own : new Dict()),
    session,
    policy: dictIn(node, "capability_policy"),
    tools: null,
    permissions: null,
    approvalPolicy: node.get("approval_policy") ?? null,
    transcript: fresh && needsTranscript(node) ? run.transcript : null,
    selected: context.selected,
    expectations:
      shortcoming === ""
        ? expectations
        : [...expectations, `The attempt before this one failed: ${shortcoming}`],
  });
}

/** A stage that needs the transcript goes on in it. */
export function needsTranscript(node: Dict): boolean {
  const contract = node.get("input_contract");
  return contract instanceof Dict && contract.get("require_transcript") === true;
}

/** The one that the node names, else that of a stage which was suspended here, else its own. */
function nodeSessionOf({ task, run, id, node }: NodeContext): { id: string; resumes: boolean } {
  const policy = node.get("model_policy");
  const named = policy instanceof Dict ? policy.get("session_id") : null;
  const left = run.undone?.node === id ? run.undone.session : null;
  if (left !== null && task.runtime.state(conversations).get(left) !== undefined)
    return { id: left, resumes: true };
  return { id: typeof named === "string" ? named : `session_${newId(task)}`, resumes: false };
}

const commonStageFields = ({ selected }: NodeContext, end: NodeEnd): Partial<NodeResult> => ({
  text: String(end.result.get("visible_text") ?? ""),
  transcript: end.result.get("transcript") ?? null,
  usage: nodeUsage(end.loop),
  verification: unchecked(),
  metadata: Dict.of({
    status: end.result.get("status") ?? null,
    stop_reason: end.loop.get("stop_reason") ?? null,
    session_id: end.loop.get("session_id") ?? null,
    prompt: end.result.get("prompt") ?? null,
    system_prompt: end.result.get("system_prompt") ?? null,
    selected_artifact_titles:
      selected.length === 0 ? null : (end.result.get("selected_artifact_titles") ?? null),
    private_reasoning: end.result.get("private_reasoning") ?? null,
  }),
});

/** `output_visibility`: who else sees what the node made. */
export function outputMetadata(node: Dict): Dict {
  const visibility = node.get("output_visibility") ?? null;
  return visibility === null || visibility === "public" ? new Dict() : Dict.of({ visibility });
}

/** Artifacts that tools gave, hand-offs as artifacts. */
export const handedOver = (task: Task, made: readonly Dict[]): Dict[] =>
  made.map((one) => (isArtifact(one) ? one : handoffArtifact(task, one)));

/** The calls of a stage, for the run's record. */
export function recordNodeCalls(run: WorkflowRun, stageId: string, calls: readonly ToolOutcome[]): void {
  for (const call of calls)
    run.toolRecordings.push(
      plainDict(
        Dict.of({
          stage_id: stageId,
          tool_call_id: call.callId,
          tool_name: call.name,
          arguments: call.arguments as Value,
          status: call.status,
          result: call.rendered,
          error: call.error,
          duration_ms: call.durationMs,
        }),
      ),
    );
}
