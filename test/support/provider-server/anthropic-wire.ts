/** Anthropic's Messages API on the wire. */
import { type AnswerScenario, pieces, type WireEvent } from "./scenario.ts";

interface Block {
  type: string;
  [key: string]: unknown;
}

const stops = { end_turn: "end_turn", tool_use: "tool_use", max_tokens: "max_tokens", refusal: "refusal" };

/** The stream of an answer. */
export function anthropicEvents(answer: AnswerScenario): WireEvent[] {
  const size = answer.piece ?? 4;
  const { usage } = answer;
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "test",
    content: [],
    stop_reason: null,
    usage: startUsage(answer),
  };
  const events: Block[] = [{ type: "message_start", message }, { type: "ping" }];
  for (const [index, block] of blocksOf(answer).entries()) {
    const delta = (fields: unknown) => events.push({ type: "content_block_delta", index, delta: fields });
    if (block.type === "thinking") {
      events.push({
        type: "content_block_start",
        index,
        content_block: { type: "thinking", thinking: "", signature: "" },
      });
      for (const thinking of pieces(answer.thinking!, size)) delta({ type: "thinking_delta", thinking });
      delta({ type: "signature_delta", signature: block.signature });
    } else if (block.type === "text") {
      events.push({ type: "content_block_start", index, content_block: { type: "text", text: "" } });
      for (const text of pieces(answer.text!, size)) delta({ type: "text_delta", text });
    } else {
      const { raw, ...head } = block;
      events.push({ type: "content_block_start", index, content_block: { ...head, input: {} } });
      for (const partial_json of ["", ...pieces(raw as string, size)])
        delta({ type: "input_json_delta", partial_json });
    }
    events.push({ type: "content_block_stop", index });
  }
  const counts = usage ? { output_tokens: usage.output, input_tokens: null } : { output_tokens: 0 };
  events.push({
    type: "message_delta",
    delta: { stop_reason: stopOf(answer), stop_sequence: null },
    usage: counts,
  });
  events.push({ type: "message_stop" });
  return events.map((data) => ({ event: data.type, data }));
}

/** The answer in one piece. */
export function anthropicWhole(answer: AnswerScenario): unknown {
  const content = blocksOf(answer).map(({ raw, ...block }) =>
    block.type === "tool_use" ? { ...block, input: JSON.parse((raw as string) || "{}") } : block,
  );
  const usage = { ...(startUsage(answer) as object), output_tokens: answer.usage?.output ?? 0 };
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "test",
    content,
    stop_reason: stopOf(answer),
    usage,
  };
}

function startUsage({ usage }: AnswerScenario): unknown {
  const cached = (usage?.cacheRead ?? 0) + (usage?.cacheWrite ?? 0);
  return {
    input_tokens: (usage?.input ?? 0) - cached,
    cache_read_input_tokens: usage?.cacheRead ?? 0,
    cache_creation_input_tokens: usage?.cacheWrite ?? 0,
    output_tokens: 1,
  };
}

function blocksOf(answer: AnswerScenario): Block[] {
  const blocks: Block[] = [];
  if (answer.thinking) blocks.push({ type: "thinking", thinking: answer.thinking, signature: "signed-1" });
  if (answer.text) blocks.push({ type: "text", text: answer.text });
  for (const call of answer.calls ?? [])
    blocks.push({ type: "tool_use", id: call.id, name: call.name, raw: call.args });
  return blocks;
}

function stopOf(answer: AnswerScenario): string {
  return stops[answer.stop ?? (answer.calls?.length ? "tool_use" : "end_turn")];
}

/** What the vendor would refuse in a request body; null when nothing. */
export function anthropicComplaint(body: Record<string, unknown>): string | null {
  if (typeof body.max_tokens !== "number") return "max_tokens: Field required";
  const messages = body.messages as { role: string; content: string | Block[] }[] | undefined;
  if (!Array.isArray(messages) || messages.length === 0) return "messages: at least one message is required";
  let open: string[] = [];
  for (const [i, message] of messages.entries()) {
    if (message.role !== "user" && message.role !== "assistant") return `messages.${i}.role: invalid`;
    if (i === 0 && message.role !== "user") return 'messages: first message must use the "user" role';
    if (i > 0 && messages[i - 1]!.role === message.role) return `messages.${i}: roles must alternate`;
    if (message.content.length === 0) return `messages.${i}: content must not be empty`;
    const blocks = typeof message.content === "string" ? [] : message.content;
    const answered = blocks.filter((block) => block.type === "tool_result").map((block) => block.tool_use_id);
    if (open.some((id) => !answered.includes(id)))
      return `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks`;
    const extra = answered.find((id) => !open.includes(id as string));
    if (extra !== undefined || new Set(answered).size < answered.length)
      return `messages.${i}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${extra}`;
    const firstWords = blocks.findIndex((block) => block.type !== "tool_result");
    if (firstWords >= 0 && blocks.slice(firstWords).some((block) => block.type === "tool_result"))
      return `messages.${i}: \`tool_result\` blocks must come first`;
    if (blocks.some((block) => block.type === "text" && String(block.text).trim() === ""))
      return `messages.${i}: text content blocks must be non-empty`;
    open = blocks.filter((block) => block.type === "tool_use").map((block) => block.id as string);
    if (
      blocks.some(
        (block) => block.type === "tool_use" && (typeof block.input !== "object" || block.input === null),
      )
    ) {
      return `messages.${i}: tool_use.input must be an object`;
    }
  }
  if (open.length > 0) return "messages: `tool_use` ids were found without `tool_result` blocks";
  const thinking = body.thinking as { type: string; budget_tokens?: number } | undefined;
  if (thinking?.budget_tokens !== undefined && thinking.budget_tokens >= body.max_tokens)
    return "max_tokens must be greater than thinking.budget_tokens";
  if (thinking && thinking.type !== "disabled" && body.temperature !== undefined)
    return "temperature may not be set when thinking is enabled";
  return null;
}
