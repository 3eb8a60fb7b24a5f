/** Workers (agents.md §17): agents that work beside the script, each in a task of its own. */
import type { Task } from "../interp/index.ts";
import { defineBuiltins } from "../table/index.ts";
import { Dict, List, type Value } from "../values/index.ts";
import { handoffOf, loadWorkers, type Stopped } from "../worker/index.ts";
import { type Given, hostPath, option, textOf } from "./arguments.ts";
import { stateFile } from "./state-files.ts";
import { bindingConfig } from "./triggers/config.ts";

/** Where snapshots of workers lie: `HARN_WORKER_STATE_DIR`, else `workers` in the state folder. */
export function workerFolder(task: Task): string {
  const named = task.runtime.host.env.get("HARN_WORKER_STATE_DIR");
  return named !== undefined && named !== "" ? hostPath(task, named) : stateFile(task, "workers");
}

const load = (task: Task) => task.runtime.effects.turns.hold(loadWorkers());
/** What a stopped worker leaves to its parent, with what those below it leave. */
function stoppedDict(
  task: Task,
  { worker, children }: Stopped,
  reason: string,
  handle: (worker: Stopped["worker"]) => Dict,
): Dict {
  const below = children.map((child) => stoppedDict(task, child, reason, handle));
  const handoff = workerHandoff(task, worker, reason);
  const folded = below.flatMap((child) => (child.get("handoffs") as List).toArray());
  return Dict.of({
    status: worker.status,
    handoff,
    children: new List(below),
    handoffs: new List([handoff, ...folded]),
    worker: handle(worker),
  });
}

function workerHandoff(task: Task, worker: Stopped["worker"], reason: string): Dict {
  const evidence = worker.artifacts.filter((artifact): artifact is Dict => artifact instanceof Dict);
  const field = (dict: Dict, name: string): Value => dict.get(name) ?? null;
  return handoffOf(
    task,
    Dict.of({
      source_persona: worker.plan.name,
      target_persona_or_human: Dict.of({ kind: "persona", id: worker.parentWorker, label: "parent" }),
      task: worker.latestTask,
      reason,
      evidence_refs: new List(
        evidence.map((artifact) =>
          Dict.of({ artifact_id: field(artifact, "id"), label: field(artifact, "title") }),
        ),
      ),
      metadata: Dict.of({
        worker_id: worker.id,
        session_id: worker.session,
        snapshot_path: worker.snapshotPath,
        last_text: worker.lastText,
      }),
    }),
  );
}

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
  suspend_agent: {
    ...waiting,
    doc: "Parks a running worker before its next turn and waits for that: status `suspended`, `suspension: {reason, initiator, suspended_at, snapshot_ref}`. A worker that ends before its next turn has ended. Option `initiator`: `self_initiated`, `parent`, `operator`, `triggered`.",
    sig: '(worker: any, reason: string = "", options: dict? = nil) -> dict',
    run: async (task, worker: Given, reason: Given, options: Given) =>
      (await load(task)).suspendAgent(task, worker ?? null, reason ?? null, options ?? null),
  },
  resume_agent: {
    ...waiting,
    capability: "model",
    doc: "Goes on with a suspended worker (handle, id, snapshot or its path): its model is told the reason and the input. `continue_transcript: false` tells it only its task, what it said last and the input.",
    sig: "(worker: any, input: any = nil, continue_transcript: bool = true) -> dict",
    run: async (task, worker: Given, input: Given, goOn: Given) =>
      (await load(task)).resumeAgent(task, worker ?? null, input ?? null, goOn ?? null),
  },
  agent_stop: {
    ...waiting,
    doc: "Stops a worker. `graceful: true`: after its turn, and all that work for it: `{status, handoff, children, handoffs, worker}`. Otherwise like `close_agent`.",
    sig: "(worker: any, options: dict? = nil) -> dict",
    run: async (task, worker: Given, options: Given) => {
      const calls = await load(task);
      if (option(options, "graceful") !== true) return calls.closeAgent(task, worker ?? null, "agent_stop");
      const reason = textOf(option(options, "reason"), "stopped by its parent");
      const stopped = await calls.stopAgent(task, worker ?? null, reason);
      return stoppedDict(task, stopped, reason, calls.handleOf);
    },
  },
  parse_resume_conditions: {
    ...waiting,
    doc: "Checks resume conditions `{trigger?, timeout?: {duration_minutes, on_timeout}, on_event?}` and fills in what is usual; nil stays nil.",
    sig: "(conditions: dict? = nil) -> dict?",
    example:
      "parse_resume_conditions({timeout: {duration_minutes: 5}}).timeout.on_timeout  // resume_with_summary",
    run: async (task, conditions: Given) =>
      (await load(task)).parseConditions(conditions ?? null, (spec) => {
        const filled = spec.has("handler") ? spec : spec.with("handler", "worker://resume");
        bindingConfig(task, filled, () => "resume");
      }),
  },
  list_agents: {
    ...waiting,
    doc: "All workers of the run, oldest first: their handles without result, request and history.",
    sig: "() -> list<dict>",
    example: "list_agents()  // []",
    run: async (task) => (await load(task)).listAgents(task),
  },
});
