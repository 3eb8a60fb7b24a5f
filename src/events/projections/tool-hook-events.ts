/** What hooks of tools get of a call (agents.md §8.5): before it runs, and when it has run. */
import { Dict } from "../../values/index.ts";

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
