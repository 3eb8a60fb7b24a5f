/**
 * What happens to a worker, reported to the session that it works for: the event `worker_update`, and the session hook of the
 * event's own name, whose patterns match the worker's (agents.md §4.2, §8.5, §17.2).
 */
import { noteUnseenEnd, runSessionHooks, sessionHooks } from "../../agent/index.ts";
import { type Task, unseenEnds } from "../../interp/index.ts";
import { publishNamed } from "../../model/index.ts";
import { Dict } from "../../values/index.ts";
import { saveWorkerSnapshot } from "./suspension/worker-snapshot.ts";
import type { Worker } from "./worker.ts";
import { auditOf } from "./worker-handle.ts";

export type WorkerEvent =
  | "WorkerSpawned"
  | "WorkerProgressed"
  | "WorkerWaitingForInput"
  | "WorkerSuspended"
  | "WorkerResumed"
  | "WorkerCompleted"
  | "WorkerFailed"
  | "WorkerCancelled"
  | "WorkerStopped";

/** What the event calls a status, where it has a word of its own. */
const words: Partial<Record<WorkerEvent, string>> = {
  WorkerProgressed: "progressed",
  WorkerWaitingForInput: "awaiting_input",
};

/** A failed end is reported when the program is over, unless a hook gets it or a script looks at it. */
function noteWorkerEnd({ runtime }: Task, worker: Worker, event: WorkerEvent): void {
  if (worker.unseen !== null) runtime.state(unseenEnds).delete(worker.unseen);
  worker.unseen = null;
  if (event !== "WorkerFailed" || worker.spawnedAt === null) return;
  if (runtime.state(sessionHooks).some((hook) => hook.event === event)) return;
  worker.unseen = noteUnseenEnd(runtime, worker.spawnedAt, `failed: ${worker.error ?? "no reason given"}`);
}

/** A change of status: on disk first, then emitted, then those who wait go on. */
export async function changeStatus(task: Task, worker: Worker, event: WorkerEvent): Promise<void> {
  noteWorkerEnd(task, worker, event);
  await saveWorkerSnapshot(task, worker);
  const session = worker.parentSession ?? worker.session;
  const fields = Dict.of({
    worker_id: worker.id,
    worker_name: worker.plan.name,
    worker_task: worker.task,
    worker_mode: worker.plan.mode,
    event,
    status: words[event] ?? worker.statusWord,
    metadata: Dict.of({ snapshot_path: worker.snapshotPath, error: worker.error }),
    audit: auditOf(worker),
  });
  await publishNamed(task, session, "worker_update", fields);
  await runSessionHooks(task, event, session, fields.without("event"), worker.plan.name);
  worker.changed();
}
