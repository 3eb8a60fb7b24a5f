/**
 * Tasks of their own: `spawn`, `await`, `cancel` and `cancel_graceful` (language.md §13.2), and what happens when
 * every task waits for something that can never come.
 */
import {
  asUncaught,
  Callable,
  Dict,
  err,
  HandleValue,
  List,
  type MaybePromise,
  okResult,
  runtimeError,
  ScriptError,
  SetValue,
  thrown,
  typeOf,
  uncaughtText,
  type Value,
} from "../../values/index.ts";
import { Interruption } from "../interrupts/interruption.ts";
import { limitInMs } from "../limits.ts";
import { stateKey } from "../runtime.ts";
import { describeSite, type Site } from "../site.ts";
import { Task, type Wait } from "../task.ts";
import type { TaskLocals } from "../task-local.ts";
import { type UnseenEnd, unseenEnds } from "../unseen-ends.ts";
import { startTimer } from "./timers.ts";

/** What a task runs: a script function without arguments, or native code. */
type TaskBody = Callable | ((child: Task) => MaybePromise<Value>);

/** Numbers the handles of a run: `vm_task_1`, … */
const handleCount = stateKey<{ last: number }>("task handles", () => ({ last: 0 }));

type TaskState = "waiting" | "running" | "done" | "failed" | "cancelled";

/** The value of `spawn`. */
export class TaskHandle extends HandleValue {
  override readonly type = "task_handle";
  readonly task: Task;
  readonly name: string;
  state: TaskState = "waiting";
  value: Value = null;
  error: unknown = undefined;
  /** Its result was given to somebody. */
  taken = false;
  /** Where the program spawned it; what the runtime spawns for itself has its own ways to say how it ended. */
  site: Site | undefined;
  private unseen: UnseenEnd | undefined;
  private readonly watchers: Wait<void>[] = [];

  constructor(task: Task, name: string) {
    super();
    this.task = task;
    this.name = name;
  }
  display(): string {
    return `<task:${this.name}>`;
  }
  get over(): boolean {
    return this.state !== "waiting" && this.state !== "running";
  }
  /** Waits in `waiter` until the task is over. */
  watch(waiter: Task, what: string): Promise<void> {
    return waiter.park<void>(what, (wait) => {
      this.watchers.push(wait);
      return () => {
        const at = this.watchers.indexOf(wait);
        if (at >= 0) this.watchers.splice(at, 1);
      };
    });
  }
  settle(state: TaskState, value: Value, error: unknown): void {
    if (this.over) return;
    this.state = state;
    this.value = value;
    this.error = error;
    this.task.end();
    for (const watcher of this.watchers.splice(0)) watcher.wake(undefined);
    if (state !== "failed" || this.taken || this.site === undefined || !(error instanceof ScriptError))
      return;
    const text = uncaughtText(error)
      .replace(/^Thrown: /, "")
      .split("\n", 1)[0] as string;
    this.unseen = { what: "task", result: this, at: `${describeSite(this.site)}: `, text };
    this.task.runtime.state(unseenEnds).add(this.unseen);
  }
  /** Somebody takes its result. */
  take(): void {
    this.taken = true;
    if (this.unseen !== undefined) this.task.runtime.state(unseenEnds).delete(this.unseen);
  }
}

/**
 * A child task with a path, an id of its own and a snapshot of its parent's context values. It is under `locals`: what is
 * in force for the parent now, or was where the child was asked for.
 */
export function childTask(
  parent: Task,
  id: string,
  joined: boolean,
  locals: TaskLocals = parent.locals,
): Task {
  const child = new Task(parent.runtime, parent, id, parent.runtime.effects.child(parent.scope));
  child.joined = joined;
  child.locals = locals;
  child.site = parent.site;
  if (parent.context !== undefined) child.context = new Map(parent.context);
  return child;
}

/** Starts a task of its own. It runs its first step when the one that spawned it waits. */
export function spawnTask(parent: Task, body: TaskBody, locals?: TaskLocals): TaskHandle {
  parent.spawns++;
  const child = childTask(parent, `${parent.id}:spawn:${parent.spawns}`, false, locals);
  const count = parent.runtime.state(handleCount);
  count.last++;
  const handle = new TaskHandle(child, `vm_task_${count.last}`);
  parent.runtime.effects.turns.ready({ run: () => startTask(handle, body) });
  return handle;
}

function startTask(handle: TaskHandle, body: TaskBody): void {
  if (handle.state !== "waiting" || handle.task.runtime.stopping !== undefined) return;
  const { task } = handle;
  handle.state = "running";
  const failed = (error: unknown): void => {
    const ended = error instanceof Interruption && error.reason === "cancelled";
    handle.settle(ended ? "cancelled" : "failed", null, isolatedTask(error));
    // `exit` in a task, a limit of the run, or a bug of ours: the program's own task ends with it, awaited or not.
    const own = error instanceof ScriptError || (error instanceof Interruption && error.reason !== "limit");
    if (!own) task.root.interrupt(error);
  };
  try {
    const result = body instanceof Callable ? body.call(task, []) : body(task);
    if (result instanceof Promise) result.then((value) => handle.settle("done", value, undefined), failed);
    else handle.settle("done", result, undefined);
  } catch (error) {
    failed(error);
  }
}

const isolatedTask = (error: unknown): unknown => (error instanceof ScriptError ? asUncaught(error) : error);

/** `await(h)`. */
export function awaitHandle(task: Task, handle: Value): MaybePromise<Value> {
  if (!(handle instanceof TaskHandle)) return noTasksIn("await", handle);
  if (handle.taken) return null;
  handle.take();
  if (handle.over) return join(task, handle);
  return handle.watch(task, `await of ${handle.display()}`).then(
    () => join(task, handle),
    (error) => {
      // The wait was ended, not the task: somebody may still await it.
      handle.taken = false;
      throw error;
    },
  );
}

/** A value that is no task and holds none: several tasks are no task, and who passes them waits for nothing. */
function noTasksIn(caller: string, value: Value): Value {
  const parts =
    value instanceof List
      ? value.toArray()
      : value instanceof SetValue
        ? value.items
        : value instanceof Dict
          ? value.sortedValues()
          : [];
  for (const part of parts)
    if (part instanceof TaskHandle)
      throw runtimeError(
        `${caller} takes one task, got a ${typeOf(value)} of them; write \`tasks.map({ t -> ${caller}(t) })\``,
      );
  return value;
}

function join(task: Task, handle: TaskHandle): Value {
  if (handle.state === "cancelled") return null;
  handle.task.flushInto(task);
  if (handle.state === "failed") throw handle.error;
  return handle.value;
}

/** `cancel(h)`: the task ends where it waits, without its result; one that has not begun never does. */
export function cancelHandle(_task: Task, handle: Value): Value {
  if (handle instanceof TaskHandle) {
    handle.take();
    end(handle);
  } else noTasksIn("cancel", handle);
  return null;
}

function end(handle: TaskHandle): void {
  if (handle.over) return;
  if (handle.state === "running") handle.task.abort(new Interruption("cancelled"));
  else handle.task.cancelRequested = true;
  handle.settle("cancelled", null, undefined);
}

/** A blocking call of a cancelled task throws this once its grace is over. */
const cancelledError = (): ScriptError => thrown("kind:cancelled:VM cancelled by host");

/** How long a task that was asked to stop may go on waiting: long enough to look at `is_cancelled()` in a poll loop. */
const maxGrace = 250;

/** `cancel_graceful(h, timeout)`: asks, waits, and cancels a task that does not end in time. */
export async function cancelGracefully(task: Task, handle: Value, timeout: Value): Promise<Value> {
  if (!(handle instanceof TaskHandle)) noTasksIn("cancel_graceful", handle);
  if (!(handle instanceof TaskHandle) || handle.over || handle.taken) return okResult(null);
  handle.take();
  const ms = Math.max(0, limitInMs(timeout) ?? 5000);
  handle.task.cancelRequested = true;
  if (handle.state === "waiting") {
    handle.settle("cancelled", null, undefined);
    return okResult(null);
  }
  const timers = [
    startTimer(task, Math.min(maxGrace, ms / 2), "cancellation grace", () => endGrace(handle.task)),
    startTimer(task, ms, "cancel_graceful", () => end(handle)),
  ];
  try {
    await handle.watch(task, `cancel_graceful of ${handle.display()}`);
  } finally {
    for (const stop of timers) stop();
  }
  if (handle.state === "cancelled") return err("cancel_graceful: timeout, task forcefully aborted");
  handle.task.flushInto(task);
  if (handle.state === "done") return okResult(handle.value);
  if (handle.error instanceof ScriptError) return err(uncaughtText(handle.error));
  throw handle.error;
}

/** From now on the task's blocking calls throw; one that goes on catching that is ended. */
function endGrace(task: Task): void {
  if (task.ended) return;
  let refused = 0;
  task.blockingError = () => {
    refused++;
    return refused > 100 ? new Interruption("cancelled") : cancelledError();
  };
  if (task.waitingFor !== undefined) task.interrupt(cancelledError());
}
