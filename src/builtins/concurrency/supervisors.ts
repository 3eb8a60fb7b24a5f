/**
 * Supervisors (builtins.md §2.16): children that are run again when they fail. Each life of a child is a task of its
 * own; what a supervisor decides (restart, give up, take others down) happens at the end of a life, in that task.
 *
 *   running ──▶ completed (all children ended)   stopped (supervisor_stop)   failed (escalate_to_parent)
 */

import { backoffMs } from "../../effects/index.ts";
import {
  cancelGracefully,
  cancelHandle,
  milliseconds,
  type Runtime,
  spawnTask,
  stateKey,
  type Task,
  type TaskHandle,
  type TaskLocals,
} from "../../interp/index.ts";
import { at, defineBuiltins, type Read, readRows } from "../../table/index.ts";
import {
  type Callable,
  Dict,
  List,
  runtimeError,
  ScriptError,
  uncaughtText,
  type Value,
} from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";
import { type restartFields, supervisorFields } from "../rows/concurrency.ts";
import { realSleep } from "../time/clock.ts";
import { wallClock } from "../time/clock-state.ts";

type ChildStatus = "starting" | "running" | "restarting" | "stopped" | "failed" | "suppressed";

interface SupervisorChild {
  readonly name: string;
  readonly kind: string;
  readonly body: Callable;
  readonly policy: Read<typeof restartFields>;
  readonly lease: Value;
  status: ChildStatus;
  restarts: number;
  /** When it was restarted, within the window. */
  restartTimes: number[];
  lastError: Value;
  waitReason: Value;
  nextRestart: Value;
  handle: TaskHandle | undefined;
  /** Lives begun: a life that is not the newest has no say any more. */
  lives: number;
}

type SupervisorStatus = "running" | "completed" | "stopped" | "failed";

interface TaskSupervisor {
  readonly id: string;
  readonly name: string;
  readonly strategy: Read<typeof supervisorFields>["strategy"];
  readonly shutdownMs: number;
  readonly owner: Task;
  /** What was in force where it was started: every life of a child is under that. */
  readonly locals: TaskLocals;
  readonly children: SupervisorChild[];
  readonly events: Dict[];
  readonly metrics: Record<
    "started" | "stopped" | "failed" | "restarted" | "suppressed" | "escalated",
    number
  >;
  status: SupervisorStatus;
}

const supervisorState = stateKey<Map<string, TaskSupervisor>>("supervisors", () => new Map());

/** Every supervisor that was started in the run, running and over, for `runtime_context().debug`. */
export const supervisorStates = (runtime: Runtime): Dict[] =>
  [...runtime.state(supervisorState).values()].map(stateOf);

function open(task: Task, options: Dict): TaskSupervisor {
  const { children, shutdownMs, strategy, ...read } = readRows(
    options,
    supervisorFields,
    at("supervisor_start"),
  );
  const all = task.runtime.state(supervisorState);
  const id = read.id ?? `supervisor_${all.size + 1}`;
  if (all.get(id)?.status === "running")
    throw runtimeError(`supervisor_start: supervisor '${id}' is running already`);
  const supervisor: TaskSupervisor = {
    id,
    name: read.name ?? id,
    strategy,
    shutdownMs,
    owner: task,
    locals: task.locals,
    children: children.map(({ name, kind, task: body, restart, activeLease }, index) => ({
      name: name ?? `child_${index}`,
      kind,
      body,
      policy: restart,
      lease: activeLease,
      status: "starting",
      restarts: 0,
      restartTimes: [],
      lastError: null,
      waitReason: null,
      nextRestart: null,
      handle: undefined,
      lives: 0,
    })),
    events: [],
    metrics: { started: 0, stopped: 0, failed: 0, restarted: 0, suppressed: 0, escalated: 0 },
    status: "running",
  };
  all.set(id, supervisor);
  return supervisor;
}

function noteSupervisor(
  task: Task,
  supervisor: TaskSupervisor,
  kind: string,
  child: SupervisorChild | undefined,
  message: string,
): void {
  supervisor.events.push(
    Dict.of({
      seq: supervisor.events.length,
      at_ms: wallClock(task),
      supervisor_id: supervisor.id,
      child: child?.name ?? null,
      kind,
      message,
    }),
  );
}

/** Begins a life of a child, after a pause. */
function beginLife(from: Task, supervisor: TaskSupervisor, child: SupervisorChild, pauseMs: number): void {
  child.lives++;
  const life = child.lives;
  const live = async (task: Task): Promise<Value> => {
    if (pauseMs > 0) await realSleep(task, pauseMs);
    if (child.lives !== life || supervisor.status !== "running") return null;
    child.status = "running";
    child.waitReason = null;
    child.nextRestart = null;
    supervisor.metrics.started++;
    noteSupervisor(task, supervisor, "child_started", child, `${child.name} started`);
    try {
      await child.body.call(task, [contextOf(supervisor, child)]);
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      if (child.lives === life) childFailed(task, supervisor, child, uncaughtText(error));
      return null;
    }
    if (child.lives === life) childSucceeded(task, supervisor, child);
    return null;
  };
  child.handle = spawnTask(from, live, supervisor.locals);
}

function contextOf(supervisor: TaskSupervisor, child: SupervisorChild): Dict {
  return Dict.of({
    supervisor_id: supervisor.id,
    supervisor: supervisor.name,
    name: child.name,
    kind: child.kind,
    restart_count: child.restarts,
    active_lease: child.lease,
  });
}

function childSucceeded(task: Task, supervisor: TaskSupervisor, child: SupervisorChild): void {
  if (child.policy.mode === "always" && supervisor.status === "running" && !task.cancelled) {
    restart(task, supervisor, child);
    return;
  }
  stoppedSupervisor(task, supervisor, child);
  completeIfOver(task, supervisor);
}

function stoppedSupervisor(task: Task, supervisor: TaskSupervisor, child: SupervisorChild): void {
  child.status = "stopped";
  child.waitReason = null;
  child.nextRestart = null;
  supervisor.metrics.stopped++;
  noteSupervisor(task, supervisor, "child_stopped", child, `${child.name} stopped`);
}

function childFailed(task: Task, supervisor: TaskSupervisor, child: SupervisorChild, message: string): void {
  // Asked to stop, a child may well end with the cancellation that it was sent.
  if (supervisor.status === "stopped") {
    stoppedSupervisor(task, supervisor, child);
    return;
  }
  child.lastError = message;
  child.status = "failed";
  supervisor.metrics.failed++;
  noteSupervisor(task, supervisor, "child_failed", child, message);
  if (task.cancelled) return;
  if (supervisor.strategy === "escalate_to_parent") escalate(task, supervisor, child);
  else if (child.policy.mode !== "never") restart(task, supervisor, child);
  else completeIfOver(task, supervisor);
}

/** Runs a child again, and what its strategy takes with it; or gives it up when it failed too often. */
function restart(task: Task, supervisor: TaskSupervisor, child: SupervisorChild): void {
  const { policy } = child;
  const now = wallClock(task);
  child.restartTimes = child.restartTimes.filter((at) => now - at < policy.windowMs);
  if (child.restartTimes.length >= policy.maxRestarts) {
    suppress(task, supervisor, child, now);
    return;
  }
  child.restartTimes.push(now);
  const { backoffMs: baseMs, factor, maxBackoffMs: maxMs } = policy;
  const jitter = policy.jitterMs > 0 ? task.runtime.effects.random32(task.scope) % (policy.jitterMs + 1) : 0;
  const pause = Math.round(backoffMs({ baseMs, factor, maxMs }, child.restartTimes.length)) + jitter;
  for (const one of takenDown(supervisor, child)) again(task, supervisor, one, pause, now);
}

/** The children that a restart of `child` restarts too. */
function takenDown(supervisor: TaskSupervisor, child: SupervisorChild): readonly SupervisorChild[] {
  const { children, strategy } = supervisor;
  if (strategy === "one_for_all") return children;
  return strategy === "rest_for_one" ? children.slice(children.indexOf(child)) : [child];
}

function again(
  task: Task,
  supervisor: TaskSupervisor,
  child: SupervisorChild,
  pause: number,
  now: number,
): void {
  const { handle } = child;
  if (handle !== undefined && handle.task !== task) cancelHandle(task, handle);
  child.restarts++;
  child.status = "restarting";
  child.waitReason = pause > 0 ? "backoff" : null;
  child.nextRestart = pause > 0 ? now + pause : null;
  supervisor.metrics.restarted++;
  noteSupervisor(task, supervisor, "child_restarted", child, `${child.name} restarts (${child.restarts})`);
  beginLife(supervisor.owner, supervisor, child, pause);
}

function suppress(task: Task, supervisor: TaskSupervisor, child: SupervisorChild, now: number): void {
  const { circuitOpenMs } = child.policy;
  child.status = "suppressed";
  child.waitReason = "restart_cap_exceeded";
  supervisor.metrics.suppressed++;
  noteSupervisor(task, supervisor, "child_suppressed", child, `${child.name} failed too often`);
  if (circuitOpenMs === null) {
    completeIfOver(task, supervisor);
    return;
  }
  // Half open: one more life after a while; its failure opens the circuit again.
  child.nextRestart = now + circuitOpenMs;
  beginLife(supervisor.owner, supervisor, child, Math.max(1, circuitOpenMs));
}

function escalate(task: Task, supervisor: TaskSupervisor, child: SupervisorChild): void {
  supervisor.status = "failed";
  supervisor.metrics.escalated++;
  noteSupervisor(
    task,
    supervisor,
    "supervisor_escalated",
    child,
    `${child.name} failed: ${String(child.lastError)}`,
  );
  for (const other of supervisor.children) {
    if (other === child || other.handle === undefined || other.handle.over) continue;
    other.lives++;
    cancelHandle(task, other.handle);
    stoppedSupervisor(task, supervisor, other);
  }
}

function completeIfOver(task: Task, supervisor: TaskSupervisor): void {
  const ended: readonly ChildStatus[] = ["stopped", "failed", "suppressed"];
  if (supervisor.status !== "running" || !supervisor.children.every((child) => ended.includes(child.status)))
    return;
  if (supervisor.children.some((child) => child.status === "suppressed" && child.nextRestart !== null))
    return;
  supervisor.status = "completed";
  noteSupervisor(task, supervisor, "supervisor_completed", undefined, `${supervisor.name} completed`);
}

function find(task: Task, caller: string, value: Argument): TaskSupervisor {
  const id = value instanceof Dict ? textOf(value.get("id")) : textOf(value);
  const supervisor = task.runtime.state(supervisorState).get(id);
  if (supervisor === undefined) throw runtimeError(`${caller}: unknown supervisor '${id}'`);
  return supervisor;
}

const supervisorMetrics = (supervisor: TaskSupervisor): Dict => Dict.of({ ...supervisor.metrics });

function stateOf(supervisor: TaskSupervisor): Dict {
  const children = supervisor.children.map((child) =>
    Dict.of({
      name: child.name,
      kind: child.kind,
      status: child.status,
      restart_count: child.restarts,
      last_error: child.lastError,
      current_wait_reason: child.waitReason,
      active_lease: child.lease,
      next_restart_time: child.nextRestart,
    }),
  );
  return Dict.of({
    _type: "supervisor",
    id: supervisor.id,
    name: supervisor.name,
    status: supervisor.status,
    strategy: supervisor.strategy,
    metrics: supervisorMetrics(supervisor),
    children: new List(children),
  });
}

/** Asks all children to stop, waits for them, ends those that do not. */
async function stopSupervisor(task: Task, supervisor: TaskSupervisor, timeout: Argument): Promise<Value> {
  if (supervisor.status !== "running") return stateOf(supervisor);
  supervisor.status = "stopped";
  const ms = (timeout === undefined ? undefined : milliseconds(timeout)) ?? supervisor.shutdownMs;
  for (const child of supervisor.children) {
    const { handle } = child;
    if (handle === undefined || handle.over) continue;
    await cancelGracefully(task, handle, ms);
    // It had not begun, paused before a new life, or had to be ended by force.
    if (child.status !== "stopped") stoppedSupervisor(task, supervisor, child);
  }
  noteSupervisor(task, supervisor, "supervisor_stopped", undefined, `${supervisor.name} stopped`);
  return stateOf(supervisor);
}

const common = { effect: "state", performs: true } as const;

export const supervisors = defineBuiltins(
  "concurrency",
  {
    supervisor_start: {
      ...common,
      doc:
        "Runs children (`{name, kind, task: ctx -> value, restart, active_lease}`) and runs them again as their `restart` " +
        "says: `never`, `always`, `on_failure`, or a dict `{mode, max_restarts, window_ms, backoff_ms, max_backoff_ms, " +
        "factor, jitter_ms, circuit_open_ms}`. Strategies: `one_for_one`, `one_for_all`, `rest_for_one`, `escalate_to_parent`.",
      sig: "(options!: dict) -> dict",
      traits: ["opens"],
      fields: { options: () => supervisorFields },
      run: (task, options: Dict) => {
        const supervisor = open(task, options);
        noteSupervisor(task, supervisor, "supervisor_started", undefined, `${supervisor.name} started`);
        for (const child of supervisor.children) beginLife(task, supervisor, child, 0);
        completeIfOver(task, supervisor);
        return Dict.of({ _type: "supervisor", id: supervisor.id, name: supervisor.name });
      },
    },
    supervisor_state: {
      ...common,
      doc: "Status, metrics and children of a supervisor.",
      sig: "(supervisor: dict | string) -> dict",
      run: (task, input: Argument) => stateOf(find(task, "supervisor_state", input)),
    },
    supervisor_events: {
      ...common,
      doc: "What happened under a supervisor, in order.",
      sig: "(supervisor: dict | string) -> list",
      run: (task, input: Argument) => new List([...find(task, "supervisor_events", input).events]),
    },
    supervisor_metrics: {
      ...common,
      doc: "Counts of a supervisor: started, stopped, failed, restarted, suppressed, escalated.",
      sig: "(supervisor: dict | string) -> dict",
      run: (task, input: Argument) => supervisorMetrics(find(task, "supervisor_metrics", input)),
    },
    supervisor_stop: {
      ...common,
      doc: "Asks the children to stop (they see `is_cancelled()`; sleeping ones get a cancellation they can catch), waits, and gives the state.",
      sig: "(supervisor: dict | string, timeout?: duration | int) -> dict",
      suspends: "may",
      run: (task, input: Argument, timeout: Argument) =>
        stopSupervisor(task, find(task, "supervisor_stop", input), timeout),
    },
  },
  { supervisor: "a supervisor, as `supervisor_start` gives it" },
);
