/** What scripts do with workers (agents.md §17.1): start, wait, go on, close, list. */

import { callSite, watchedHandle } from "../../agent/index.ts";
import { Interruption, type Task } from "../../interp/index.ts";
import { Dict, jsonStringify, List, thrown, type Value } from "../../values/index.ts";
import { makeRequest } from "../sub-agent-request.ts";
import { spawnPlan } from "./spawn-plan.ts";
import type { Worker } from "./worker.ts";
import { beginCycle, finish, leavePlace } from "./worker-cycle.ts";
import { changeStatus } from "./worker-events.ts";
import { handleOf } from "./worker-handle.ts";
import { subAgentPlan } from "./worker-plan.ts";
import { startWorker, workerEnded } from "./worker-start.ts";
import { workers } from "./worker-table.ts";

/** `spawn_agent(config)`. */
export async function spawnAgent(task: Task, config: Value): Promise<Dict> {
  const at = callSite(task);
  const plan = spawnPlan(task, config);
  const worker = await startWorker(task, plan);
  worker.spawnedAt = at;
  if (config instanceof Dict && config.get("wait") === true) await workerEnded(task, worker, "spawn_agent");
  return returnedHandle(task, worker);
}

/** A handle for a script: what tells of a failed end counts as looking at it. */
const returnedHandle = (task: Task, worker: Worker): Dict =>
  worker.unseen === null ? handleOf(worker) : watchedHandle(task.runtime, handleOf(worker), worker.unseen);

/** `sub_agent_run(task, {background: true})`. */
export async function spawnSubAgent(
  task: Task,
  about: Value | undefined,
  options: Value | undefined,
): Promise<Dict> {
  const at = callSite(task);
  const worker = await startWorker(task, subAgentPlan(makeRequest(task, "sub_agent_run", about, options)));
  worker.spawnedAt = at;
  return handleOf(worker);
}

/** A loop's end waits for the workers of its session: how the first that ran has ended, `null` when none runs. */
export async function awaitWorker(task: Task, sessionId: string): Promise<string | null> {
  const table = task.runtime.state(workers);
  const running = table.all.find(
    (worker) => worker.parentSession === sessionId && worker.isPending && !table.isInside(task, worker),
  );
  if (running === undefined) return null;
  await workerEnded(task, running, "work_complete");
  running.unseen = null;
  const said = running.error ?? running.lastText;
  const text = said === "" ? "" : `: ${said.slice(0, maxWorkerText)}`;
  return `The worker "${running.name}" has ended as ${running.statusWord}${text}`;
}

/** Characters of a worker's last words that the loop is told. */
const maxWorkerText = 2000;

/** `wait_agent(worker | list)`. */
export async function waitAgent(task: Task, input: Value): Promise<Value> {
  const table = task.runtime.state(workers);
  const named = input instanceof List ? input.toArray() : [input];
  const found = named.map((value) => table.need("wait_agent", value));
  if (found.some((worker) => table.isInside(task, worker)))
    throw thrown("wait_agent: a worker can't wait for itself");
  for (const worker of found) await workerEnded(task, worker, "wait_agent");
  return input instanceof List
    ? new List(found.map((worker) => returnedHandle(task, worker)))
    : returnedHandle(task, found[0] as Worker);
}

/** `send_input(worker, task)`. */
export async function sendInput(task: Task, value: Value, about: Value): Promise<Dict> {
  if (value === null || typeof about !== "string")
    throw thrown("send_input: requires worker handle and task text");
  if (about.trim() === "") throw thrown("send_input: task text must not be empty");
  const worker = task.runtime.state(workers).need("send_input", value);
  if (worker.status === "running") throw thrown(`send_input: worker ${worker.id} is still running`);
  if (worker.status === "suspended")
    throw thrown(`send_input: worker ${worker.id} is suspended; resume_agent goes on with it`);
  await beginCycle(task, worker, about, "WorkerProgressed");
  return handleOf(worker);
}

/** `worker_trigger(worker, payload)`: the next task of a worker that waits for one. */
export async function triggerWorker(task: Task, value: Value, payload: Value): Promise<Dict> {
  if (value === null || payload === null) throw thrown("worker_trigger: requires worker handle and payload");
  const about = typeof payload === "string" ? payload : jsonStringify(payload);
  if (about.trim() === "") throw thrown("worker_trigger: payload must not be empty");
  const worker = task.runtime.state(workers).need("worker_trigger", value);
  if (!worker.plan.carry.retriggerable)
    throw thrown(`worker_trigger: worker ${worker.id} is not retriggerable`);
  if (worker.status === "running") throw thrown(`worker_trigger: worker ${worker.id} is still running`);
  if (worker.status !== "idle")
    throw thrown(`worker_trigger: worker ${worker.id} is not awaiting (status=${worker.statusWord})`);
  await beginCycle(task, worker, about, "WorkerProgressed");
  return handleOf(worker);
}

/** `close_agent(worker)`: it is cancelled, whatever it was; what it came to stays readable. A second close changes nothing. */
export async function closeAgent(task: Task, value: Value, caller = "close_agent"): Promise<Dict> {
  const worker = task.runtime.state(workers).need(caller, value);
  if (worker.inPlace)
    throw thrown(
      `${caller}: worker ${worker.id} is at work in the call that began it, and ends with that call`,
    );
  if (worker.status !== "cancelled") {
    const running = worker.status === "running" ? worker.cycle : null;
    const event = finish(task, worker, "cancelled", "WorkerCancelled");
    worker.error = "worker cancelled";
    running?.abort(new Interruption("cancelled"));
    worker.endSuspension();
    await leavePlace(task, worker);
    await changeStatus(task, worker, event);
  }
  return handleOf(worker);
}

/** `list_agents()`: every worker of the run as `wait_agent` shows it, sorted by id. */
export const listAgents = (task: Task): List =>
  new List(
    task.runtime
      .state(workers)
      .all.sort((a, b) => (a.id < b.id ? -1 : 1))
      .map((worker) => returnedHandle(task, worker)),
  );
