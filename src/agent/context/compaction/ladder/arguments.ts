/** Long texts in the arguments of calls that are done with: a note in their place, keys and JSON stay valid. */

import type { ModelMessage } from "../../../../model/index.ts";
import { jsonOrText } from "../../../../values/index.ts";
import { grouped, survivingNote } from "./words.ts";

/** Texts longer than this become a note. */
const longText = 400;

/** Texts that must stay word for word, of those that a text has. */
type Must = (text: string) => readonly string[];

function clearedArgumentNote(text: string, chars: number, ref: string, must: Must): string {
  const parts = [`${grouped(chars)} characters`, survivingNote(must(text)), `context_recall ${ref} has them`];
  return `[cleared: ${parts.filter((part) => part !== "").join("; ")}]`;
}

/** The message with shorter arguments in these calls; `null`: there are none. */
export function shorterArguments(
  message: ModelMessage,
  calls: ReadonlySet<string | null>,
  ref: string,
  must: Must,
): ModelMessage | null {
  let changed = false;
  const tool_calls = (message.tool_calls ?? []).map((call) => {
    if (!calls.has(call.id)) return call;
    const read = typeof call.arguments === "string" ? jsonOrText(call.arguments) : call.arguments;
    const shorter = clearedArgument(read, ref, must);
    if (shorter === read) return call;
    changed = true;
    return { ...call, arguments: shorter as typeof call.arguments };
  });
  return changed ? { ...message, tool_calls } : null;
}

function clearedArgument(value: unknown, ref: string, must: Must): unknown {
  if (typeof value === "string")
    return value.length > longText ? clearedArgumentNote(value, value.length, ref, must) : value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => clearedArgument(item, ref, must));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const shorter = entries.map(([key, part]): [string, unknown] => [key, clearedArgument(part, ref, must)]);
  if (shorter.every(([, part], index) => part === entries[index]?.[1])) return value;
  // Not by assignment: a key may be `__proto__`.
  return Object.fromEntries(shorter);
}

const writtenText = /"(?:[^"\\]|\\.)*"/g;

/** The same where calls stand in the text: long JSON strings between the tags of a call. */
export function shorterWritten(message: ModelMessage, ref: string, must: Must): ModelMessage | null {
  const { content } = message;
  if (typeof content !== "string") return null;
  const shorter = content.replace(/<tool_call>[\s\S]*?<\/tool_call>|```json[\s\S]*?```/g, (block) =>
    block.replace(writtenText, (text) =>
      text.length > longText + 2
        ? JSON.stringify(clearedArgumentNote(String(jsonOrText(text)), text.length - 2, ref, must))
        : text,
    ),
  );
  return shorter === content ? null : { ...message, content: shorter };
}
