/** What a worker that was stopped in good order leaves to its parent (agents.md §17.5), with what those below it leave. */
import type { Task } from "../../../interp/index.ts";
import { Dict, List, type Value } from "../../../values/index.ts";
import { handoffOf } from "../../artifacts/handoff.ts";
import type { Worker } from "../worker.ts";
import { handleOf } from "../worker-handle.ts";
import type { StoppedWorker } from "./suspension.ts";

export function stoppedDict(task: Task, { worker, children }: StoppedWorker, reason: string): Dict {
  const below = children.map((child) => stoppedDict(task, child, reason));
  const handoff = workerHandoff(task, worker, reason);
  const folded = below.flatMap((child) => (child.get("handoffs") as List).toArray());
  return Dict.of({
    status: worker.statusWord,
    handoff,
    children: new List(below),
    handoffs: new List([handoff, ...folded]),
    worker: handleOf(worker),
  });
}

function workerHandoff(task: Task, worker: Worker, reason: string): Dict {
  const evidence = worker.artifacts.filter((artifact): artifact is Dict => artifact instanceof Dict);
  const field = (dict: Dict, name: string): Value => dict.get(name) ?? null;
  return handoffOf(
    task,
    Dict.of({
      source_persona: worker.plan.name,
      target_persona_or_human: Dict.of({ kind: "persona", id: worker.parent, label: "parent" }),
      task: worker.task,
      reason,
      evidence_refs: new List(
        evidence.map((artifact) =>
          Dict.of({ artifact_id: field(artifact, "id"), label: field(artifact, "title") }),
        ),
      ),
      metadata: Dict.of({
        worker_id: worker.id,
        session_id: worker.session,
        snapshot_path: worker.snapshotPath,
        last_text: worker.lastText,
      }),
    }),
  );
}
