/**
 * Parking workers and going on (agents.md §17.5). A worker parks before the next turn of its outermost loop: the turn
 * under way, with its tools and the loops in them, is finished first. Whoever asks waits for that, unless it is the
 * worker itself or works for it.
 */
import { conversations, readReminder, remindSession, runningLoops } from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import { Dict, display, ScriptError, thrown, type Value } from "../../values/index.ts";
import { notAvailable } from "./not-available.ts";
import type { Worker } from "./worker.ts";
import { beginCycle, finish } from "./worker-cycle.ts";
import { changeStatus } from "./worker-events.ts";
import { handleOf } from "./worker-handle.ts";
import { snapshotId } from "./worker-snapshot.ts";
import { workers } from "./worker-table.ts";

export function suspensionError(code: string, text: string): ScriptError {
  return new ScriptError("thrown", `${code}: ${text}`, { code });
}

const initiators: readonly string[] = ["self_initiated", "parent", "operator", "triggered"];

/** `suspend_agent(worker, reason, options)`. */
export async function suspendAgent(task: Task, given: Value, reason: Value, options: Value): Promise<Dict> {
  const table = task.runtime.state(workers);
  const worker = table.need("suspend_agent", given);
  const said = options instanceof Dict ? options : new Dict();
  const inside = table.isInside(task, worker);
  const initiator = said.get("initiator") ?? (inside ? "self_initiated" : "parent");
  if (typeof initiator !== "string" || !initiators.includes(initiator))
    throw thrown(
      `suspend_agent: initiator must be one of ${initiators.join(", ")}; got \`${display(initiator)}\``,
    );
  if ((said.get("conditions") ?? null) !== null) throw notAvailable("suspend_agent", "conditions");
  if (worker.status !== "running") {
    const text = `suspend_agent: worker ${worker.id} is not running (status=${worker.status})`;
    throw suspensionError("HARN-SUS-001", text);
  }
  park(task, worker, { end: "suspended", reason: typeof reason === "string" ? reason : "", initiator });
  if (!inside) await parked(task, worker, "suspend_agent");
  return handleOf(worker);
}

function park(task: Task, worker: Worker, parking: NonNullable<Worker["parking"]>): void {
  worker.parking = parking;
  if (worker.task !== null) task.runtime.state(runningLoops).park(worker.task, parking.reason);
}

async function parked(task: Task, worker: Worker, caller: string): Promise<void> {
  while (worker.status === "running") await worker.change(task, `${caller} of ${worker.plan.name}`);
}

/** `resume_agent(worker | snapshot, input, continue_transcript)`. */
export async function resumeAgent(task: Task, given: Value, input: Value, goOn: Value): Promise<Dict> {
  const worker = await suspendedWorker(task, given);
  const { status } = worker;
  if (status === "completed") return handleOf(worker);
  if (status === "cancelled" || status === "stopped")
    throw suspensionError("HARN-SUS-010", `resume_agent: worker ${worker.id} is closed (status=${status})`);
  if (status !== "suspended")
    throw suspensionError(
      "HARN-SUS-003",
      `resume_agent: worker ${worker.id} is not suspended (status=${status})`,
    );
  if (input !== null && typeof input !== "string" && !(input instanceof Dict))
    throw suspensionError("HARN-SUS-009", "resume_agent: input must be a string, a dict or nil");
  const text = input === null ? "Go on with your task." : display(input);
  await prepare(task, worker, goOn !== false);
  const about = goOn === false ? `${worker.latestTask}\n\n${summaryText(worker)}${text}` : text;
  await beginCycle(task, worker, about, "WorkerResumed");
  return handleOf(worker);
}

/** A handle, an id, the path of a snapshot or a snapshot: of a worker of this run. */
async function suspendedWorker(task: Task, given: Value): Promise<Worker> {
  const table = task.runtime.state(workers);
  const found = table.find(given);
  if (found !== undefined) return found;
  const path = typeof given === "string" && given.endsWith(".json") ? given : null;
  const isSnapshot = given instanceof Dict && given.get("_type") === "worker_snapshot";
  if (path === null && !isSnapshot) return table.need("resume_agent", given);
  const id = path === null ? display((given as Dict).get("id") ?? null) : await snapshotId(task, path);
  const named = table.find(id);
  if (named !== undefined) return named;
  const what = path ?? id;
  throw suspensionError(
    "HARN-SUS-004",
    `resume_agent: failed to load snapshot \`${what}\`: it belongs to a worker of another run, and going on from there is not available yet`,
  );
}

async function prepare(task: Task, worker: Worker, goOn: boolean): Promise<void> {
  const conversation = task.runtime.state(conversations).open(worker.session);
  if (!goOn) conversation.reset();
  const reason = worker.suspension?.reason ?? "";
  if (reason === "") return;
  const body = `You were suspended: ${reason}`;
  const reminder = readReminder(task, Dict.of({ body, ttl_turns: 1 }), "resume_agent");
  await remindSession(task, conversation, reminder);
}

const summaryText = ({ lastText }: Worker): string =>
  lastText === "" ? "" : `What was said before the suspension:\n${lastText}\n\n`;

/** A worker that was stopped in good order, and those that worked for it. */
export interface Stopped {
  readonly worker: Worker;
  readonly children: readonly Stopped[];
}

/** `agent_stop(worker, {graceful: true})`: after the turns under way, the worker's and those of all below it. */
export async function stopAgent(task: Task, given: Value, reason: string): Promise<Stopped> {
  const table = task.runtime.state(workers);
  const worker = table.need("agent_stop", given);
  if (table.isInside(task, worker)) throw thrown("agent_stop: a worker can't stop itself");
  askToStop(task, worker, reason);
  return await stopped(task, worker, reason);
}

function askToStop(task: Task, worker: Worker, reason: string): void {
  if (worker.status === "running") park(task, worker, { end: "stopped", reason, initiator: "parent" });
  for (const child of task.runtime.state(workers).childrenOf(worker)) askToStop(task, child, reason);
}

async function stopped(task: Task, worker: Worker, reason: string): Promise<Stopped> {
  await parked(task, worker, "agent_stop");
  if (worker.status === "awaiting" || worker.status === "suspended") {
    worker.suspension = null;
    await changeStatus(task, worker, finish(task, worker, "stopped", "WorkerStopped"));
  }
  const children: Stopped[] = [];
  for (const child of task.runtime.state(workers).childrenOf(worker)) {
    // Those that it began in the meantime were not asked yet.
    askToStop(task, child, reason);
    children.push(await stopped(task, child, reason));
  }
  return { worker, children };
}
