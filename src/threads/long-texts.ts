/**
 * Long texts of events: beyond 16 KiB they stand in the log as `{ref, bytes, head}`, and in the store once by their content.
 * What can't be a reference on the wire (an error's text) is cut there.
 */
import type { LogPiece } from "../durable/index.ts";
import type { Json } from "../effects/index.ts";
import { eventLimits } from "../events/wire/index.ts";
import type { JsonObject } from "../values/index.ts";

/** Bytes in UTF-8 of a text that stands in its event. Asked for at use: a plain start loads none of the events. */
const maxText = (): number => eventLimits.eventText;
/** Characters of a long text that its event has. */
const headChars = 1024;
/** Characters of JSON that one field may have when its texts are short. */
const maxField = 65_536;

/** Fields that may be a reference, or data with references in it. */
const referable: ReadonlySet<string> = new Set([
  "text",
  "result",
  "task",
  "summary",
  "arguments",
  "fields",
  "entries",
  "answer",
  "schema",
  "before_text",
  "after_text",
]);

export interface LongTexts {
  /** SHA-256, hexadecimal. */
  digest(text: string): string;
  /** The JSON text with secrets by name. */
  hide(text: string): string;
}

/** The data with references, and the texts that they name. The same object where nothing is long. */
export function withReferences(
  data: JsonObject,
  texts: LongTexts,
): { readonly data: JsonObject; readonly pieces: readonly LogPiece[] } {
  const pieces: LogPiece[] = [];
  let changed: { [key: string]: Json } | undefined;
  for (const [key, value] of Object.entries(data)) {
    const short = referable.has(key) ? shortened(value, texts, pieces) : clipped(value);
    if (short === value) continue;
    changed ??= { ...data };
    changed[key] = short;
  }
  return { data: changed ?? data, pieces };
}

function shortened(value: Json, texts: LongTexts, pieces: LogPiece[]): Json {
  if (typeof value === "string") return isLongText(value) ? reference(value, texts, pieces) : value;
  if (typeof value !== "object" || value === null) return value;
  const inside = mappedJson(value, (part) => shortened(part, texts, pieces));
  const whole = JSON.stringify(inside);
  return whole.length <= maxField ? inside : reference(JSON.stringify(value), texts, pieces);
}

function mappedJson(value: readonly Json[] | JsonObject, map: (part: Json) => Json): Json {
  if (Array.isArray(value)) {
    const parts = value.map(map);
    return parts.every((part, at) => part === value[at]) ? value : parts;
  }
  const entries = Object.entries(value as JsonObject).map(([key, part]) => [key, map(part)] as const);
  const same = entries.every(([key, part]) => part === (value as JsonObject)[key]);
  return same ? (value as JsonObject) : (Object.fromEntries(entries) as JsonObject);
}

function reference(text: string, { digest, hide }: LongTexts, pieces: LogPiece[]): Json {
  const stored = hide(JSON.stringify(text));
  const hash = digest(stored);
  pieces.push({ hash, text: stored });
  return { ref: hash, bytes: bytesOf(text), head: cut(text, headChars) };
}

function clipped(value: Json): Json {
  if (typeof value === "string") return isLongText(value) ? `${cut(value, maxText() / 4)}…` : value;
  if (typeof value !== "object" || value === null) return value;
  return mappedJson(value, clipped);
}

const isLongText = (text: string): boolean =>
  text.length > maxText() / 3 && (text.length > maxText() || bytesOf(text) > maxText());

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Not between the halves of a character. */
function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
