/** Parts of an agent's turn, below `std/agent/primitives` (agents.md §12). */

import { loadPrimitives, loadPrompts } from "../../agent/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { conversationInfo } from "../../threads/index.ts";
import { Dict, optionsDict } from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";
import { batchFields, promptFields } from "../rows/agents.ts";

/** What a program can know of the conversation that it works for (docs/serve.md). */
export const conversationBuiltins = defineBuiltins("conversations", {
  conversation_info: {
    doc:
      "The conversation that this run works for under a server: `{id, title, agent, mode, config, workspace, message, run, " +
      "parent}`, with `message` as `{id, text, attachments, by}` and `parent` as the id of the conversation that it was forked " +
      "from. nil in any other run.",
    sig: "() -> dict?",
    example: "conversation_info()  // nil",
    effect: "state",
    run: (task) => conversationInfo(task.runtime),
  },
});

/** The prompts of the agent runtime (agents.md §11.11), below `std/agent/prompts`. */
export const agentPrompts = defineBuiltins(
  "agent_prompts",
  {
    agent_prompt_assets: {
      doc: "The prompts of the agent runtime: a dict from id to the name of its text. Ids that `prompts` or `prompt_overrides` in the options override show their entry.",
      sig: "(options: dict? = nil) -> dict",
      effect: "state",
      suspends: "may",
      fields: { options: () => promptFields },
      run: async (task, options: Dict | null = null) => {
        const { promptAssets } = await task.runtime.effects.turns.hold(loadPrompts());
        return promptAssets(options);
      },
    },
    agent_prompt_render: {
      doc: "The words of a prompt for these bindings, with the overrides of the options.",
      sig: "(id: string, bindings?!: dict, options: dict? = nil) -> string",
      effect: "state",
      suspends: "may",
      fields: { options: () => promptFields },
      run: async (task, id: Argument, bindings = new Dict(), options: Dict | null = null) => {
        const { renderPromptId } = await task.runtime.effects.turns.hold(loadPrompts());
        return renderPromptId(task, textOf(id), bindings, options);
      },
    },
  },
  { bindings: "what the prompt may use, by name" },
);

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
      const input = optionsDict("agent_dispatch_tool_batch", options);
      const { dispatchCalls } = await task.runtime.effects.turns.hold(loadPrimitives());
      return dispatchCalls(task, calls ?? null, tools ?? null, input);
    },
  },
});
