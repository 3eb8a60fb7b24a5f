/** The durable events of a tool call. Nobody else makes one; who emits it brings the data and the place. */

import { Dict } from "../values/index.ts";
import type { RunEventData } from "./run-event.ts";

type ToolEvent<T extends "tool.start" | "tool.end"> = readonly [type: T, data: RunEventData[T]];

export const toolStarted = (data: RunEventData["tool.start"]): ToolEvent<"tool.start"> => [
  "tool.start",
  data,
];

export const toolEnded = (data: RunEventData["tool.end"]): ToolEvent<"tool.end"> => ["tool.end", data];

/** What middleware says about a call: its name for scripts, and for the audit part of the transcript. */
export const toolAudited = "tool_call_audit";

/** What hooks of tools get of a call (agents.md §8.5): before it runs, and when it has run. */
export interface HookedCall {
  readonly id: string;
  readonly name: string;
  readonly session: string;
}

export const preToolUse = (call: HookedCall, args: Dict): Dict => hookEvent("PreToolUse", call, args);

export const postToolUse = (
  call: HookedCall,
  outcome: {
    readonly arguments: Dict;
    readonly rendered: string;
    readonly ok: boolean;
    readonly status: string;
  },
): Dict => {
  const { rendered, ok, status } = outcome;
  const result = Dict.of({ text: rendered, ok, status });
  return hookEvent("PostToolUse", call, outcome.arguments).with("result", result);
};

const hookEvent = (event: string, { id, name, session }: HookedCall, args: Dict): Dict =>
  Dict.of({
    event,
    tool: Dict.of({ name, args, tool_call_id: id }),
    tool_call_id: id,
    session: Dict.of({ id: session }),
  });
