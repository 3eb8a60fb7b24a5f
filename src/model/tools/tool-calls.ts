/** Calls in one shape, whichever channel they came through (agents.md §7.4). */
import type { JsonObject, ModelResponse, ModelToolCall } from "../llm/index.ts";
import { parseLiteral, ScanBudget } from "./literal.ts";
import type { TextCall } from "./tagged-text.ts";
import type { ToolCall } from "./types.ts";

/**
 * The native calls of an answer. Arguments that are no JSON are read once more the forgiving way; ids are made unique,
 * because two calls that share one would share a result.
 */
export function callsFromResponse(response: Pick<ModelResponse, "tool_calls">): ToolCall[] {
  return withUniqueIds(response.tool_calls.map(nativeCall));
}

/** The calls of tagged text. */
export function callsFromText(calls: readonly TextCall[]): ToolCall[] {
  return calls.map((call) => ({ ...call, parseError: null, channel: "text" }));
}

function nativeCall(call: ModelToolCall): ToolCall {
  const base = { id: call.id, name: call.name.trim(), channel: "native" } as const;
  if (call.arguments !== null) {
    return { ...base, arguments: call.arguments, rawArguments: call.raw_arguments.trim(), parseError: null };
  }
  const repaired = repair(call.raw_arguments);
  if (repaired === undefined) {
    return {
      ...base,
      arguments: null,
      rawArguments: call.raw_arguments,
      parseError: call.parse_error ?? "the arguments are not valid JSON",
    };
  }
  return { ...base, arguments: JSON.parse(repaired) as JsonObject, rawArguments: repaired, parseError: null };
}

function repair(raw: string): string | undefined {
  const text = raw.trim();
  if (!text.startsWith("{")) return undefined;
  const literal = parseLiteral(text, 0, new ScanBudget(text.length));
  return literal.ok && text.slice(literal.end).trim() === "" ? literal.json : undefined;
}

/** `a, a, ""` → `a, a_2, call_3`. */
function withUniqueIds(calls: ToolCall[]): ToolCall[] {
  const seen = new Set<string>();
  return calls.map((call, index) => {
    let id = call.id === "" ? `call_${index + 1}` : call.id;
    for (let n = 2; seen.has(id); n++) id = `${call.id === "" ? `call_${index + 1}` : call.id}_${n}`;
    seen.add(id);
    return id === call.id ? call : { ...call, id };
  });
}
