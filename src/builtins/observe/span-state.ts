/** Which span is open in a task: its own, else the one that was open where it was started. */
import { type Task, TaskLocal } from "../../interp/index.ts";

export interface OpenSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  readonly startMs: number;
  /** Its place in `trace_spans`, 0 when nothing was recorded. */
  readonly number: number;
}

export const openSpans = new TaskLocal<OpenSpan>("open spans");

export const openSpan = (task: Task): OpenSpan | undefined => openSpans.current(task);
