/** Parts of an agent's turn, below `std/agent/primitives` (agents.md §12). */

import { loadPrimitives } from "../../agent/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { optionsDict } from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";
import { batchFields } from "../rows/agents.ts";

export const agentPrimitives = defineBuiltins("agent_primitives", {
  agent_parse_tool_calls: {
    doc: 'The calls in an answer: `{calls: [{id, name, arguments}], errors, prose, violations, done_marker, canonical}`. `format` is "text" (tags) or "json" (fences); bare calls are found of the tools given.',
    sig: "(text: string, tools: any = nil, format: string? = nil) -> dict",
    effect: "state",
    suspends: "may",
    run: async (task, text: Argument, tools: Argument, format: Argument) => {
      const { parseCalls } = await task.runtime.effects.turns.hold(loadPrimitives());
      return parseCalls(textOf(text), tools ?? null, format ?? null);
    },
  },
  agent_dispatch_tool_batch: {
    doc: "Runs tool calls `[{id?, name, arguments?}]` as a loop does, and gives its result entries in order: unknown tools, wrong arguments and refusals are results. Inside a loop its policies hold. Options: `max_concurrent_tools`, `tool_retries`, `tool_backoff_ms`, `tool_timeout_ms`, `tool_output_max_chars`.",
    sig: "(calls: list, tools: any = nil, options: dict? = nil) -> list<dict>",
    effect: "state",
    suspends: "may",
    fields: { options: () => batchFields },
    run: async (task, calls: Argument, tools: Argument, options: Argument) => {
      const given = optionsDict("agent_dispatch_tool_batch", options);
      const { dispatchCalls } = await task.runtime.effects.turns.hold(loadPrimitives());
      return dispatchCalls(task, calls ?? null, tools ?? null, given);
    },
  },
});
