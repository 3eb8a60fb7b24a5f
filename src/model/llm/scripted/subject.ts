/**
 * What mock patterns are compared with: every string found anywhere in the messages, joined with newlines; messages
 * in order, keys inside an object alphabetically (agents.md §2.1).
 *
 * Messages are immutable once sent, so each one's part is computed once: a turn costs what it adds.
 */
import type { ModelMessage } from "../port.ts";
import { utf8Length } from "../tokens.ts";

const known = new WeakMap<ModelMessage, { text: string | null; bytes: number }>();

/** The whole subject. */
export function matchSubject(messages: readonly ModelMessage[]): string {
  const parts: string[] = [];
  for (const message of messages) {
    const { text } = subjectPartOf(message);
    if (text !== null) parts.push(text);
  }
  return parts.join("\n");
}

/** The length of a subject, and the messages it was counted for: the next call of a conversation goes on from there. */
export interface CountedSubject {
  messages: readonly ModelMessage[];
  /** How many of them. */
  count: number;
  bytes: number;
  parts: number;
}

/** Nothing counted yet. */
export function nothingCounted(): CountedSubject {
  return { messages: [], count: 0, bytes: 0, parts: 0 };
}

/**
 * The subject's length in bytes, without building it. When `messages` continues what was counted last, only the new ones are
 * looked at. The same list has grown at its end at most; of another one the old ones are compared, a loop over pointers.
 */
export function countSubject(messages: readonly ModelMessage[], last: CountedSubject): CountedSubject {
  const from = continues(messages, last) ? last.count : 0;
  let { bytes, parts } = from > 0 ? last : nothingCounted();
  for (let i = from; i < messages.length; i++) {
    const part = subjectPartOf(messages[i]!);
    if (part.text === null) continue;
    bytes += part.bytes + (parts > 0 ? 1 : 0);
    parts++;
  }
  return { messages, count: messages.length, bytes, parts };
}

function continues(messages: readonly ModelMessage[], last: CountedSubject): boolean {
  if (last.count > messages.length) return false;
  if (messages === last.messages) return true;
  for (let i = 0; i < last.count; i++) if (messages[i] !== last.messages[i]) return false;
  return true;
}

function subjectPartOf(message: ModelMessage): { text: string | null; bytes: number } {
  let part = known.get(message);
  if (!part) {
    const strings: string[] = [];
    collectTexts(message, strings);
    const text = strings.length > 0 ? strings.join("\n") : null;
    part = { text, bytes: text === null ? 0 : utf8Length(text) };
    known.set(message, part);
  }
  return part;
}

function collectTexts(value: unknown, into: string[]): void {
  if (typeof value === "string") into.push(value);
  else if (Array.isArray(value)) for (const item of value) collectTexts(item, into);
  else if (typeof value === "object" && value !== null) {
    const fields = value as { [key: string]: unknown };
    for (const key of Object.keys(fields).sort()) collectTexts(fields[key], into);
  }
}
