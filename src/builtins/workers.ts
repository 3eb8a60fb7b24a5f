/** Workers (agents.md §17): agents that work beside the script, each in a task of its own. */
import type { Task } from "../interp/index.ts";
import { defineBuiltins } from "../table/index.ts";
import { loadWorkers } from "../worker/index.ts";
import { type Given, hostPath } from "./arguments.ts";
import { stateFile } from "./state-files.ts";

/** Where snapshots of workers lie: `HARN_WORKER_STATE_DIR`, else `workers` in the state folder. */
export function workerFolder(task: Task): string {
  const named = task.runtime.host.env.get("HARN_WORKER_STATE_DIR");
  return named !== undefined && named !== "" ? hostPath(task, named) : stateFile(task, "workers");
}

const load = (task: Task) => task.runtime.effects.turns.hold(loadWorkers());
const waiting = { effect: "state", suspends: "may" } as const;

export const workerBuiltins = defineBuiltins("workers", {
  spawn_agent: {
    ...waiting,
    capability: "model",
    doc: "Starts a worker and gives its handle at once: `{id, name, task, mode, status, result, error, …}`. Config: `{task, node: {kind, mode, prompt, system, tools, model_policy, …}, name?, options?, transcript?, wait?, policy?, tools?, permissions?, approval_policy?, carry?}` and the request fields. The worker has no more tools, money and tokens than the loop around the call.",
    sig: "(config: any) -> dict",
    run: async (task, config: Given) => (await load(task)).spawnAgent(task, config ?? null, workerFolder),
  },
  wait_agent: {
    ...waiting,
    doc: "Waits while a worker (or each of a list) is `running` or `awaiting`, and gives its handle (or theirs).",
    sig: "(worker: any) -> dict | list",
    run: async (task, worker: Given) => (await load(task)).waitAgent(task, worker ?? null),
  },
  send_input: {
    ...waiting,
    capability: "model",
    doc: "Gives a worker that has finished another task; `carry` says what it takes along.",
    sig: "(worker: any, task: string) -> dict",
    run: async (task, worker: Given, about: Given) =>
      (await load(task)).sendInput(task, worker ?? null, about ?? null),
  },
  worker_trigger: {
    ...waiting,
    capability: "model",
    doc: "Gives a worker that is `awaiting` (`carry: {retriggerable: true}`) its next task: a string, or a value as JSON text.",
    sig: "(worker: any, payload: any) -> dict",
    run: async (task, worker: Given, payload: Given) =>
      (await load(task)).triggerWorker(task, worker ?? null, payload ?? null),
  },
  close_agent: {
    ...waiting,
    doc: "Ends a worker where it is: status `cancelled`. One that is over stays as it ended.",
    sig: "(worker: any) -> dict",
    run: async (task, worker: Given) => (await load(task)).closeAgent(task, worker ?? null),
  },
  list_agents: {
    ...waiting,
    doc: "All workers of the run, oldest first: their handles without result, request and history.",
    sig: "() -> list<dict>",
    example: "list_agents()  // []",
    run: async (task) => (await load(task)).listAgents(task),
  },
});
