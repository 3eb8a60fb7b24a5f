/** OpenAI's Chat Completions on the wire. */
import { type AnswerScenario, pieces, type WireEvent } from "./scenario.ts";

const stops = { end_turn: "stop", tool_use: "tool_calls", max_tokens: "length", refusal: "content_filter" };

/** The stream of an answer. Arguments of parallel calls are interleaved piece by piece. */
export function chatEvents(answer: AnswerScenario): WireEvent[] {
  const size = answer.piece ?? 4;
  const deltas: unknown[] = [{ role: "assistant", content: "" }];
  for (const piece of pieces(answer.thinking ?? "", size)) deltas.push({ reasoning_content: piece });
  for (const piece of pieces(answer.text ?? "", size)) deltas.push({ content: piece });
  const calls = answer.calls ?? [];
  for (const [index, call] of calls.entries()) {
    const head = { index, id: call.id, type: "function", function: { name: call.name, arguments: "" } };
    deltas.push({ tool_calls: [head] });
  }
  const queues = calls.map((call) => pieces(call.args, size));
  for (let round = 0; queues.some((queue) => round < queue.length); round++) {
    for (const [index, queue] of queues.entries()) {
      if (round < queue.length)
        deltas.push({ tool_calls: [{ index, function: { arguments: queue[round] } }] });
    }
  }
  const chunk = (choices: unknown[], usage: unknown = null) => ({
    data: { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "test", choices, usage },
  });
  const events = deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }]));
  events.push(chunk([{ index: 0, delta: {}, finish_reason: stops[stopOf(answer)] }]));
  events.push(chunk([], usageOf(answer)));
  return [...events, { data: "[DONE]" }];
}

/** The answer in one piece. */
export function chatWhole(answer: AnswerScenario): unknown {
  const tool_calls = (answer.calls ?? []).map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.args },
  }));
  const message = {
    role: "assistant",
    content: answer.text ?? null,
    ...(answer.thinking ? { reasoning_content: answer.thinking } : {}),
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
  };
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "test",
    choices: [{ index: 0, message, finish_reason: stops[stopOf(answer)] }],
    usage: usageOf(answer),
  };
}

function stopOf(answer: AnswerScenario): keyof typeof stops {
  return answer.stop ?? (answer.calls?.length ? "tool_use" : "end_turn");
}

function usageOf({ usage }: AnswerScenario): unknown {
  if (!usage) return null;
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
  };
}

/** What the vendor would refuse in a request body; null when nothing. */
export function chatComplaint(body: Record<string, unknown>): string | null {
  const messages = body.messages as Record<string, unknown>[] | undefined;
  if (!Array.isArray(messages) || messages.length === 0) return "messages: at least one is required";
  const open = new Set<unknown>();
  for (const [i, message] of messages.entries()) {
    if (!["system", "user", "assistant", "tool"].includes(message.role as string))
      return `messages[${i}].role is invalid`;
    if (message.role !== "tool" && open.size > 0)
      return `messages[${i}]: An assistant message with 'tool_calls' must be followed by tool messages`;
    for (const call of (message.tool_calls as
      | { id: string; function: { arguments: unknown } }[]
      | undefined) ?? []) {
      if (typeof call.function.arguments !== "string") return `messages[${i}]: arguments must be a string`;
      open.add(call.id);
    }
    if (message.role === "tool" && !open.delete(message.tool_call_id))
      return `messages[${i}]: no call with this id`;
  }
  if (open.size > 0) return "tool calls without answers";
  for (const tool of (body.tools as Record<string, unknown>[] | undefined) ?? []) {
    if (tool.type !== "function" || !tool.function) return "tools: expected {type: 'function', function}";
  }
  return null;
}
