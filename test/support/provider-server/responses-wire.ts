/** OpenAI's Responses API on the wire. */
import { type AnswerScenario, pieces, type WireEvent } from "./scenario.ts";

interface Item {
  type: string;
  [key: string]: unknown;
}

/** The stream of an answer. */
export function responsesEvents(answer: AnswerScenario): WireEvent[] {
  const size = answer.piece ?? 4;
  const events: { type: string; [key: string]: unknown }[] = [
    { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } },
  ];
  for (const [output_index, item] of itemsOf(answer).entries()) {
    const item_id = item.id;
    const at = { output_index, item_id };
    if (item.type === "reasoning") {
      events.push({ type: "response.output_item.added", output_index, item: { ...item, summary: [] } });
      for (const delta of pieces(answer.thinking!, size)) {
        events.push({ type: "response.reasoning_summary_text.delta", ...at, summary_index: 0, delta });
      }
    } else if (item.type === "message") {
      events.push({ type: "response.output_item.added", output_index, item: { ...item, content: [] } });
      for (const delta of pieces(answer.text!, size)) {
        events.push({ type: "response.output_text.delta", ...at, content_index: 0, delta, logprobs: [] });
      }
      events.push({
        type: "response.output_text.done",
        ...at,
        content_index: 0,
        text: answer.text,
        logprobs: [],
      });
    } else {
      events.push({ type: "response.output_item.added", output_index, item: { ...item, arguments: "" } });
      for (const delta of pieces(item.arguments as string, size)) {
        events.push({ type: "response.function_call_arguments.delta", ...at, delta });
      }
      events.push({ type: "response.function_call_arguments.done", ...at, arguments: item.arguments });
    }
    events.push({ type: "response.output_item.done", output_index, item });
  }
  const whole = responsesWhole(answer) as { status: string };
  events.push({ type: `response.${whole.status}`, response: whole });
  return events.map((data, sequence_number) => ({ event: data.type, data: { ...data, sequence_number } }));
}

/** The answer in one piece. */
export function responsesWhole(answer: AnswerScenario): unknown {
  const { usage } = answer;
  const incomplete = answer.stop === "max_tokens" || answer.stop === "refusal";
  const reason = answer.stop === "refusal" ? "content_filter" : "max_output_tokens";
  return {
    id: "resp_1",
    object: "response",
    status: incomplete ? "incomplete" : "completed",
    error: null,
    incomplete_details: incomplete ? { reason } : null,
    output: itemsOf(answer),
    usage: usage && {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
      total_tokens: usage.input + usage.output,
    },
  };
}

function itemsOf(answer: AnswerScenario): Item[] {
  const items: Item[] = [];
  if (answer.thinking) {
    const summary = [{ type: "summary_text", text: answer.thinking }];
    items.push({
      type: "reasoning",
      id: "rs_1",
      status: "completed",
      summary,
      encrypted_content: "sealed-1",
    });
  }
  if (answer.text) {
    const content = [{ type: "output_text", text: answer.text, annotations: [], logprobs: [] }];
    items.push({ type: "message", id: "msg_1", role: "assistant", status: "completed", content });
  }
  for (const [i, call] of (answer.calls ?? []).entries()) {
    items.push({
      type: "function_call",
      id: `fc_${i}`,
      call_id: call.id,
      name: call.name,
      arguments: call.args,
      status: "completed",
    });
  }
  return items;
}

/** What the vendor would refuse in a request body; null when nothing. */
export function responsesComplaint(body: Record<string, unknown>): string | null {
  if (body.messages !== undefined) return "unknown parameter: messages";
  if (body.max_tokens !== undefined) return "unknown parameter: max_tokens";
  if (!Array.isArray(body.input) || body.input.length === 0) return "input: at least one item is required";
  const open = new Set<unknown>();
  for (const item of body.input as Item[]) {
    if (item.type === "function_call") open.add(item.call_id);
    else if (item.type === "function_call_output") {
      if (!open.delete(item.call_id))
        return `No tool call found for function call output with call_id ${item.call_id}.`;
    } else if (
      item.type !== "reasoning" &&
      item.type !== "tool_search_call" &&
      item.type !== "tool_search_output" &&
      !["user", "assistant", "system", "developer"].includes(item.role as string)
    ) {
      return "input: unknown item";
    }
  }
  if (open.size > 0) return "No tool output found for function call.";
  for (const tool of (body.tools as Item[] | undefined) ?? []) {
    if (tool.type === "function" && typeof tool.name !== "string") return "tools[0].name is missing";
  }
  return null;
}
