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
    const { text } = partOf(message);
    if (text !== null) parts.push(text);
  }
  return parts.join("\n");
}

/** The subject's length in bytes, without building it. */
export function subjectBytes(messages: readonly ModelMessage[]): number {
  let bytes = 0;
  let parts = 0;
  for (const message of messages) {
    const part = partOf(message);
    if (part.text === null) continue;
    bytes += part.bytes;
    parts++;
  }
  return bytes + Math.max(0, parts - 1);
}

function partOf(message: ModelMessage): { text: string | null; bytes: number } {
  let part = known.get(message);
  if (!part) {
    const strings: string[] = [];
    collect(message, strings);
    const text = strings.length > 0 ? strings.join("\n") : null;
    part = { text, bytes: text === null ? 0 : utf8Length(text) };
    known.set(message, part);
  }
  return part;
}

function collect(value: unknown, into: string[]): void {
  if (typeof value === "string") into.push(value);
  else if (Array.isArray(value)) for (const item of value) collect(item, into);
  else if (typeof value === "object" && value !== null) {
    const fields = value as { [key: string]: unknown };
    for (const key of Object.keys(fields).sort()) collect(fields[key], into);
  }
}
