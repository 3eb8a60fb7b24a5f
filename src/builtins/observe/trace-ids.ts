/** What a task's work belongs to, for records that name a trace. */

import type { Task } from "../../interp/index.ts";
import { newId } from "../../interp/index.ts";
import { handlerContextOf } from "../events/triggers/context.ts";
import { openSpan } from "./span-state.ts";

/** The trace of the trigger's event at work, else of the open span. */
export function openTrace(task: Task): string | undefined {
  const traced = handlerContextOf(task)?.event.get("trace_id");
  return typeof traced === "string" ? traced : openSpan(task)?.traceId;
}

/** The same, or a trace of its own. */
export const traceIdFor = (task: Task): string => openTrace(task) ?? `trace_${newId(task)}`;
