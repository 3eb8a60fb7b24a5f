/** What scripts do with daemons (agents.md §18): spawn, trigger, look, stop, go on. */

import { loadSnapshot, saveSnapshot } from "../../agent/index.ts";
import { Interruption, newId, spawnTask, type Task, wallMs } from "../../interp/index.ts";
import { loadAgentLoop } from "../../skills/index.ts";
import { Dict, optionsDict, ScriptError, shownValue, thrown, type Value } from "../../values/index.ts";
import { Daemon, type Keeping } from "./daemon.ts";
import { loadMeta, ownerGuard, saveMeta, snapshotFile } from "./daemon-files.ts";
import { daemonHandle, daemons, fullSnapshot } from "./daemon-handle.ts";
import { changedPlan, parseDaemonPlan, planFields } from "./daemon-plan.ts";

/** `daemon_spawn(config)`: returns when the daemon idles for the first time, or is over. */
export async function spawnDaemon(task: Task, config: Value): Promise<Dict> {
  const plan = parseDaemonPlan("daemon_spawn", config);
  refuseSecond(task, plan.folder, "daemon_spawn");
  const asked = plan.options.get("session_id");
  const session = typeof asked === "string" ? asked : `daemon_session_${newId(task)}`;
  const daemon = new Daemon(task.runtime, `daemon_${newId(task)}`, plan, session, keepAs("daemon_spawn"));
  return await beginDaemon(task, daemon, "daemon_spawn", false);
}

const keepAs = (caller: string): Keeping => ({
  save: (task, daemon) => saveMeta(task, daemon, caller),
  guard: (task, daemon) => ownerGuard(task, daemon.plan.folder, caller),
});

function refuseSecond(task: Task, folder: string, caller: string): void {
  const other = task.runtime.state(daemons).in(task, folder);
  if (other?.isPending === true)
    throw thrown(`${caller}: the daemon ${other.plan.name} (${other.id}) runs in ${folder} already`);
}

/** Its task, under the rules, for the budget and for the session that are around whoever starts it. */
async function beginDaemon(task: Task, daemon: Daemon, caller: string, isResumed: boolean): Promise<Dict> {
  await saveMeta(task, daemon, caller);
  const { runtime } = task;
  runtime.state(daemons).enter(task, daemon);
  const { task: child } = spawnTask(task, (own) => run(own, daemon, caller, isResumed));
  daemon.cycle = child;
  while (!daemon.settled) await daemon.change(task, `the daemon ${daemon.plan.name}`);
  // It never got as far as idling: that is an error of whoever starts it.
  if (daemon.failure !== null) throw daemon.failure;
  return daemonHandle(daemon);
}

async function run(task: Task, daemon: Daemon, caller: string, isResumed: boolean): Promise<null> {
  const { plan } = daemon;
  const { runChildLoop } = await task.runtime.effects.turns.hold(loadAgentLoop());
  const path = snapshotFile(plan.folder);
  let options = plan.options.merge(Dict.of({ daemon: true, persist_path: path, session_id: daemon.session }));
  if (isResumed) options = options.with("resume_path", path);
  try {
    const { prompt, system } = plan;
    const call = { prompt, system, options, caller, narrowed: true, mailbox: daemon, isResumed };
    const { result } = await runChildLoop(task, call);
    callsOver(daemon, String(result.get("status")), result, null);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    callsOver(daemon, "failed", null, error);
  }
  try {
    await saveMeta(task, daemon, caller);
  } finally {
    daemon.changed();
  }
  return null;
}

function callsOver(daemon: Daemon, status: string, result: Dict | null, failure: ScriptError | null): void {
  if (!daemon.isPending) return;
  daemon.note(daemon.snapshot);
  daemon.events.defer();
  daemon.move(status === "failed" || status === "provider_error" ? "failed" : "completed");
  daemon.endedAs = status;
  daemon.result = result;
  daemon.failure = failure;
}

/** `daemon_trigger(daemon, event)`. */
export async function triggerDaemon(task: Task, value: Value, payload: Value): Promise<Dict> {
  const daemon = task.runtime.state(daemons).need(value);
  if (!daemon.isPending) throw thrown(`daemon_trigger: daemon ${daemon.id} is not running`);
  if (daemon.full) {
    const text = `DaemonQueueFull: daemon ${daemon.plan.name} (${daemon.id}) holds ${daemon.plan.capacity} events, as many as its \`event_queue_capacity\``;
    throw new ScriptError("thrown", text, { category: "DaemonQueueFull" });
  }
  daemon.add(String(Math.floor(wallMs(task) / 1000)), payload);
  await saveMeta(task, daemon, "daemon_trigger");
  const handle = daemonHandle(daemon);
  daemon.rouse();
  return handle;
}

/** `daemon_snapshot(daemon)`. */
export function lookAtDaemon(task: Task, value: Value): Dict {
  const daemon = task.runtime.state(daemons).need(value);
  daemon.cycle?.flushInto(task);
  return fullSnapshot(daemon);
}

/** `daemon_stop(daemon)`: it ends where it is; what it had in flight waits again. */
export async function stopDaemon(task: Task, value: Value): Promise<Dict> {
  const daemon = task.runtime.state(daemons).need(value);
  if (!daemon.isPending) {
    daemon.cycle?.flushInto(task);
    return daemonHandle(daemon);
  }
  // What the loop has done since it idled last is undone with the event that it did it for.
  const saved = daemon.saved ?? daemon.snapshot;
  daemon.move("stopped");
  daemon.events.defer();
  daemon.cycle?.abort(new Interruption("cancelled"));
  daemon.note(
    await saveSnapshot(task, snapshotFile(daemon.plan.folder), saved.with("daemon_state", "stopped")),
  );
  await saveMeta(task, daemon, "daemon_stop");
  daemon.changed();
  daemon.cycle?.flushInto(task);
  return daemonHandle(daemon);
}

/** `daemon_resume(folder, changes?)`: goes on where the daemon of that folder was stopped, or died. */
export async function resumeDaemon(task: Task, value: Value, changes: Value): Promise<Dict> {
  const caller = "daemon_resume";
  const folder = folderOf(value);
  const changed = optionsDict(caller, changes);
  refuseSecond(task, folder, caller);
  const stored = await loadMeta(task, folder);
  const snapshot = await loadSnapshot(task, snapshotFile(folder));
  // A daemon of this run still has its functions; of one of another run there is only what JSON could keep.
  const known = task.runtime.state(daemons).in(task, folder)?.plan;
  const fields = known === undefined ? stored.config : planFields(known);
  const plan = changedPlan(caller, fields, known?.folder ?? folder, changed);
  const daemon = new Daemon(task.runtime, stored.id, plan, stored.session, keepAs(caller));
  const done = snapshot.get("last_event_seq");
  const events = stored.inflight === null ? stored.pending : [stored.inflight, ...stored.pending];
  daemon.events.restore(events, stored.lastSeq, typeof done === "number" ? done : 0);
  return await beginDaemon(task, daemon, caller, true);
}

function folderOf(value: Value): string {
  const path = value instanceof Dict ? value.get("persist_path") : value;
  if (typeof path === "string" && path !== "") return path.length > 1 ? path.replace(/\/+$/, "") : path;
  throw thrown(`daemon_resume: expected the folder of a daemon or its handle; got ${shownValue(value)}`);
}
