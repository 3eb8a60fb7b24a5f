/** The workers of a run, and which of them a value means. */

import { resumableWork, transcriptOf } from "../../agent/index.ts";
import { typedCommand } from "../../host/index.ts";
import { type Runtime, stateKey, type Task, TaskLocal, waitingWork } from "../../interp/index.ts";
import { conversations } from "../../model/index.ts";
import { Dict, thrown, type Value } from "../../values/index.ts";
import { idOf, WorkTable } from "../work.ts";
import { writeWorkerSnapshot } from "./suspension/worker-snapshot.ts";
import type { Worker } from "./worker.ts";

/** Whom a task works for. */
const workersAround = new TaskLocal<Worker>("workers");

export class WorkerTable extends WorkTable<Worker> {
  /** The task works for the worker. */
  mark(task: Task, worker: Worker): void {
    if (workersAround.current(task) === worker) return;
    workersAround.enter(task, worker);
    resumableWork.enter(task, true);
  }

  /** The worker in whose task this runs, `null` outside. */
  around(task: Task): Worker | null {
    return workersAround.current(task) ?? null;
  }

  /** The task works for the worker, or for one that works for it. */
  isInside(task: Task, worker: Worker): boolean {
    const around = workersAround.around(task);
    for (let at = task.parent; at !== undefined; at = at.parent) around.push(...workersAround.own(at));
    return around.includes(worker) || (worker.inPlace && worker.home !== null && task.isInside(worker.home));
  }

  /** The worker that a loop of this session became when it suspended, and that went on in the same call. */
  inPlaceOf(session: string): Worker | undefined {
    return this.all.find((worker) => worker.inPlace && worker.session === session);
  }

  childrenOf(worker: Worker): Worker[] {
    return this.all.filter(({ parent }) => parent === worker.id);
  }

  /** The worker that a handle or an id names. `caller` begins the text when nothing is given at all. */
  need(caller: string, value: Value): Worker {
    const found = this.find(value);
    if (found !== undefined) return found;
    if (value === null) throw thrown(`${caller}: missing worker handle`);
    const id = idOf(value);
    if (value instanceof Dict && (id ?? null) === null)
      throw thrown("agent handle dict is missing an id field");
    if (typeof id !== "string") throw thrown("expected agent handle or worker id");
    throw thrown(`unknown worker: ${id}`);
  }
}

/** `task.runtime.state(workers)` */
export const workers = stateKey<WorkerTable>("workers", (runtime) => {
  const table = new WorkerTable();
  runtime.open.add({ close: async () => interruptWorkers(runtime, table.all) });
  runtime.state(waitingWork).lines = () => waitingWorkers(table.all);
  return table;
});

/**
 * What becomes of workers when their program ends (agents.md §17.2), once the run is over and its journal closed: nobody is at work
 * any more, and their files say so. A process that is killed can't say it; whoever reads its files looks whether it is still there
 * (rehydration.ts). A replay has touched no file, and touches none now.
 */
function interruptWorkers(runtime: Runtime, all: readonly Worker[]): void {
  if (runtime.effects.mode === "replay") return;
  for (const worker of all) if (worker.isPending) interruptWorker(runtime, worker);
}

/** Who stands still when the program is through, and how it goes on: a line each. */
function waitingWorkers(all: readonly Worker[]): string[] {
  return all
    .filter(({ status }) => status === "suspended")
    .map(({ name, suspension, snapshotPath, plan }) => {
      const why = (suspension?.reason ?? "").split("\n", 1)[0] ?? "";
      const next = plan.carry.persistState
        ? `; \`${typedCommand(`run --resume ${snapshotPath}`)}\` goes on with it`
        : "";
      return `the worker ${name} waits${why === "" ? "" : `: ${why}`}${next}`;
    });
}

function interruptWorker(runtime: Runtime, worker: Worker): void {
  if (worker.status === "running") {
    worker.error = "its program ended while it was at work";
    const conversation = runtime.state(conversations).get(worker.session);
    if (conversation !== undefined) worker.transcript = transcriptOf(conversation);
  }
  worker.move("interrupted");
  // The run has ended as it has; a folder that is gone by now changes nothing about that.
  if (worker.plan.carry.persistState) writeWorkerSnapshot(worker, runtime);
}
