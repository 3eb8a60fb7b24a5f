/** Which span is open in a task: its own, else the one that was open where it was started. */
import type { StateKey, Task } from "../interp/index.ts";

export interface OpenSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  readonly startMs: number;
  /** Its place in `trace_spans`, 0 when nothing was recorded. */
  readonly number: number;
}

export const openSpans: StateKey<WeakMap<Task, OpenSpan[]>> = {
  name: "open spans",
  create: () => new WeakMap(),
};

export function openSpan(task: Task): OpenSpan | undefined {
  const spans = task.runtime.state(openSpans);
  for (let at: Task | undefined = task; at !== undefined; at = at.parent) {
    const innermost = spans.get(at)?.at(-1);
    if (innermost !== undefined) return innermost;
  }
  return undefined;
}
