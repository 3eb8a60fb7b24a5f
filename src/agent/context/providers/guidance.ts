/** The provider `guidance`: how to answer, when the work is done, what to give away; each where its part is on. */
import type { Loop } from "../../state/loop-state.ts";
import type { Turn } from "../../state/requests.ts";
import { loopContractText } from "../prompts/contracts.ts";
import { promptText } from "../prompts/overrides.ts";

const delegates = ["explore", "task", "document"];

export function* guidanceText(loop: Loop): Turn<string> {
  const sections = [
    ["Response style", yield* promptText(loop, "agent.guidance.response_style", {})],
    ["Completion", yield* loopContractText(loop)],
    ["Delegation", hasDelegates(loop) ? yield* promptText(loop, "agent.guidance.delegation", {}) : ""],
  ] as const;
  return sections
    .filter(([, text]) => text !== "")
    .map(([title, text]) => `## ${title}\n${text}`)
    .join("\n\n");
}

/** Any tool that `std/agent/delegates` made. */
const hasDelegates = ({ tools }: Loop): boolean =>
  delegates.some((name) => tools.byName.get(name)?.annotations?.get("delegate") === true);

/** The words about completion stand in the guidance: they are not said a second time. */
export const guides = ({ options }: Loop): boolean =>
  options.providers.some(({ kind }) => kind === "guidance");
