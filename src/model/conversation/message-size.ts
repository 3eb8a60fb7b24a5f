/**
 * How big messages are: characters of content, reasoning and calls, a quarter of which is the estimate in tokens
 * (agents.md §3.2). Messages never change, so each is counted once.
 */

import { Dict, jsonStringify, List, type Value } from "../../values/index.ts";
import type { ModelMessage } from "../llm/index.ts";

/** The estimate for so many characters. */
export const tokensOf = (chars: number): number => Math.floor(chars / 4);

/** The estimate for messages as scripts hold them: `estimate_tokens`. */
export const estimateMessages = (messages: readonly Dict[]): number =>
  tokensOf(messages.reduce((sum, message) => sum + valueChars(message), 0));

/** The estimate for what a conversation shows: its running count, never a recount. */
export const sessionTokens = (conversation: { readonly chars: number }): number =>
  tokensOf(conversation.chars);

/** From so many estimated tokens on a conversation is compacted where nobody says otherwise. */
export const defaultThreshold = 48_000;

const counted = new WeakMap<ModelMessage, number>();

/** Characters of a message as the port holds it. */
export function messageChars(message: ModelMessage): number {
  let chars = counted.get(message);
  if (chars === undefined) {
    chars = countMessageChars(message);
    counted.set(message, chars);
  }
  return chars;
}

function countMessageChars({ content, tool_calls: calls, reasoning }: ModelMessage): number {
  let chars = 0;
  if (typeof content === "string") chars += content.length;
  else for (const block of content ?? []) chars += "text" in block ? block.text.length : 0;
  for (const call of calls ?? []) chars += call.name.length + argumentText(call.arguments).length;
  for (const part of reasoning ?? []) chars += JSON.stringify(part.item).length;
  return chars;
}

/** A call's arguments as the text that is sent. */
export const argumentText = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/** Characters of a message as scripts hold it: the same number. */
export function valueChars(message: Dict): number {
  let chars = contentChars(message.get("content"));
  const calls = message.get("tool_calls");
  if (calls instanceof List) for (const call of calls) chars += callChars(call);
  const reasoning = message.get("reasoning");
  if (typeof reasoning === "string") chars += reasoning.length;
  else if (reasoning instanceof List) for (const part of reasoning) chars += partChars(part);
  return chars;
}

function contentChars(content: Value | undefined): number {
  if (typeof content === "string") return content.length;
  if (!(content instanceof List)) return 0;
  let chars = 0;
  for (const block of content) {
    const text = block instanceof Dict ? block.get("text") : block;
    if (typeof text === "string") chars += text.length;
  }
  return chars;
}

function callChars(call: Value): number {
  if (!(call instanceof Dict)) return 0;
  const inner = call.get("function");
  const source = inner instanceof Dict ? inner : call;
  const name = source.get("name");
  const args = source.get("arguments") ?? null;
  const text = typeof args === "string" ? args : args === null ? "" : jsonStringify(args);
  return (typeof name === "string" ? name.length : 0) + text.length;
}

function partChars(part: Value): number {
  if (!(part instanceof Dict)) return typeof part === "string" ? part.length : 0;
  const item = part.get("item") ?? null;
  return jsonStringify(item ?? part).length;
}
