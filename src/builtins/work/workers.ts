/**
 * Agents that work for a program: workers beside the script (agents.md §17), sub-agents for a part of the work (§17.4), daemons
 * that idle between events (§18). Each runs in a task of its own.
 */

import { handedDown, watchedEnvelope } from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import { registryEntries, registryOf } from "../../model/index.ts";
import { at, defineBuiltins, keysOf, refusal } from "../../table/index.ts";
import { Dict } from "../../values/index.ts";
import {
  conditionFields,
  daemonFields,
  handleKeys,
  lifecycleFields,
  loadDaemons,
  loadSubAgents,
  makeRequest,
  portsOf,
  spawnFields,
  stopFields,
  stoppedKeys,
  subAgentFields,
  subAgentResultKeys,
  suspendFields,
} from "../../work/index.ts";
import { type Argument, option, textOf } from "../arguments.ts";
import { wireWorkers, workersOf } from "./worker-ports.ts";

const waiting = { effect: "state", suspends: "may" } as const;

export const workerBuiltins = defineBuiltins(
  "workers",
  {
    spawn_agent: {
      ...waiting,
      capability: "model",
      doc: "Starts a worker and gives its handle at once: `{id, name, task, mode, status, result, error, …}`. Config: `{task, node: {kind, mode, prompt, system, tools, model_policy, …} or graph, name?, artifacts?, options?, transcript?, wait?, policy?, tools?, permissions?, approval_policy?, carry?, execution?}` and the request fields. With a graph it runs a workflow; `execution: {cwd, env, worktree: {repo, path, branch, base_ref, cleanup}}` says where it works. The worker has no more tools, money and tokens than the loop around the call.",
      sig: "(config: any) -> dict",
      fields: { config: () => spawnFields },
      resultKeys: () => handleKeys,
      run: async (task, config: Argument) => (await workersOf(task)).spawnAgent(task, config ?? null),
    },
    wait_agent: {
      ...waiting,
      doc: "Waits while a worker (or each of a list) is `running` or `awaiting`, and gives its handle (or theirs).",
      sig: "(worker: any) -> dict | list",
      resultKeys: () => handleKeys,
      run: async (task, worker: Argument) => (await workersOf(task)).waitAgent(task, worker ?? null),
    },
    send_input: {
      ...waiting,
      capability: "model",
      doc: "Gives a worker that has finished another task; `carry` says what it takes along.",
      sig: "(worker: any, task: string) -> dict",
      resultKeys: () => handleKeys,
      run: async (task, worker: Argument, about: Argument) =>
        (await workersOf(task)).sendInput(task, worker ?? null, about ?? null),
    },
    worker_trigger: {
      ...waiting,
      capability: "model",
      doc: "Gives a worker that is `awaiting` (`carry: {retriggerable: true}`) its next task: a string, or a value as JSON text. Gives the running handle.",
      sig: "(worker: any, payload: any) -> dict",
      resultKeys: () => handleKeys,
      run: async (task, worker: Argument, payload: Argument) =>
        (await workersOf(task)).triggerWorker(task, worker ?? null, payload ?? null),
    },
    close_agent: {
      ...waiting,
      doc: 'Ends a worker where it is: status `cancelled`, `error: "worker cancelled"`. One that is over already is `cancelled` too; its `result` stays readable. A second close changes nothing.',
      sig: "(worker: any) -> dict",
      resultKeys: () => handleKeys,
      run: async (task, worker: Argument) => (await workersOf(task)).closeAgent(task, worker ?? null),
    },
    suspend_agent: {
      ...waiting,
      doc: "Parks a running worker before its next turn and waits for that: status `suspended`, `suspension: {reason, initiator, suspended_at, snapshot_ref}`. A worker that ends before its next turn has ended. Option `initiator`: `self_initiated`, `parent`, `operator`, `triggered`.",
      sig: '(worker: any, reason: string = "", options: dict? = nil) -> dict',
      fields: { options: () => suspendFields },
      readsFields: true,
      resultKeys: () => handleKeys,
      run: async (task, worker: Argument, reason: Argument, options: Argument) =>
        (await workersOf(task)).suspendAgent(task, worker ?? null, reason ?? null, options ?? null),
    },
    resume_agent: {
      ...waiting,
      capability: "model",
      doc: "Resumes a suspended worker (handle, id, snapshot or its path): its model is told the reason and the input. `continue_transcript: false` tells it only its task, what it said last and the input.",
      sig: "(worker: any, input: any = nil, continue_transcript: bool = true) -> dict",
      resultKeys: () => handleKeys,
      run: async (task, worker: Argument, input: Argument, continueTranscript: Argument) =>
        (await workersOf(task)).resumeAgent(task, worker ?? null, input ?? null, continueTranscript ?? null),
    },
    agent_stop: {
      ...waiting,
      doc: "Stops a worker. `graceful: true`: after its turn, and all that work for it: `{status, handoff, children, handoffs, worker}`. Otherwise like `close_agent`.",
      sig: "(worker: any, options: dict? = nil) -> dict",
      fields: { options: () => stopFields },
      resultKeys: () => stoppedKeys,
      run: async (task, worker: Argument, options: Argument) => {
        const calls = await workersOf(task);
        if (option(options, "graceful") !== true) return calls.closeAgent(task, worker ?? null, "agent_stop");
        const reason = textOf(option(options, "reason"), "stopped by its parent");
        const stopped = await calls.stopAgent(task, worker ?? null, reason);
        return calls.stoppedDict(task, stopped, reason);
      },
    },
    parse_resume_conditions: {
      ...waiting,
      doc: "Checks resume conditions `{trigger?, timeout?: {duration_minutes, on_timeout}, on_event?}` and fills in what is usual; nil stays nil.",
      sig: "(conditions: dict? = nil) -> dict?",
      example:
        "parse_resume_conditions({timeout: {duration_minutes: 5}}).timeout.on_timeout  // resume_with_summary",
      fields: { conditions: () => conditionFields },
      readsFields: true,
      run: async (task, conditions: Argument) =>
        (await workersOf(task)).parseConditions(conditions ?? null, (spec) =>
          portsOf(task).checkTrigger(task, spec),
        ),
    },
    agent_await_resumption: {
      ...waiting,
      doc: "What a model asks for with the tool of this name, checked: `{reason, conditions, resume_by}`, `resume_by` being when a timeout of the conditions is over. Nothing parks: `agent_loop` does when its model calls the tool, and `suspend_agent` parks a worker.",
      sig: "(reason: string, conditions: dict? = nil) -> dict",
      example: 'agent_await_resumption("the build is over").reason  // the build is over',
      fields: { conditions: () => conditionFields },
      readsFields: true,
      resultKeys: () => keysOf("reason", "conditions", "resume_by"),
      run: async (task, reason: Argument, conditions: Argument) => {
        const { parseRequest } = await workersOf(task);
        const asked = parseRequest(task, reason ?? null, conditions ?? null, (spec) =>
          portsOf(task).checkTrigger(task, spec),
        );
        return Dict.of({ reason: asked.reason, conditions: asked.conditions, resume_by: asked.resumeBy });
      },
    },
    agent_lifecycle_tools: {
      ...waiting,
      doc: "A registry with tools by which a model controls workers, added to the one given: `subagent_pause(handle, reason)`, `subagent_resume(handle, input?, continue_transcript = true)`, `subagent_stop(handle, graceful = true, reason?)`. `subagents: false` adds none of them, `await_resumption: true` adds `agent_await_resumption`, which every loop has anyway.",
      sig: "(registry: dict? = nil, options: dict? = nil) -> dict",
      example: "len(agent_lifecycle_tools().tools)  // 3",
      fields: { options: () => lifecycleFields },
      run: async (task, registry: Argument, options: Argument) => {
        const argument = registry ?? null;
        if (argument !== null && !(argument instanceof Dict && argument.get("_type") === "tool_registry"))
          throw refusal(at("agent_lifecycle_tools", "registry"), "a tool registry", argument);
        const { awaitResumptionEntry, lifecycleEntries } = await workersOf(task);
        const added = option(options, "subagents") === false ? [] : lifecycleEntries();
        if (option(options, "await_resumption") === true) added.push(awaitResumptionEntry());
        const names = new Set(added.map((entry) => entry.get("name")));
        const kept =
          argument === null ? [] : registryEntries(argument).filter((entry) => !names.has(entry.get("name")));
        return registryOf([...kept, ...added]);
      },
    },
    list_agents: {
      ...waiting,
      doc: "The full handles of all workers of the run, sorted by id.",
      sig: "() -> list<dict>",
      example: "list_agents()  // []",
      run: async (task) => (await workersOf(task)).listAgents(task),
    },
  },
  { registry: "a registry, as `tool_registry` gives it" },
);

/** Said in the options, or in a request that was made before. */
const runInBackground = (value: Argument): boolean =>
  value instanceof Dict && value.get("background") === true;

export const subAgents = defineBuiltins("sub_agents", {
  agent_inherited_options: {
    doc: 'In a tool of an agent: the agent\'s options that delegates for parts of its work have, unless they say otherwise: who is asked, and how (docs/control-plane.md, "What holds for who works for it"). `sub_agent_run(task, agent_inherited_options().merge({…}))` runs a child that is asked as its agent is. Empty outside of every agent.',
    sig: "() -> dict",
    effect: "state",
    example: "agent_inherited_options()  // {}",
    run: (task) => handedDown(task, "delegates"),
  },
  sub_agent_request: {
    doc: "What `sub_agent_run` would do with these arguments: `{_type, name, task, session_id, background, options, system?, allowed_tools?, policy?, returns_schema?, token_budget?, carry?, execution?}` and the fields `request`, `research_questions`, `action_items`, `workflow_stages`, `verification_steps` as given. Nothing runs; `sub_agent_run` takes the request in place of a task.",
    sig: "(task: any, options: dict? = nil) -> dict",
    effect: "state",
    example: 'sub_agent_request("Find it.", {allowed_tools: "search"}).allowed_tools  // [search]',
    traits: ["wholeOptions"],
    fields: { options: () => subAgentFields },
    run: (task, about: Argument, options: Argument) => makeRequest(task, "sub_agent_request", about, options),
  },
  sub_agent_run: {
    doc: "Runs a child agent on a task in a session of its own and gives one envelope: `{ok, finished, stop_reason, summary, artifacts, evidence_added, tokens_used, budget_exceeded, session_id, transcript, usage, files_written, data, error}`. Options are those of `agent_loop` and `name`, `allowed_tools`, `token_budget`, `returns: {schema}`, `carry: {transcript_mode}`; `background: true` gives the handle of a worker at once. The child has no more tools, money and tokens than the loop around it; running out of them is `budget_exceeded`, not an error.",
    sig: "(task: any, options: dict? = nil) -> dict",
    effect: "state",
    suspends: "may",
    capability: "model",
    traits: ["wholeOptions"],
    fields: { options: () => subAgentFields },
    resultKeys: () => subAgentResultKeys,
    otherKeys: () => ({
      ...{
        answer: "summary",
        output: "summary",
        text: "summary",
        content: "summary",
        visible_text: "summary",
      },
      success: "ok",
    }),
    run: async (task, about: Argument, options: Argument) => {
      if (runInBackground(about) || runInBackground(options)) {
        return (await workersOf(task)).spawnSubAgent(task, about, options);
      }
      wireWorkers(task);
      const { runSubAgent } = await task.runtime.effects.turns.hold(loadSubAgents());
      return watchedEnvelope(task, await runSubAgent(task, about, options));
    },
  },
});

const load = (task: Task) => task.runtime.effects.turns.hold(loadDaemons());

export const daemonBuiltins = defineBuiltins("daemons", {
  daemon_spawn: {
    ...waiting,
    capability: "model",
    doc: "Starts a daemon and gives its handle when it idles for the first time: `{id, name, status, daemon_state, session_id, persist_path, snapshot_path, pending_event_count, queued_event_count, event_queue_capacity, inflight_event?, result?}`. Config: options of `agent_loop` and `task` (or `prompt`), `persist_path` (or `state_dir`, a folder for its state), `name?`, `system?`, `event_queue_capacity?` (1024).",
    sig: "(config: any) -> dict",
    traits: ["opens"],
    fields: { config: () => daemonFields },
    run: async (task, config: Argument) => (await load(task)).spawnDaemon(task, config ?? null),
  },
  daemon_trigger: {
    ...waiting,
    capability: "model",
    doc: "Gives a daemon an event: kept on disk, told to its model as JSON, one after the other in the order in which they came. Throws `DaemonQueueFull` when as many wait as `event_queue_capacity` allows.",
    sig: "(daemon: any, event: any) -> dict",
    run: async (task, daemon: Argument, event: Argument) =>
      (await load(task)).triggerDaemon(task, daemon ?? null, event ?? null),
  },
  daemon_snapshot: {
    ...waiting,
    doc: "What a daemon has come to: the snapshot of its loop, the fields of its handle, `pending_events` and `inflight_event`.",
    sig: "(daemon: any) -> dict",
    run: async (task, daemon: Argument) => (await load(task)).lookAtDaemon(task, daemon ?? null),
  },
  daemon_stop: {
    ...waiting,
    doc: "Ends a daemon where it is: status `stopped`. An event that it is handling waits again, as if nothing had been done about it.",
    sig: "(daemon: any) -> dict",
    run: async (task, daemon: Argument) => (await load(task)).stopDaemon(task, daemon ?? null),
  },
  daemon_resume: {
    ...waiting,
    capability: "model",
    doc: "Goes on with the daemon of a folder that was stopped, or whose program ended. `changes` are laid over its config; options with functions in them (`tools`, callbacks) are not kept on disk, another program gives them here.",
    sig: "(persist_path: any, changes: dict? = nil) -> dict",
    traits: ["opens"],
    fields: { changes: () => daemonFields },
    run: async (task, path: Argument, changes: Argument) =>
      (await load(task)).resumeDaemon(task, path ?? null, changes ?? null),
  },
});
