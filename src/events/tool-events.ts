/** The durable events of a tool call. Nobody else makes one; who emits it brings the data and the place. */
import type { RunEventData } from "./run-event.ts";

type ToolEvent<T extends "tool.start" | "tool.end"> = readonly [type: T, data: RunEventData[T]];

export const toolStarted = (data: RunEventData["tool.start"]): ToolEvent<"tool.start"> => [
  "tool.start",
  data,
];

export const toolEnded = (data: RunEventData["tool.end"]): ToolEvent<"tool.end"> => ["tool.end", data];

/** What middleware says about a call: its name for scripts, and for the audit part of the transcript. */
export const toolAudited = "tool_call_audit";
