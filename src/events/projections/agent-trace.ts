/** What `agent_trace()` lists of an event (agents.md §1.10), and the counts of `agent_trace_summary()`. */
import { Dict, List, type Value } from "../../values/index.ts";
import type { EmittedEvent, NamedEvent } from "../run-event.ts";

/** The row of an event; null for those that are not listed. */
export function agentTraceRow(event: EmittedEvent): Dict | null {
  switch (event.type) {
    case "usage":
      return answerRow(event);
    case "tool.end":
      return toolRow(event);
    case "loop.end":
      return Dict.of({
        type: "loop_complete",
        status: event.data.status,
        iterations: event.data.turns,
        total_duration_ms: event.data.duration_ms,
        tools_used: new List([...event.data.tools_used]),
        successful_tools: new List([...event.data.successful_tools]),
      });
    case "context.compacted":
    case "mode.changed":
    case "doom.detected":
    case "decision":
    case "plan.changed":
    case "question.asked":
    case "question.answered":
    case "question.expired":
    case "trace": {
      return namedRow(event.data);
    }
    default:
      return null;
  }
}

function namedRow({ listed, fields }: NamedEvent): Dict | null {
  if (listed === null) return null;
  const { status = null, iteration = null } = Object.fromEntries(fields.entries());
  const row = listed === "scratchpad_reorganization" ? Dict.of({ status, iteration }) : fields;
  return row.with("type", listed);
}

function answerRow({ data, turn }: EmittedEvent<"usage">): Dict {
  return Dict.of({
    type: "llm_call",
    call_id: data.model_call,
    provider: data.provider,
    model: data.model,
    input_tokens: data.answer.input,
    output_tokens: data.answer.output,
    cache_tokens: data.answer.cached,
    duration_ms: data.duration_ms,
    iteration: data.of === "turn" ? turn : 0,
  });
}

/** Only what was dispatched and came to an end. */
function toolRow({ data, turn }: EmittedEvent<"tool.end">): Dict | null {
  if (!data.begun || data.status === "interrupted") return null;
  if (data.status === "rejected")
    return Dict.of({
      type: "tool_rejected",
      tool_name: data.name,
      reason: data.error ?? "",
      iteration: turn,
    });
  return Dict.of({
    type: "tool_execution",
    tool_name: data.name,
    tool_use_id: data.model_call_id,
    duration_ms: data.duration_ms,
    status: data.status,
    classification: data.category ?? data.executor,
    iteration: turn,
  });
}

/** A `typed_checkpoint` whose validator did not accept the answer. */
export const failedCheckpoint = (row: Dict): boolean => row.get("status") === "invalid";

/** `agent_trace_summary()`: the rows, counted. */
export function traceSummary(rows: readonly Dict[]): Dict {
  const of = (type: string): Dict[] => rows.filter((row) => row.get("type") === type);
  const sum = (list: readonly Dict[], key: string): number =>
    list.reduce((total, row) => total + Number(row.get(key) ?? 0), 0);
  const calls = of("llm_call");
  const tools = of("tool_execution");
  const ends = of("loop_complete");
  const fallbacks = of("native_tool_fallback");
  const last = ends.at(-1);
  const llmMs = sum(calls, "duration_ms");
  const toolMs = sum(tools, "duration_ms");
  return Dict.of({
    status: last?.get("status") ?? null,
    iterations: ends.length > 0 ? sum(ends, "iterations") : calls.length,
    total_duration_ms: ends.length > 0 ? sum(ends, "total_duration_ms") : llmMs + toolMs,
    llm_calls: calls.length,
    tool_executions: tools.length,
    tool_rejections: of("tool_rejected").length,
    interventions: of("loop_intervention").length,
    compactions: of("context_compaction").length,
    native_text_tool_fallbacks: fallbacks.length,
    native_text_tool_fallback_rejections: fallbacks.filter((row) => row.get("accepted") === false).length,
    empty_completion_retries: of("empty_completion_retry").length,
    schema_stream_aborts: of("schema_stream_aborted").length,
    typed_checkpoints: of("typed_checkpoint").length,
    typed_checkpoint_failures: of("typed_checkpoint").filter(failedCheckpoint).length,
    total_input_tokens: sum(calls, "input_tokens"),
    total_output_tokens: sum(calls, "output_tokens"),
    total_llm_duration_ms: llmMs,
    total_tool_duration_ms: toolMs,
    tools_used: new List([...new Set(tools.map((row) => row.get("tool_name") as Value))]),
  });
}
