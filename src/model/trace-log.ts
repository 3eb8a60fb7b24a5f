/** What `agent_trace()` lists: what happened in this run, in order (agents.md §1.10). */
import type { StateKey, Task } from "../interp/index.ts";
import { Dict, List, type Value } from "../values/index.ts";

/** The events of a run so far. */
export const traceLog: StateKey<Dict[]> = { name: "agent trace", create: () => [] };

export function addTrace(task: Task, fields: Readonly<Record<string, Value | undefined>>): void {
  task.runtime.state(traceLog).push(Dict.of(fields));
}

/** A `typed_checkpoint` whose validator did not accept the answer. */
export const failedCheckpoint = (event: Dict): boolean => event.get("status") === "invalid";

/** `agent_trace_summary()`: the same, counted. */
export function traceSummary(events: readonly Dict[]): Dict {
  const of = (type: string): Dict[] => events.filter((event) => event.get("type") === type);
  const sum = (list: readonly Dict[], key: string): number =>
    list.reduce((total, event) => total + Number(event.get(key) ?? 0), 0);
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
    native_text_tool_fallback_rejections: fallbacks.filter((event) => event.get("accepted") === false).length,
    empty_completion_retries: of("empty_completion_retry").length,
    schema_stream_aborts: of("schema_stream_aborted").length,
    typed_checkpoints: of("typed_checkpoint").length,
    typed_checkpoint_failures: of("typed_checkpoint").filter(failedCheckpoint).length,
    total_input_tokens: sum(calls, "input_tokens"),
    total_output_tokens: sum(calls, "output_tokens"),
    total_llm_duration_ms: llmMs,
    total_tool_duration_ms: toolMs,
    tools_used: new List([...new Set(tools.map((event) => event.get("tool_name") as string))]),
  });
}
