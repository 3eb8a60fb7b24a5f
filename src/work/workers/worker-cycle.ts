/**
 * One cycle of a worker: a task of the run that works under the rules, for the budget and for the session that were
 * around whoever spawned the worker; its end is the worker's next status.
 */

import { transcriptOf } from "../../agent/index.ts";
import { newId, pinTask, spawnTask, type Task, workspaces } from "../../interp/index.ts";
import { conversations } from "../../model/index.ts";
import { ScriptError, uncaughtText } from "../../values/index.ts";
import { carryConversation, compactConversation } from "../carry.ts";
import { closePlace, openPlace } from "../execution/place.ts";
import { emitSuspended } from "./suspension/suspension-notes.ts";
import type { CycleEnd, Worker, WorkerMode } from "./worker.ts";
import { changeStatus, type WorkerEvent } from "./worker-events.ts";
import { workers } from "./worker-table.ts";

/** Begins a cycle: the worker runs when this returns. */
export async function beginCycle(
  task: Task,
  worker: Worker,
  about: string,
  event: "WorkerSpawned" | "WorkerProgressed" | "WorkerResumed",
): Promise<void> {
  const { plan } = worker;
  await takePlace(task, worker);
  if (event === "WorkerProgressed")
    worker.session = carryConversation(
      task,
      task.runtime.state(conversations),
      worker.session,
      plan.carry.transcriptMode,
    );
  worker.move("running");
  worker.startedAt = newId(task);
  worker.finishedAt = null;
  worker.awaitingSince = null;
  worker.error = null;
  worker.endSuspension();
  worker.haltRequest = null;
  if (event !== "WorkerResumed" || worker.history.length === 0) worker.history.push(about);
  const home = worker.cycle ?? worker.home;
  const { task: child } = spawnTask(task, (own) => runCycle(own, worker, about));
  // Later cycles stay under what was around the first, whoever begins them.
  pinTask(child, home ?? task);
  const workspace = worker.place?.workspace;
  if (workspace !== undefined && workspace !== workspaces.current(child)) workspaces.enter(child, workspace);
  worker.cycle = child;
  task.runtime.state(workers).mark(child, worker);
  await changeStatus(task, worker, event);
}

/** A task that stands for what is around a loop now: its later cycles stay under that, and belong to `session`. */
export function standIn(task: Task, session: string | null): Task {
  const { task: home } = spawnTask(task, () => null);
  task.runtime.state(conversations).setSession(home, session);
  return home;
}

async function runCycle(task: Task, worker: Worker, about: string): Promise<null> {
  let end: CycleEnd | undefined;
  let error: string | null = null;
  try {
    end = await worker.plan.cycle(task, worker, about);
    error = end.error;
  } catch (failure) {
    if (!(failure instanceof ScriptError)) throw failure;
    error = typeof failure.value === "string" ? failure.value : uncaughtText(failure);
  }
  // Whoever closed it meanwhile has said how it ended.
  if (worker.status !== "running" || worker.cycle !== task) return null;
  take(task, worker, end);
  worker.error = error;
  const event = settle(task, worker, end);
  if (worker.isOver) await leavePlace(task, worker);
  await changeStatus(task, worker, event);
  if (end?.status === "suspended") await emitSuspended(task, worker);
  return null;
}

/** What the cycle leaves behind. */
function take(task: Task, worker: Worker, end: CycleEnd | undefined): void {
  const { carry } = worker.plan;
  const store = task.runtime.state(conversations);
  const conversation = store.get(worker.session);
  if (conversation !== undefined) {
    conversation.disposable = false;
    if (carry.transcriptMode === "compact" && end?.status !== "suspended")
      compactConversation(store, worker.session);
    worker.transcript = transcriptOf(conversation);
  }
  if (end === undefined) return;
  // Whatever the worker did, its text stands at one place.
  const result = end.payload.with("answer", end.text);
  worker.result = result.has("transcript") ? result.with("transcript", worker.transcript) : result;
  worker.lastText = end.text;
  worker.artifacts =
    carry.artifactMode === "inherit" ? [...worker.artifacts, ...end.artifacts] : end.artifacts;
}

function settle(task: Task, worker: Worker, end: CycleEnd | undefined): WorkerEvent {
  const { haltRequest } = worker;
  worker.haltRequest = null;
  if (end?.status === "suspended") {
    if (haltRequest?.end === "stopped") return finish(task, worker, "stopped", "WorkerStopped");
    // What suspended it is known since its loop stood still (suspension/suspension-port.ts).
    worker.error = null;
    worker.move("suspended");
    return "WorkerSuspended";
  }
  // Asked to stop, and done before it could be stopped: it is over either way.
  if (haltRequest?.end === "stopped") return finish(task, worker, "stopped", "WorkerStopped");
  if (end === undefined || end.status === "failed") return finish(task, worker, "failed", "WorkerFailed");
  if (!worker.plan.carry.retriggerable) return finish(task, worker, "completed", "WorkerCompleted");
  worker.move("idle");
  worker.awaitingSince = newId(task);
  return "WorkerWaitingForInput";
}

/** Makes the place where it works, unless it has one. */
export async function takePlace(task: Task, worker: Worker): Promise<void> {
  const { execution, mode } = worker.plan;
  if (execution !== null && worker.place?.isGone !== false)
    worker.place = await openPlace(task, execution, worker.id, callerOf[mode]);
}

/** Nobody needs its place any more; another cycle makes it anew. */
export async function leavePlace(task: Task, worker: Worker): Promise<void> {
  const { place } = worker;
  if (place !== null && !place.isGone) await closePlace(task, place);
}

/** How errors about its place begin. */
const callerOf: Readonly<Record<WorkerMode, string>> = {
  stage: "spawn_agent",
  workflow: "spawn_agent",
  sub_agent: "sub_agent_run",
  top_level_agent: "resume_agent",
};

/** Over, until somebody begins another cycle. */
export function finish(
  task: Task,
  worker: Worker,
  status: "completed" | "failed" | "cancelled" | "stopped",
  event: WorkerEvent,
): WorkerEvent {
  worker.move(status);
  worker.finishedAt = newId(task);
  return event;
}
