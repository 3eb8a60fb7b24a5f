/**
 * What becomes of workers when their program ends (agents.md §17.2): nobody is at work any more, and their files say so. A
 * process that is killed can't say it; whoever reads its files looks whether it is still there (rehydration.ts).
 */

import { transcriptOf } from "../../agent/index.ts";
import type { Runtime } from "../../interp/index.ts";
import { conversations } from "../../model/index.ts";
import { writeWorkerSnapshot } from "./suspension/worker-snapshot.ts";
import type { Worker } from "./worker.ts";

/** Called when the run is over and its journal closed. A replay has touched no file, and touches none now. */
export function interruptWorkers(runtime: Runtime, all: readonly Worker[]): void {
  if (runtime.effects.mode === "replay") return;
  for (const worker of all) if (worker.isPending) interruptWorker(runtime, worker);
}

/** Who stands still when the program is through, and how it goes on: a line each. */
export function waitingWorkers(all: readonly Worker[]): string[] {
  return all
    .filter(({ status }) => status === "suspended")
    .map(({ name, suspension, snapshotPath, plan }) => {
      const why = (suspension?.reason ?? "").split("\n", 1)[0] ?? "";
      const next = plan.carry.persistState ? `; \`harn run --resume ${snapshotPath}\` goes on with it` : "";
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
