/**
 * A worker of another run, taken over from its file (agents.md §17.3): the loop alone, with its stored options and its
 * transcript. Functions did not survive: tools without a handler are left out, and a worker that was guarded by one is not
 * taken over at all. One process takes it: the file is renamed away first, which only one can do.
 */

import {
  isTranscript,
  restoreBatch,
  restoreTaskState,
  seedConversation,
  withoutLostChecks,
} from "../../../agent/index.ts";
import { isPending, statusOfWord, type WorkStatus } from "../../../durable/index.ts";
import { type Json, shape } from "../../../effects/index.ts";
import { HostError } from "../../../host/index.ts";
import type { Task } from "../../../interp/index.ts";
import { newId, notifyPerson } from "../../../interp/index.ts";
import { conversations, patternMatcher } from "../../../model/index.ts";
import { Dict, display, List, toJson, type Value } from "../../../values/index.ts";
import { spawnPlan } from "../spawn-plan.ts";
import { Worker, type WorkerPlan } from "../worker.ts";
import { subAgentPlan } from "../worker-plan.ts";
import { folderOf } from "../worker-ports.ts";
import { workers } from "../worker-table.ts";
import {
  checkedSnapshot,
  closuresOf,
  type ReadSnapshot,
  unreadable,
  workerSnapshotAt,
} from "./snapshot-file.ts";
import { topLevelPlan } from "./suspended-loop-plan.ts";
import { suspensionError } from "./suspension-error.ts";
import { writeWorkerSnapshot } from "./worker-snapshot.ts";

/** From a snapshot or the path of one. One of this run is the worker itself. */
export async function rehydrated(task: Task, text: string | Dict): Promise<Worker> {
  const name = typeof text === "string" ? text : display(text.get("id") ?? "dict");
  const read =
    typeof text === "string"
      ? await workerSnapshotAt(task, text)
      : { path: null, snapshot: checkedSnapshot(task.runtime.host.crypto, name, text) };
  const table = task.runtime.state(workers);
  const known = table.find(read.snapshot.get("id") as string);
  if (known !== undefined) return known;
  const status = await statusOf(task, name, read.snapshot);
  const worker = await rehydratedWorkerOf(task, name, read, status);
  if (status === "suspended" || status === "interrupted") await claim(task, worker);
  restoreConversation(task, worker, read.snapshot);
  table.add(worker);
  return worker;
}

/** What is true of it now: one whose process has ended was interrupted. */
async function statusOf(task: Task, name: string, snapshot: Dict): Promise<WorkStatus> {
  const status = statusOfWord("stage", snapshot.get("status"));
  if (status === undefined)
    throw unreadable(name, `its status is \`${display(snapshot.get("status") ?? null)}\``);
  if (!isPending(status)) return status;
  const cold = snapshot.get("cold_start");
  const owner = cold instanceof Dict ? cold.get("process") : null;
  if (!(owner instanceof Dict) || !(await isWorkerAtWork(task, owner))) return "interrupted";
  throw unreadable(name, `process ${display(owner.get("pid") ?? null)} is at work on it`);
}

/** Looked at once in a run: a replay must not depend on what runs now. */
async function isWorkerAtWork(task: Task, owner: Dict): Promise<boolean> {
  const pid = owner.get("pid");
  return await task.perform<boolean>({
    effect: "observe",
    kind: "worker.at_work",
    args: () => ({ host: String(owner.get("host")), pid: Number(pid) }),
    run: () => {
      const { host } = task.runtime;
      if (owner.get("host") !== host.hostName || pid === host.pid) return false;
      return (host.sensors?.processes() ?? []).some((one) => one.pid === pid);
    },
    result: shape.flag,
  });
}

async function rehydratedWorkerOf(
  task: Task,
  name: string,
  read: ReadSnapshot,
  status: WorkStatus,
): Promise<Worker> {
  const { snapshot } = read;
  const text = (key: string): string | null => {
    const value = snapshot.get(key);
    return typeof value === "string" ? value : null;
  };
  const audit = snapshot.get("audit") as Dict;
  const parent = audit.get("parent_session_id");
  const snapshotPath = read.path ?? (await ownSnapshotPath(task, name, text("snapshot_path") as string));
  const plan = planOf(task, name, snapshot);
  const worker = new Worker(task.runtime, plan, {
    id: text("id") as string,
    parent: text("parent_worker_id"),
    parentSession: typeof parent === "string" ? parent : null,
    snapshotPath,
    createdAt: text("created_at") ?? newId(task),
    status,
  });
  worker.startedAt = text("started_at");
  worker.finishedAt = text("finished_at");
  worker.error = text("latest_error");
  worker.lastText = text("last_text") ?? "";
  worker.streak = toJson(snapshot.get("streak") ?? null) as Json;
  worker.transcript = snapshot.get("transcript") ?? null;
  const payload = snapshot.get("latest_payload");
  worker.result = payload instanceof Dict ? payload : null;
  const [run, runPath] = [text("child_run_id"), text("child_run_path")];
  if (run !== null && runPath !== null) worker.childRun = { id: run, path: runPath };
  worker.history.push(...texts(snapshot.get("history")));
  worker.artifacts = listOf(snapshot.get("artifacts"));
  const suspension = snapshot.get("suspension");
  if (status === "suspended" && suspension instanceof Dict) worker.suspension = suspensionIn(suspension);
  return worker;
}

/** A dict may come from anywhere: what it says about paths counts only within the folder of workers. */
async function ownSnapshotPath(task: Task, name: string, path: string): Promise<string> {
  const folder = await folderOf(task);
  const rest = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : "";
  if (rest !== "" && !rest.includes("/") && rest !== "..") return path;
  throw unreadable(name, `its snapshot_path ${path} lies outside of the folder of workers, ${folder}`);
}

const listOf = (value: Value | undefined): readonly Value[] => (value instanceof List ? value.toArray() : []);
const texts = (value: Value | undefined): string[] =>
  listOf(value).filter((item): item is string => typeof item === "string");

function suspensionIn(dict: Dict): NonNullable<Worker["suspension"]> {
  const initiator = dict.get("initiator");
  const turn = dict.get("suspended_at_turn");
  return {
    reason: display(dict.get("reason") ?? ""),
    initiator:
      initiator === "parent" || initiator === "triggered" || initiator === "self_initiated"
        ? initiator
        : "operator",
    suspendedAt: display(dict.get("suspended_at") ?? ""),
    turn: typeof turn === "number" ? turn : 0,
    conditions: null,
    trigger: null,
  };
}

// ── the plan ──────────────────────────────────────────────────────────────────────────────────────────────────────

function planOf(task: Task, name: string, snapshot: Dict): WorkerPlan {
  const config = (snapshot.get("config") as Dict).without("mode");
  const closures = closuresOf(snapshot);
  refuseGuards(name, closures);
  if (closures.length > 0) {
    const left = closures.map((path) => path.slice("config.".length)).join(", ");
    notifyPerson(
      task.runtime,
      `harn: functions live in the run that made them; left out of worker ${String(snapshot.get("id"))}: ${left}\n`,
    );
  }
  const session = String((snapshot.get("audit") as Dict).get("session_id"));
  const plan = planFor(task, name, String(snapshot.get("mode")), config);
  return { ...plan, session };
}

function planFor(task: Task, name: string, mode: string, config: Dict): WorkerPlan {
  const field = (key: string): Dict => {
    const value = config.get(key);
    return value instanceof Dict ? value : new Dict();
  };
  switch (mode) {
    case "stage":
      return spawnPlan(task, config.with("node", runnable(field("node"))));
    case "workflow":
      return spawnPlan(task, config.with("graph", runnableGraph(field("graph"))));
    case "sub_agent":
      return subAgentPlan(config.with("options", runnable(field("options"))));
    case "top_level_agent": {
      const system = config.get("system");
      const call = {
        prompt: display(config.get("task") ?? ""),
        system: typeof system === "string" ? system : null,
        options: runnable(field("options")),
        caller: "resume_agent",
      };
      return topLevelPlan(call, "");
    }
    default:
      throw unreadable(name, `workers of mode \`${mode}\` can't be taken over by another run`);
  }
}

const guards = /\.(permissions|approval_policy|policy|command_policy|hooks|tool_caller|llm_caller)\b/;

/** A rule that is a function does not hold without it. */
function refuseGuards(name: string, closures: readonly string[]): void {
  const guard = closures.find((path) => guards.test(path));
  if (guard === undefined) return;
  throw unreadable(
    name,
    `its loop was guarded by a function (${guard.slice("config.".length)}), which lives in its own run; ` +
      "resume that run, with its journal",
  );
}

function runnableGraph(graph: Dict): Dict {
  const nodes = graph.get("nodes");
  if (!(nodes instanceof Dict)) return graph;
  const kept = [...nodes.entries()].map(([id, node]): [string, Value] => [
    id,
    node instanceof Dict ? runnable(node) : node,
  ]);
  return graph.with("nodes", Dict.from(kept));
}

/** Tools whose handlers are gone are not offered, checks of a contract that were functions can't be looked at. */
function runnable(input: Dict): Dict {
  const contract = input.get("contract");
  const options = contract instanceof Dict ? input.with("contract", withoutLostChecks(contract)) : input;
  const tools = options.get("tools");
  if (tools instanceof List) return options.with("tools", new List([...tools].filter(isRunnable)));
  if (!(tools instanceof Dict)) return options;
  const entries = tools.get("tools");
  if (!(entries instanceof List)) return options;
  return options.with("tools", tools.with("tools", new List([...entries].filter(isRunnable))));
}

const isRunnable = (entry: Value): boolean =>
  entry instanceof Dict && (entry.get("handler") ?? null) !== null
    ? true
    : entry instanceof Dict &&
      ["mcp_server", "provider_native", "host_bridge"].includes(String(entry.get("executor")));

// ── taking it ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Whoever renames the file has it. */
async function claim(task: Task, worker: Worker): Promise<void> {
  const path = worker.snapshotPath;
  await task.perform<null>({
    effect: "write",
    kind: "worker.claim",
    inDoubt: "repeat",
    args: () => ({ id: worker.id }),
    run: () => take(task, worker, path),
    result: shape.nothing,
  });
}

function take(task: Task, worker: Worker, path: string): null {
  const { files, pid } = task.runtime.host;
  const aside = `${path}.${pid}.claim`;
  try {
    files.rename(path, aside);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    throw suspensionError(
      "HARN-SUS-006",
      `resume_agent: worker ${worker.id} can't be taken over: ${error.message}; somebody else may be resuming it (${path})`,
    );
  }
  const problem = writeWorkerSnapshot(worker, task.runtime, "running");
  if (problem === null) files.remove(aside);
  else files.rename(aside, path);
  return null;
}

function restoreConversation(task: Task, worker: Worker, snapshot: Dict): void {
  const conversation = task.runtime.state(conversations).open(worker.session);
  const transcript = snapshot.get("transcript");
  if (conversation.log.length > 0 || !isTranscript(transcript)) return;
  seedConversation(conversation, transcript, "resume_agent");
  restoreTaskState(conversation, transcript, "resume_agent", patternMatcher(task.runtime));
  restoreBatch(conversation, toJson(snapshot.get("open_calls") ?? null) as Json);
}
