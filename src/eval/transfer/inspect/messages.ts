/** Messages of a conversation as Inspect AI has them and as outcomes have them. */
import { isJsonObject, type Json, type JsonObject, jsonOrText } from "../../../values/index.ts";

/** As an outcome has it: calls as OpenAI writes them, arguments as JSON text. */
export function messageOfInspect(message: Json): Json {
  if (!isJsonObject(message)) return message;
  const { role, content = "", tool_call_id: answers, error, function: name } = message;
  const calls = listOf(message.tool_calls);
  const ours: { [field: string]: Json } = { role: role ?? "user", content };
  if (role === "tool" && typeof name === "string") ours.name = name;
  if (typeof answers === "string") ours.tool_call_id = answers;
  if (isJsonObject(error)) ours.is_error = true;
  if (calls.length > 0)
    ours.tool_calls = calls.filter(isJsonObject).map((call) => ({
      id: call.id ?? null,
      type: "function",
      function: { name: call.function ?? "", arguments: JSON.stringify(call.arguments ?? {}) },
    }));
  return ours;
}

const roles: ReadonlySet<Json> = new Set(["system", "user", "assistant", "tool"]);

export function messagesForInspect(messages: Json): Json[] {
  const names = new Map<Json, Json>();
  return listOf(messages)
    .filter(isJsonObject)
    .map((message) => {
      const { role = "user", content = "", tool_call_id: answers, name } = message;
      const theirs: { [field: string]: Json } = {
        role: roles.has(role) ? role : "system",
        content: contentForInspect(role === "tool" ? unframed(content) : content),
      };
      const calls = listOf(message.tool_calls).flatMap(callForInspect);
      for (const call of calls) names.set(call.id ?? null, call.function ?? null);
      if (role === "assistant" && calls.length > 0) theirs.tool_calls = calls;
      if (role !== "tool") return theirs;
      theirs.tool_call_id = answers ?? null;
      theirs.function = name ?? names.get(answers ?? null) ?? null;
      if (message.is_error === true) theirs.error = { type: "unknown", message: textOf(content) };
      return theirs;
    });
}

function callForInspect(call: Json): JsonObject[] {
  if (!isJsonObject(call)) return [];
  const asked = isJsonObject(call.function) ? call.function : call;
  const args = typeof asked.arguments === "string" ? jsonOrText(asked.arguments) : asked.arguments;
  const values = isJsonObject(args ?? null) ? args : { arguments: args ?? null };
  return [{ id: call.id ?? null, function: asked.name ?? "", arguments: values as Json, type: "function" }];
}

/** A text, or blocks: texts and reasoning have their like, others stand there as JSON. One text alone is the text. */
function contentForInspect(content: Json): Json {
  if (!Array.isArray(content)) return textOf(content);
  const blocks = (content as readonly Json[]).map((block): JsonObject => {
    const text = isJsonObject(block) && typeof block.text === "string" ? block.text : undefined;
    if (text === undefined) return { type: "text", text: JSON.stringify(block) };
    return (block as JsonObject).type === "reasoning"
      ? { type: "reasoning", reasoning: text }
      : { type: "text", text };
  });
  const [only] = blocks;
  return blocks.length === 1 && only?.type === "text" ? (only.text as Json) : blocks;
}

/** What a tool gave, without the marks that tell a model where it begins and ends. */
const unframed = (content: Json): Json =>
  typeof content === "string" ? (framed.exec(content)?.[1] ?? content) : content;

const framed = /^\[result of [^\]\n]*\]\n(.*)\n\[end of [^\]\n]* result\]\n?$/su;

const textOf = (content: Json): string =>
  typeof content === "string" ? content : content === null ? "" : JSON.stringify(content);

/** The calls in messages of ours with what they gave, as an outcome has them. */
export function toolsOf(messages: readonly Json[]): Json[] {
  const results = new Map<Json, JsonObject>();
  for (const message of messages)
    if (isJsonObject(message) && message.role === "tool") results.set(message.tool_call_id ?? null, message);
  return messages.flatMap((message) => {
    if (!isJsonObject(message)) return [];
    return listOf(message.tool_calls).flatMap((call): Json[] => {
      if (!isJsonObject(call) || !isJsonObject(call.function)) return [];
      const result = results.get(call.id ?? null);
      const said = result?.content ?? null;
      return [
        {
          name: call.function.name ?? "",
          arguments: jsonOrText(String(call.function.arguments ?? "{}")),
          result: typeof said === "string" && /^[[{]/u.test(said) ? jsonOrText(said) : said,
          ok: result !== undefined && result.is_error !== true,
        },
      ];
    });
  });
}

const listOf = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];
