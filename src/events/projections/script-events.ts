/** What script subscribers get of an event (agents.md §4.2): none, one or two dicts with `type` and `session_id`. */
import { Dict, Float, fromJson, type Value } from "../../values/index.ts";
import type { EmittedEvent, RunEventType } from "../run-event.ts";

/** Types of which scripts may be told something: the others need no subscriber to be asked. */
export const scriptTypes: ReadonlySet<RunEventType> = new Set<RunEventType>([
  "loop.start",
  "loop.end",
  "turn.start",
  "turn.end",
  "message.end",
  "thought.end",
  "tool.start",
  "tool.end",
  "context.compacted",
  "mode.changed",
  "doom.detected",
  "decision",
  "plan.changed",
  "question.asked",
  "question.answered",
  "question.expired",
  "trace",
]);

/** The dicts, in order. */
export function scriptEvents(event: EmittedEvent): Dict[] {
  const { session } = event;
  const scriptEvent = (type: string, fields: Readonly<Record<string, Value | undefined>>): Dict =>
    Dict.of({ ...fields, type, session_id: session });
  switch (event.type) {
    // Only loops under the control plane, which say their limit of turns, tell their begin and their end.
    case "loop.start": {
      const { task, provider, model, max_turns } = event.data;
      return max_turns === undefined ? [] : [scriptEvent("loop_start", { task, provider, model, max_turns })];
    }
    case "loop.end": {
      const { status, stop_reason, turns, max_turns, error } = event.data;
      const failed = error == null ? {} : { error: fromJson({ ...error }) };
      return max_turns === undefined
        ? []
        : [scriptEvent("loop_end", { turn: turns, max_turns, status, stop_reason, ...failed })];
    }
    case "turn.start": {
      const { provider, model, max_turns } = event.data;
      return [scriptEvent("iteration_start", { iteration: event.turn, provider, model, max_turns })];
    }
    case "turn.end": {
      const { max_turns } = event.data;
      return [
        scriptEvent("iteration_end", { iteration: event.turn, iteration_info: turnInfo(event), max_turns }),
      ];
    }
    case "message.end":
      if (event.data.role !== "assistant" || event.data.text === "") return [];
      return [scriptEvent("agent_message_chunk", { content: event.data.text })];
    case "thought.end":
      return [scriptEvent("agent_thought_chunk", { content: event.data.text })];
    case "tool.start": {
      const { script, model_call_id, name, kind, arguments: input } = event.data;
      if (script) return [];
      const about = { tool_call_id: model_call_id, tool_name: name };
      return [
        scriptEvent("tool_call", { ...about, kind, status: "pending", raw_input: fromJson(input) }),
        scriptEvent("tool_call_update", { ...about, status: "in_progress" }),
      ];
    }
    case "tool.end":
      return event.data.script ? [] : [scriptEvent("tool_call_update", scriptToolEnd(event))];
    case "context.compacted":
    case "mode.changed":
    case "doom.detected":
    case "decision":
    case "plan.changed":
    case "question.asked":
    case "question.answered":
    case "question.expired":
    case "trace": {
      const { live, name, fields } = event.data;
      return live ? [fields.merge(Dict.of({ type: name, session_id: session }))] : [];
    }
    default:
      return [];
  }
}

const turnInfo = ({ data }: EmittedEvent<"turn.end">): Dict =>
  Dict.of({
    tool_count: data.tool_count,
    text: data.text,
    provider: data.provider,
    model: data.model,
    response_ms: data.response_ms,
    input_tokens: data.input,
    output_tokens: data.output,
    thinking_chars: data.thinking_chars,
    cost_usd: new Float(data.cost_usd),
    wall_clock_ms: data.wall_clock_ms,
  });

const scriptToolEnd = ({ data }: EmittedEvent<"tool.end">): Record<string, Value | undefined> => ({
  tool_call_id: data.model_call_id,
  tool_name: data.name,
  status: data.status === "ok" ? "completed" : "failed",
  raw_input: data.arguments,
  raw_output: data.result,
  error: data.error ?? undefined,
  error_category: data.category ?? undefined,
  execution_duration_ms: data.duration_ms,
  executor: eventExecutorOf(data),
});

/** Who ran it; absent for refused calls. */
function eventExecutorOf({ executor, server }: EmittedEvent<"tool.end">["data"]): Dict | undefined {
  if (executor === null) return undefined;
  if (executor === "mcp_server") return Dict.of({ kind: executor, server_name: server ?? "" });
  return Dict.of({ kind: executor === "harn" ? "harn_builtin" : executor });
}
