/** What a turn without tool calls is answered with while the loop goes on (agents.md §10.6). */
import type { Loop } from "../../state/loop-state.ts";
import type { Turn } from "../../state/requests.ts";
import { loopBindings, promptText } from "./overrides.ts";

/** The option `nudge`, else the prompt; with a word about length when the last prose was cut. */
export function* nudgeText(loop: Loop): Turn<string> {
  const { options, state } = loop;
  const brevity = state.slots.prose.shortened
    ? ` Keep prose under ${options.turnPolicy.maxProseChars} characters; it was cut.`
    : "";
  state.slots.prose.shortened = false;
  const words = options.nudge ?? (yield* promptText(loop, "agent.default_nudge", loopBindings(loop)));
  return words + brevity;
}
