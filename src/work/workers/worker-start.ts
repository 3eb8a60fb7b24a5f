/** How workers begin, and how their end is waited for. */
import { newId, type Task } from "../../interp/index.ts";
import { conversations } from "../../model/index.ts";
import { Worker, type WorkerPlan } from "./worker.ts";
import { beginCycle, takePlace } from "./worker-cycle.ts";
import { folderOf } from "./worker-ports.ts";
import { workers } from "./worker-table.ts";

/** A worker whose end is waited for: the one who delegates does nothing meanwhile. */
export async function delegate(task: Task, plan: WorkerPlan): Promise<Worker> {
  const worker = await startWorker(task, plan);
  await workerEnded(task, worker, plan.name);
  return worker;
}

/** Makes a worker and begins its first cycle. */
export async function startWorker(task: Task, plan: WorkerPlan): Promise<Worker> {
  const table = task.runtime.state(workers);
  const id = `worker_${newId(task)}`;
  const parent = table.around(task)?.id ?? null;
  const parentSession = task.runtime.state(conversations).current(task);
  const snapshotPath = `${await folderOf(task)}/${id}.json`;
  const made = { id, parent, parentSession, snapshotPath, createdAt: newId(task) };
  const worker = new Worker(task.runtime, plan, made);
  // Before anybody sees it: what can't be made is the caller's error, and no worker.
  await takePlace(task, worker);
  table.add(worker);
  await beginCycle(task, worker, plan.task, "WorkerSpawned");
  return worker;
}

/** Waits until nothing more comes by itself. */
export async function workerEnded(task: Task, worker: Worker, caller: string): Promise<void> {
  while (worker.isPending) await worker.change(task, `${caller} of ${worker.plan.name}`);
  worker.cycle?.flushInto(task);
}
