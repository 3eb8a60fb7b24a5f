/**
 * Frames: one flat array per call. Slot 0 holds the task, slot 1 the call depth, then parameters, locals, captures.
 * `undefined` in a slot means "no value yet"; it is never a script value.
 *
 * An array literal of a fixed length is the cheapest thing to allocate (it is inlined, and its elements stay "packed");
 * so sizes are rounded up to a few classes. Measured against a class with fields s0…s7, the array was as fast to make
 * and faster to read, because the slot is known to the node and not to the class.
 */
import type { Task } from "./task.ts";

// biome-ignore lint/suspicious/noExplicitAny: a slot holds a value, a cell, a token or the task; the resolver knows which.
export type Frame = any[];

/** One executable node: the frame in, a value, completion or promise out (see signals.ts). */
// biome-ignore lint/suspicious/noExplicitAny: what comes out depends on the mode in which the node was lowered.
export type Run = (f: Frame) => any;

const u = undefined;

export function newFrame(size: number, task: Task, depth: number): Frame {
  if (size <= 4) return [task, depth, u, u];
  if (size <= 6) return [task, depth, u, u, u, u];
  if (size <= 8) return [task, depth, u, u, u, u, u, u];
  if (size <= 12) return [task, depth, u, u, u, u, u, u, u, u, u, u];
  if (size <= 16) return [task, depth, u, u, u, u, u, u, u, u, u, u, u, u, u, u];
  const frame: Frame = [task, depth];
  for (let i = 2; i < size; i++) frame.push(u);
  return frame;
}

/** A frame with one argument in place. */
export function newFrame1(size: number, task: Task, depth: number, a: unknown): Frame {
  if (size <= 4) return [task, depth, a, u];
  if (size <= 6) return [task, depth, a, u, u, u];
  if (size <= 8) return [task, depth, a, u, u, u, u, u];
  const frame = newFrame(size, task, depth);
  frame[2] = a;
  return frame;
}

/** A frame with two arguments in place. */
export function newFrame2(size: number, task: Task, depth: number, a: unknown, b: unknown): Frame {
  if (size <= 4) return [task, depth, a, b];
  if (size <= 6) return [task, depth, a, b, u, u];
  if (size <= 8) return [task, depth, a, b, u, u, u, u];
  if (size <= 12) return [task, depth, a, b, u, u, u, u, u, u, u, u];
  const frame = newFrame(size, task, depth);
  frame[2] = a;
  frame[3] = b;
  return frame;
}

/** Holds a function that refers to itself or its neighbours (resolve/captures.ts): made empty when its block is entered. */
export class Cell<T> {
  value: T | undefined = undefined;
}
