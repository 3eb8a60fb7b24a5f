/** `prompts` / `prompt_overrides` (agents.md §11.11): other words for prompts of the runtime, used. */
import { Dict } from "../../../values/index.ts";
import type { PromptId } from "../../options/prompt-ids.ts";
import type { Loop } from "../../state/loop-state.ts";
import type { Turn } from "../../state/requests.ts";
import { type Bindings, usualPrompt } from "./catalogue.ts";

/** The words of a prompt in this loop. */
export function* promptText(loop: Loop, id: PromptId, bindings: Bindings): Turn<string> {
  const source = loop.options.prompts.get(id);
  if (source === undefined) return usualPrompt(id, bindings);
  return (yield { kind: "template", source, bindings: Dict.of(bindings) }) as string;
}

/** What contracts and nudges are told of a loop. */
export const loopBindings = ({ mode, sentinel, usesTools, options }: Loop): Bindings => ({
  done_sentinel: sentinel,
  tool_mode: mode,
  has_tools: usesTools,
  allow_done_sentinel: options.turnPolicy.allowDoneSentinel,
  require_action: options.turnPolicy.requireActionOrYield,
});
