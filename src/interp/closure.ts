/**
 * Script functions: their code, closures over it, and calling.
 *
 * A call makes a frame, puts the arguments into the first slots, copies the closure's captures (a snapshot: assignments
 * inside never reach the closure) and runs the body. Call sites with a known number of arguments do this inline, without
 * an argument array; `ScriptClosure.call` is the door for native code.
 */
import { Callable, List, type MaybePromise, type Value } from "../values/index.ts";
import { type Frame, newFrame, newFrame1 } from "./frame.ts";
import type { FunctionCode } from "./function-code.ts";
import { TailCall } from "./interrupts/signals.ts";
import { limitCheckpoint } from "./limits.ts";
import type { Task } from "./task.ts";
import { stackOverflow } from "./trace.ts";

const FIRST = 2;

/** Runs a prepared frame. */
export function enter(code: FunctionCode, g: Frame): MaybePromise<Value> {
  const task = g[0] as Task;
  if (++task.steps >= task.checkAt) limitCheckpoint(task);
  if (g[1] > code.maxDepth) throw stackOverflow();
  const result = code.body(g);
  if (code.tails) return bounce(result);
  return result === undefined ? null : result;
}

/** Runs tail calls one after the other, in the place of the call that they end. */
export function bounce(result: unknown): MaybePromise<Value> {
  let at = result;
  while (at instanceof TailCall) {
    const g = at.frame;
    const task = g[0] as Task;
    if (++task.steps >= task.checkAt) limitCheckpoint(task);
    at = at.code.body(g);
  }
  if (at instanceof Promise) return at.then(bounce);
  return at === undefined ? null : (at as Value);
}

/** Arguments into a frame: fills what is missing, drops what is too much, collects the rest. */
export function placeArgs(code: FunctionCode, g: Frame, args: readonly Value[]): void {
  const { arity } = code;
  for (let i = 0; i < arity; i++) g[FIRST + i] = i < args.length ? args[i] : code.missing;
  if (code.rest) g[FIRST + arity] = new List(args.slice(arity));
}

export class ScriptClosure extends Callable {
  declare readonly type: "closure";
  readonly code: FunctionCode;
  readonly captures: readonly unknown[];

  constructor(code: FunctionCode, captures: readonly unknown[]) {
    super();
    this.code = code;
    this.captures = captures;
  }

  get name(): string {
    return this.code.name;
  }
  get params(): readonly string[] {
    return this.code.params;
  }

  /** A frame with the captures in place. */
  frame(task: Task, depth: number): Frame {
    const { code, captures } = this;
    const g = newFrame(code.size, task, depth);
    for (let i = 0; i < captures.length; i++) g[code.captureBase + i] = captures[i];
    return g;
  }

  /** The same with a first argument. */
  frame1(task: Task, depth: number, first: Value): Frame {
    const { code, captures } = this;
    const g = newFrame1(code.size, task, depth, first);
    for (let i = 0; i < captures.length; i++) g[code.captureBase + i] = captures[i];
    return g;
  }

  call(task: Task, args: readonly Value[]): MaybePromise<Value> {
    const g = this.frame(task, task.depth + 1);
    placeArgs(this.code, g, args);
    return this.enterNative(task, g);
  }

  override call1(task: Task, a: Value): MaybePromise<Value> {
    if (this.code.exact !== 1) return this.call(task, [a]);
    const g = this.frame(task, task.depth + 1);
    g[FIRST] = a;
    return this.enterNative(task, g);
  }

  override call2(task: Task, a: Value, b: Value): MaybePromise<Value> {
    if (this.code.exact !== 2) return this.call(task, [a, b]);
    const g = this.frame(task, task.depth + 1);
    g[FIRST] = a;
    g[FIRST + 1] = b;
    return this.enterNative(task, g);
  }

  /** Native code calls again and again at one depth: what ran inside must not count for the next call. */
  private enterNative(task: Task, g: Frame): MaybePromise<Value> {
    const depth = task.depth;
    const result = enter(this.code, g);
    task.depth = depth;
    return result;
  }
}

Object.defineProperty(ScriptClosure.prototype, "type", { value: "closure" });
