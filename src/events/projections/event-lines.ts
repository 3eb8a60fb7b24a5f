/**
 * What `harn run --events` prints of an event, as JSON texts: the live events of agents.md §4.2 as scripts get them, and
 * in the same form what only hosts get (streamed text, beginnings and ends of loops, usage, retries).
 */
import { type Dict, jsonStringify } from "../../values/index.ts";
import type { EmittedEvent, RunTotals } from "../run-event.ts";
import { scriptEvents } from "./script-events.ts";

export function eventLineTexts(event: EmittedEvent): string[] {
  const own = hostEvent(event);
  return own === null ? wholeEvent(event).map((emitted) => jsonStringify(emitted)) : [JSON.stringify(own)];
}

/** Messages come in pieces. */
const wholeEvent = (event: EmittedEvent): Dict[] =>
  event.type === "message.end" || event.type === "thought.end" ? [] : scriptEvents(event);

function loopStartLine({ session, data }: EmittedEvent<"loop.start">): object {
  const { parent_session, parent_tool_call, task, provider, model, format } = data;
  return {
    type: "loop_start",
    session_id: session,
    ...(parent_session === null ? {} : { parent_session_id: parent_session }),
    ...(parent_tool_call === null ? {} : { parent_tool_call }),
    task,
    provider,
    model,
    tool_format: format,
  };
}

function loopEndLine({ session, data }: EmittedEvent<"loop.end">): object {
  const { status, stop_reason, turns, duration_ms, total, error } = data;
  return {
    type: "loop_end",
    session_id: session,
    status,
    stop_reason,
    iterations: turns,
    duration_ms,
    total: totalsFields(total),
    ...(error == null ? {} : { error }),
  };
}

function hostEvent(event: EmittedEvent): object | null {
  const session_id = event.session;
  const iteration = event.turn;
  switch (event.type) {
    case "loop.start":
      return loopStartLine(event);
    case "loop.end":
      return loopEndLine(event);
    case "message.delta":
      return { session_id, iteration, type: "agent_message_chunk", content: event.data.text };
    case "thought.delta":
      return { session_id, iteration, type: "agent_thought_chunk", content: event.data.text };
    case "usage": {
      const { of, answer, total, context } = event.data;
      if (of === "aside") return null;
      const measured = context === undefined ? {} : { context };
      return {
        type: "usage",
        session_id,
        iteration,
        turn: totalsFields(answer),
        total: totalsFields(total),
        ...measured,
      };
    }
    case "retry": {
      const { what, attempt, delay_ms, reason } = event.data;
      return { type: "retry", session_id, iteration, what, attempt, delay_ms, reason };
    }
    case "notice":
      return { type: "notice", session_id, message: event.data.text };
    default:
      return null;
  }
}

/** Tokens and money with the names that `--events` has. */
const totalsFields = ({ input, output, cost_usd }: RunTotals): object => ({
  input_tokens: input,
  output_tokens: output,
  cost_usd,
});
