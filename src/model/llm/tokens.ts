/**
 * Token counts before a call: one guess and one bound. Exact counts come from the vendor's usage afterwards.
 *
 * The guess (characters/4, agents.md §1.8) is close for English and code and far too low for Chinese or emoji, so
 * money must not rest on it. The bound does hold for every script of writing: the vendors' tokenizers work on UTF-8
 * bytes and no token is shorter than one byte, so a text has at most as many tokens as bytes. Chat framing adds a few
 * tokens per message, tool and call, pictures are charged by size: both get a generous fixed allowance.
 *
 * Messages are immutable once sent, so counts are remembered per message object: a turn costs what it adds.
 */
import type { ModelMessage, ModelRequest } from "./port.ts";

/** Vendors frame a message with 3 to 7 tokens. */
const messageOverhead = 16;
/** The most that a vendor charges for one picture, sound or page set by address (36,835 for a large image on gpt-4o-mini). */
const mediaAllowance = 40_000;

interface Counts {
  chars: number;
  bytes: number;
  media: number;
}

const counted = new WeakMap<object, Counts>();

/** UTF-8 length without encoding. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    // A surrogate pair is 4 bytes in 2 units; a lone one is replaced by 3 bytes.
    const paired = unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
    if (paired) {
      bytes += 2;
      i++;
    } else bytes += unit < 0x800 ? 1 : 2;
  }
  return bytes;
}

/** The guess for one text. */
export function estimateTextTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** The guess for a call's input: what budgets compare (agents.md §1.8). */
export function estimateInputTokens(request: ModelRequest): number {
  const chars = (request.system?.length ?? 0) + totalOf(request.messages).chars;
  return Math.ceil(chars / 4) + 4 * request.messages.length;
}

/** A number of input tokens that the call cannot exceed: what reservations of money use. */
export function boundInputTokens(request: ModelRequest): number {
  let bound = messageOverhead + (request.system ? utf8Length(request.system) : 0);
  const { bytes, media } = totalOf(request.messages);
  bound += bytes + request.messages.length * messageOverhead + media * mediaAllowance;
  for (const part of [request.tools, request.provider_tools]) {
    for (const tool of part ?? []) bound += jsonCounts(tool).bytes + messageOverhead;
  }
  const format = request.output_format;
  if (format && format.kind !== "text" && format.schema) bound += jsonCounts(format.schema).bytes;
  return bound;
}

interface Total extends Counts {
  count: number;
  last: ModelMessage | undefined;
}

const totals = new WeakMap<readonly ModelMessage[], Total>();

/**
 * The sum over a list, remembered per list: a loop sends one list that only grows, and its next turn is counted from
 * where the last one ended. A list in which the last counted message has moved is counted anew.
 */
function totalOf(messages: readonly ModelMessage[]): Counts {
  let total = totals.get(messages);
  if (total === undefined || total.count > messages.length || messages[total.count - 1] !== total.last) {
    total = { chars: 0, bytes: 0, media: 0, count: 0, last: undefined };
    totals.set(messages, total);
  }
  for (; total.count < messages.length; total.count++) {
    const message = messages[total.count] as ModelMessage;
    const counts = countsOf(message);
    total.chars += counts.chars;
    total.bytes += counts.bytes;
    total.media += counts.media;
    total.last = message;
  }
  return total;
}

function countsOf(message: ModelMessage): Counts {
  const known = counted.get(message);
  if (known) return known;
  const counts: Counts = { chars: 0, bytes: 0, media: 0 };
  countText(counts, message.role);
  if (typeof message.content === "string") countText(counts, message.content);
  else for (const block of message.content ?? []) addBlock(counts, block);
  for (const call of message.tool_calls ?? []) countText(counts, JSON.stringify(call));
  for (const part of message.reasoning ?? []) countText(counts, JSON.stringify(part.item));
  if (message.name) countText(counts, message.name);
  counted.set(message, counts);
  return counts;
}

function addBlock(
  counts: Counts,
  block: { type: string; text?: string; url?: string; base64?: string },
): void {
  if (block.text !== undefined) {
    countText(counts, block.text);
    return;
  }
  counts.media += 1;
  // A document's pages are charged by content: its size bounds that. Pictures and sounds fit the allowance.
  if (block.type === "pdf" || block.type === "document") countText(counts, block.base64 ?? "");
}

function countText(counts: Counts, text: string): void {
  counts.chars += text.length;
  counts.bytes += utf8Length(text);
}

function jsonCounts(value: object): Counts {
  const known = counted.get(value);
  if (known) return known;
  const counts: Counts = { chars: 0, bytes: 0, media: 0 };
  countText(counts, JSON.stringify(value));
  counted.set(value, counts);
  return counts;
}
