/**
 * What a program does when it is interrupted (`std/signal`): functions that run before anything unwinds.
 *
 *   interrupt ─▶ handlers, newest first, in a task of their own ─▶ the program unwinds (`finally`, `defer`) ─▶ the end
 *                the program goes on meanwhile
 *
 * All handlers together have `patience`; a handler that fails is reported and the next one runs. Stop and timer are recorded,
 * so a replay calls them at the same place with the same time.
 */

import type { StopRequest } from "../../effects/index.ts";
import { type Callable, Dict, type MaybePromise, ScriptError, uncaughtText } from "../../values/index.ts";
import { startTimer } from "../concurrency/timers.ts";
import { Deadline } from "../deadline.ts";
import { notifyPerson } from "../notify-person.ts";
import { type Runtime, stateKey } from "../runtime.ts";
import { Task } from "../task.ts";
import type { TaskLocals } from "../task-local.ts";
import { ownError } from "../trace.ts";
import { Interruption } from "./interruption.ts";
import { ExitProgram } from "./signals.ts";

/** How long all handlers together may take, in milliseconds. */
const patience = 5000;

const signals: { readonly [reason in StopRequest["reason"]]?: string } = {
  interrupt: "SIGINT",
  terminate: "SIGTERM",
  hangup: "SIGHUP",
};

/** Whether handlers are called for it: somebody wants the run to end, while it could still do something. */
export function isInterrupt({ reason, atOnce }: StopRequest): boolean {
  return atOnce !== true && reason !== "output" && reason !== "parked";
}

/** A handler, and what was in force where it was added: it runs under that. */
interface HandlerEntry {
  readonly call: Callable;
  readonly locals: TaskLocals;
}

/** The handlers of a run. */
export class InterruptHandlers {
  private readonly handlers = new Map<string, HandlerEntry>();
  private added = 0;
  /** What interrupted the run. */
  request: StopRequest | undefined = undefined;

  get any(): boolean {
    return this.handlers.size > 0;
  }

  /** Gives the name by which it is removed. */
  add(task: Task, call: Callable): string {
    this.added++;
    const name = `interrupt_${this.added}`;
    this.handlers.set(name, { call, locals: task.locals });
    return name;
  }

  /** False when there is none of that name. */
  remove(name: string): boolean {
    return this.handlers.delete(name);
  }

  /** Removes all, and says how many there were. */
  clear(): number {
    const { size } = this.handlers;
    this.handlers.clear();
    return size;
  }

  /** Calls them; gives the exit code when one of them has called `exit`. Never rejects. */
  run(runtime: Runtime, request: StopRequest): MaybePromise<number | undefined> {
    const handlers = [...this.handlers.values()].reverse();
    const { effects, host } = runtime;
    const task = new Task(runtime, undefined, "task_interrupt", effects.child(effects.root));
    // It belongs to the stop, and goes on when all others are told of it.
    task.stopped = true;
    const due = effects.mode === "replay" ? undefined : host.clock.monotonic() + patience;
    task.deadline = new Deadline(task, patience, due);
    const result = callAll(task, handlers, stopDict(request));
    if (!(result instanceof Promise)) {
      task.end();
      return result;
    }
    const stop = startTimer(task, patience, "interrupt handlers", () =>
      task.abort(new Interruption("cancelled")),
    );
    return result.finally(() => {
      stop();
      task.end();
    });
  }
}

export const interruptHandlers = stateKey<InterruptHandlers>(
  "interrupt handlers",
  () => new InterruptHandlers(),
);

/** What a handler is given. */
function stopDict({ reason }: StopRequest): Dict {
  return Dict.of({ reason, signal: signals[reason] ?? null });
}

/** One after the other, each only when the one before it has ended. */
function callAll(
  task: Task,
  handlers: readonly HandlerEntry[],
  event: Dict,
  from = 0,
): MaybePromise<number | undefined> {
  for (let at = from; at < handlers.length; at++) {
    const { call, locals } = handlers[at] as HandlerEntry;
    task.locals = locals;
    try {
      const result = call.call(task, [event]);
      if (!(result instanceof Promise)) continue;
      const next = (): MaybePromise<number | undefined> => callAll(task, handlers, event, at + 1);
      return result.then(next, (error) => {
        const end = ended(task, error);
        return end.over ? end.code : next();
      });
    } catch (error) {
      const end = ended(task, error);
      if (end.over) return end.code;
    }
  }
  return undefined;
}

/** What a handler's error means for those after it. */
function ended(task: Task, error: unknown): { readonly over: boolean; readonly code?: number } {
  const own = ownError(error);
  if (own instanceof ExitProgram) return { over: true, code: own.code };
  if (task.deadline?.fired === true || own instanceof Interruption) {
    report(task, `the handlers of the interrupt took longer than ${patience / 1000} s and were ended`);
    return { over: true };
  }
  if (!(own instanceof ScriptError)) throw own;
  report(task, `a handler of the interrupt failed: ${uncaughtText(own)}`);
  return { over: false };
}

function report({ runtime }: Task, text: string): void {
  notifyPerson(runtime, `harn: ${text}\n`);
}
