/**
 * Resume conditions at work (agents.md §17.5): while the run lives, a suspended worker goes on by itself when its time is over,
 * an event comes, or a trigger fires, whichever is first. Each condition is waited for by a task of its own; one that is
 * too late finds another suspension, or none, and does nothing.
 */
import { notifyPerson, pauseTask, spawnTask, type Task } from "../../../interp/index.ts";
import { Dict, jsonStringify, ScriptError, uncaughtText, type Value } from "../../../values/index.ts";
import type { Suspension, Worker } from "../worker.ts";
import { finish } from "../worker-cycle.ts";
import { changeStatus } from "../worker-events.ts";
import { portsOf } from "../worker-ports.ts";
import { resumeAgent } from "./resumption.ts";

/** Begins to wait for the conditions of the worker's suspension. */
export async function watchConditions(task: Task, worker: Worker): Promise<void> {
  const { suspension } = worker;
  const conditions = suspension?.conditions ?? null;
  if (suspension === null || conditions === null) return;
  const timeout = conditions.get("timeout");
  if (timeout instanceof Dict)
    watchResumeConditions(task, worker, suspension, (own) => timeOver(own, worker, suspension, timeout));
  const topic = conditions.get("on_event");
  if (typeof topic === "string") {
    const next = portsOf(task).eventAfterNow(task, topic);
    watchResumeConditions(task, worker, suspension, async (own) =>
      resumeSuspended(own, worker, suspension, await next(own)),
    );
  }
  const trigger = conditions.get("trigger");
  if (trigger instanceof Dict)
    suspension.trigger = registerResumeConditions(task, worker, suspension, trigger);
}

type Watch = (task: Task) => Promise<void>;

function watchResumeConditions(task: Task, worker: Worker, suspension: Suspension, body: Watch): void {
  spawnTask(task, async (own) => {
    await settled(own, worker, suspension);
    try {
      await body(own);
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      const text = uncaughtText(error);
      notifyPerson(own.runtime, `warning: worker ${worker.id} could not be resumed by itself: ${text}\n`);
    }
    return null;
  });
}

/** Its loop stands still before the worker counts as suspended. */
async function settled(task: Task, worker: Worker, suspension: Suspension): Promise<void> {
  while (worker.suspension === suspension && worker.status === "running")
    await worker.change(task, `suspension of ${worker.plan.name}`);
}

const standsStill = (worker: Worker, suspension: Suspension): boolean =>
  worker.suspension === suspension && worker.status === "suspended" && !worker.resuming;

async function timeOver(task: Task, worker: Worker, suspension: Suspension, timeout: Dict): Promise<void> {
  const minutes = Number(timeout.get("duration_minutes"));
  await pauseTask(task, minutes * 60_000);
  if (!standsStill(worker, suspension)) return;
  const over = `Nothing happened within ${minutes} ${minutes === 1 ? "minute" : "minutes"}.`;
  switch (timeout.get("on_timeout")) {
    case "fail":
      worker.endSuspension();
      worker.error = `${over} It was suspended: ${suspension.reason}`;
      await changeStatus(task, worker, finish(task, worker, "failed", "WorkerFailed"));
      return;
    case "resume_with_input":
      await resumeAgent(task, worker.id, over, true);
      return;
    default:
      await resumeAgent(task, worker.id, null, false);
  }
}

async function resumeSuspended(
  task: Task,
  worker: Worker,
  suspension: Suspension,
  event: Value,
): Promise<void> {
  if (standsStill(worker, suspension)) await resumeAgent(task, worker.id, resumeInputOf(event), true);
}

const resumeInputOf = (event: Value): Value =>
  event === null || typeof event === "string" || event instanceof Dict ? event : jsonStringify(event);

function registerResumeConditions(
  task: Task,
  worker: Worker,
  suspension: Suspension,
  spec: Dict,
): NonNullable<Suspension["trigger"]> {
  // Whoever gave the conditions has had their trigger checked (`checkTrigger`): it can be registered.
  return portsOf(task).registerTrigger(task, spec, async (own, event) => {
    await settled(own, worker, suspension);
    await resumeSuspended(own, worker, suspension, event);
    return worker.id;
  });
}
