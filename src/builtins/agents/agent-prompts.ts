/** The prompts of the agent runtime (agents.md §11.11), below `std/agent/prompts`. */

import { loadPrompts } from "../../agent/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { type Argument, textOf } from "../arguments.ts";
import { promptFields } from "../rows/more.ts";

export const agentPrompts = defineBuiltins(
  "agent_prompts",
  {
    agent_prompt_assets: {
      doc: "The prompts of the agent runtime: a dict from id to the name of its text. Ids that `prompts` or `prompt_overrides` in the options override show their entry.",
      sig: "(options: dict? = nil) -> dict",
      effect: "state",
      suspends: "may",
      fields: { options: () => promptFields },
      run: async (task, options: Argument) => {
        const { promptAssets } = await task.runtime.effects.turns.hold(loadPrompts());
        return promptAssets(options ?? null);
      },
    },
    agent_prompt_render: {
      doc: "The words of a prompt for these bindings, with the overrides of the options.",
      sig: "(id: string, bindings: dict? = nil, options: dict? = nil) -> string",
      effect: "state",
      suspends: "may",
      fields: { options: () => promptFields },
      run: async (task, id: Argument, bindings: Argument, options: Argument) => {
        const { renderPromptId } = await task.runtime.effects.turns.hold(loadPrompts());
        return renderPromptId(task, textOf(id), bindings ?? null, options ?? null);
      },
    },
  },
  { bindings: "what the prompt may use, by name" },
);
