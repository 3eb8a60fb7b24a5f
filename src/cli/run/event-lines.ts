/**
 * `harn run --events`: every live event of every agent as a line of JSON on standard error, in order, with the time.
 * Those of agents.md §4.2 are told as the script's own subscribers get them; what only observers hear (streamed text,
 * beginnings and ends of loops, usage, retries) is added in the same form.
 */

import { showJson } from "../../diagnostics/index.ts";
import type { Console } from "../../interp/index.ts";
import { agentObservers, type LiveEvent, type LiveObservers, sessionWatchers } from "../../model/index.ts";
import { type Dict, jsonStringify } from "../../values/index.ts";

/** Observer events that the richer stream tells under a name of its own. */
const toldOtherwise: ReadonlySet<LiveEvent["type"]> = new Set([
  "turn_start",
  "turn_end",
  "tool_start",
  "tool_end",
]);
const chunks: Readonly<Partial<Record<LiveEvent["type"], string>>> = {
  text: "agent_message_chunk",
  thinking: "agent_thought_chunk",
};

/** Attached to the run's events when they are made: a run without agents pays nothing. */
export function eventLines(
  console: Console,
  now: () => number = Date.now,
): (name: string, state: unknown) => void {
  let n = 0;
  const write = (json: string): void => {
    n += 1;
    const shown = showJson(json);
    const head = `{"n":${n},"at_ms":${Math.round(now())}`;
    console.writeError(shown === "{}" ? `${head}}\n` : `${head},${shown.slice(1)}\n`);
  };
  return (name, state) => {
    if (name === agentObservers.name) {
      (state as LiveObservers).add((event) => {
        if (!toldOtherwise.has(event.type)) write(JSON.stringify(observed(event)));
      });
    }
    if (name === sessionWatchers.name) {
      (state as Set<(event: Dict) => void>).add((event) => write(jsonStringify(event)));
    }
  };
}

function observed(event: LiveEvent): object {
  const type = chunks[event.type];
  if (type === undefined || !("delta" in event)) return event;
  const { delta, ...rest } = event;
  return { ...rest, type, content: delta };
}
