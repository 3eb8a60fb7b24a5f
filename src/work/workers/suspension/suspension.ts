/**
 * Suspending workers and stopping them in good order (agents.md §17.5). A worker suspends before the next turn of its outermost
 * loop: the turn in progress, with its tools and the loops in them, is finished first. Whoever asks waits for that, unless
 * it is the worker itself or works for it.
 */
import { type Initiator, runningLoops, runSessionHooks } from "../../../agent/index.ts";
import type { Task } from "../../../interp/index.ts";
import { at, row } from "../../../table/index.ts";
import { Dict, thrown, type Value } from "../../../values/index.ts";
import type { HaltRequest, Worker } from "../worker.ts";
import { finish, leavePlace } from "../worker-cycle.ts";
import { changeStatus } from "../worker-events.ts";
import { handleOf } from "../worker-handle.ts";
import { portsOf } from "../worker-ports.ts";
import { workers } from "../worker-table.ts";
import { parseConditions } from "./resume-conditions.ts";
import { suspensionError } from "./suspension-error.ts";

const initiators: readonly Initiator[] = ["self_initiated", "parent", "operator", "triggered"];

/** `suspend_agent(worker, reason, options)`. */
export async function suspendAgent(task: Task, value: Value, reason: Value, options: Value): Promise<Dict> {
  const table = task.runtime.state(workers);
  const worker = table.need("suspend_agent", value);
  const said = options instanceof Dict ? options : new Dict();
  const inside = table.isInside(task, worker);
  const initiator = row
    .oneOf(initiators)
    .read(said.get("initiator") ?? (inside ? "self_initiated" : "parent"), at("suspend_agent", "initiator"));
  const conditions = parseConditions(said.get("conditions") ?? null, (spec) =>
    portsOf(task).checkTrigger(task, spec),
  );
  if (worker.status !== "running") {
    const text = `suspend_agent: worker ${worker.id} is not running (status=${worker.statusWord})`;
    throw suspensionError("HARN-SUS-001", text);
  }
  const why = typeof reason === "string" ? reason : "";
  const fields = Dict.of({ reason: why, initiator, conditions });
  const hooks = await runSessionHooks(task, "PreSuspend", worker.session, fields, worker.plan.name);
  if (hooks.blocked !== null)
    throw thrown(`suspend_agent: worker ${worker.id} is not suspended: ${hooks.blocked}`);
  if (worker.status === "running")
    halt(task, worker, { end: "suspended", reason: why, initiator, conditions });
  if (!inside) await untilHalted(task, worker, "suspend_agent");
  return handleOf(worker);
}

function halt(task: Task, worker: Worker, request: HaltRequest): void {
  worker.haltRequest = request;
  const loop = worker.inPlace ? worker.home : worker.cycle;
  if (loop !== null) task.runtime.state(runningLoops).halt(loop, request.reason);
}

async function untilHalted(task: Task, worker: Worker, caller: string): Promise<void> {
  while (worker.status === "running") await worker.change(task, `${caller} of ${worker.plan.name}`);
}

/** A worker that was stopped in good order, and those that worked for it. */
export interface StoppedWorker {
  readonly worker: Worker;
  readonly children: readonly StoppedWorker[];
}

/** `agent_stop(worker, {graceful: true})`: after the turns in progress, the worker's and those of all below it. */
export async function stopAgent(task: Task, value: Value, reason: string): Promise<StoppedWorker> {
  const table = task.runtime.state(workers);
  const worker = table.need("agent_stop", value);
  if (table.isInside(task, worker)) throw thrown("agent_stop: a worker can't stop itself");
  askToStop(task, worker, reason);
  return await stoppedWorker(task, worker, reason);
}

function askToStop(task: Task, worker: Worker, reason: string): void {
  if (worker.status === "running")
    halt(task, worker, { end: "stopped", reason, initiator: "parent", conditions: null });
  for (const child of task.runtime.state(workers).childrenOf(worker)) askToStop(task, child, reason);
}

async function stoppedWorker(task: Task, worker: Worker, reason: string): Promise<StoppedWorker> {
  await untilHalted(task, worker, "agent_stop");
  if (worker.status === "idle" || worker.status === "suspended") {
    worker.endSuspension();
    const event = finish(task, worker, "stopped", "WorkerStopped");
    await leavePlace(task, worker);
    await changeStatus(task, worker, event);
  }
  const children: StoppedWorker[] = [];
  for (const child of task.runtime.state(workers).childrenOf(worker)) {
    // Those that it began in the meantime were not asked yet.
    askToStop(task, child, reason);
    children.push(await stoppedWorker(task, child, reason));
  }
  return { worker, children };
}
