/** Daemons (agents.md §18): agents that idle between events, each in a task of its own. */

import type { Task } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { daemonFields, loadDaemons } from "../../work/index.ts";
import type { Argument } from "../arguments.ts";

const load = (task: Task) => task.runtime.effects.turns.hold(loadDaemons());

const waiting = { effect: "state", suspends: "may" } as const;

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
