/** A delegated stage (agents.md §17.2): one cycle of a worker that works on a node as a workflow would. */
import type { Task } from "../../interp/index.ts";
import { Dict, List, type Value } from "../../values/index.ts";
import { placeDict } from "../execution/place.ts";
import { type NodeEnd, workOnNode } from "../workflow/nodes/node-work.ts";
import { outputKind, stageArtifact } from "../workflow/nodes/stage-artifact.ts";
import type { CycleEnd, Worker } from "./worker.ts";

/** What of `spawn_agent`'s config and its node the stage needs. */
export interface StagePlan {
  readonly node: Dict;
  /** Of the loop; they outrank the node's own. */
  readonly options: Dict;
  readonly policy: Dict | null;
  readonly tools: List | null;
  readonly permissions: Value;
  readonly approvalPolicy: Value;
  readonly transcript: Value;
  /** Artifacts that it works from. */
  readonly selected?: readonly Dict[];
  readonly expectations?: readonly string[];
}

/** The stage's name in artifacts. */
const stageName = "delegated_worker";

export async function runStage(
  task: Task,
  worker: Worker,
  about: string,
  stage: StagePlan,
): Promise<CycleEnd> {
  const { node } = stage;
  const own = node.get("model_policy");
  const end = await workOnNode(task, {
    ...stage,
    caller: "spawn_agent",
    name: worker.plan.name,
    about,
    options: (own instanceof Dict ? own : new Dict()).merge(stage.options),
    session: worker.session,
    transcript: worker.transcript === null ? stage.transcript : null,
    selected: stage.selected ?? [],
    expectations: stage.expectations ?? [],
  });
  const made = end.status === "completed" ? [artifactOf(task, node, end)] : [];
  return {
    status: end.status,
    payload: Dict.of({
      status: end.result.get("status") ?? null,
      mode: "stage",
      task: about,
      result: end.result,
      artifacts: new List(made),
      transcript: end.result.get("transcript") ?? null,
      execution: placeDict(worker.place),
    }),
    artifacts: made,
    error: end.error,
    text: end.text,
  };
}

const artifactOf = (task: Task, node: Dict, end: NodeEnd): Dict =>
  stageArtifact(task, "spawn_agent", {
    stage: stageName,
    kind: outputKind(node, "artifact"),
    text: end.text,
    data: end.result.without("transcript"),
  });
