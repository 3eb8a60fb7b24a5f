/** `next_options` of a post-turn callback: other options from the next turn on. */
import { Dict, thrown } from "../../values/index.ts";
import { loopFields, ownOptions } from "../options/loop-fields.ts";
import { readLoopOptions } from "../options/loop-options.ts";
import type { Loop } from "../state/loop-state.ts";

/** Lays `next` over the options; names that are not the loop's own go to the model calls. */
export function changeOptions(loop: Loop, next: Dict): void {
  let model = loop.overrides ?? new Dict();
  let { input: raw } = loop.options;
  for (const [name, value] of next.entries()) {
    if (loopFields.get(name)?.fixed === true) {
      throw thrown(
        `agent_loop: post_turn_callback \`next_options\` can't change \`${name}\` while the loop runs`,
      );
    }
    if (name === "llm_options" && value instanceof Dict) model = model.merge(value);
    else if (ownOptions().has(name)) raw = raw.with(name, value);
    else model = model.with(name, value);
  }
  loop.overrides = model.size > 0 ? model : null;
  if (raw === loop.options.input) return;
  const before = loop.options.iterationBudget.max;
  loop.options = readLoopOptions(raw);
  const { max } = loop.options.iterationBudget;
  if (max !== before) loop.core.control.budget.limits.turns = max;
}
