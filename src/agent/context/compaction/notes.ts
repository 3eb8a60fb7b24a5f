/** What stands in the place of what was taken out of view: notes of one line, and heads with tails. */
import type { ModelMessage } from "../../../model/index.ts";
import { headOf, jsonOrText } from "../../../values/index.ts";
import { failureLines } from "../../tools/microcompact.ts";
import { cleanDelta } from "./delta.ts";

/** 4210 as "4,210". */
export const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

export const maxArguments = 120;

/** Arguments as a note shows them. */
export function briefArguments(args: Readonly<Record<string, unknown>> | null): string {
  if (args === null) return "";
  const text = JSON.stringify(args);
  return text === "{}" ? "" : cut(text, maxArguments);
}

/** A text cut at its end, never inside a surrogate pair. */
export const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${headOf(text, max - 1)}…`;

export interface ClearNote {
  readonly tool: string;
  /** "" leaves them out. */
  readonly args: string;
  readonly chars: number;
  /** What stays of it, in the order in which it is told. */
  readonly kept: readonly string[];
  /** The message that changed what it was about. */
  readonly changedIn: string | null;
  /** A later message that says the same. */
  readonly sameAs: string | null;
  readonly ref: string;
}

/** `[cleared: read_file {"path":"a.ts"}, 4,210 characters; changed since in msg_88; context_recall msg_41 has it]` */
export function clearedNote({ tool, args, chars, kept, changedIn, sameAs, ref }: ClearNote): string {
  const what = [tool, args].filter((part) => part !== "").join(" ");
  const parts = [`${what}, ${grouped(chars)} characters`, ...kept];
  if (changedIn !== null) parts.push(`changed since in ${changedIn}`);
  if (sameAs !== null) parts.push(`the same again in ${sameAs}`);
  return `[cleared: ${parts.join("; ")}; context_recall ${ref} has it]`;
}

const shownFailures = 5;
const maxLine = 240;

/** `[kept outside: bash, 18,300 characters, msg_52]` and its first and last line and lines that look like failures. */
export function outsideNote(tool: string, said: string, ref: string): string {
  const first = (/[^\n]*\S[^\n]*/.exec(said)?.[0] ?? "").trimEnd();
  const whole = said.trimEnd();
  const last = whole.slice(whole.lastIndexOf("\n") + 1);
  const shown = new Set<string>([first, ...failureLines(said, shownFailures), last]);
  const own = [...shown].map((line) => cut(line, maxLine)).filter((line) => line !== "");
  return [`[kept outside: ${tool}, ${grouped(said.length)} characters, ${ref}]`, ...own].join("\n");
}

/** Texts that stay word for word, as a note names them; "" for none. */
export const survivingNote = (texts: readonly string[]): string =>
  texts.length === 0 ? "" : `has ${texts.join(" · ")}`;

/** Head and tail of a text, and what is missing between them. `must`: texts of it that stay word for word. */
export function headAndTail(text: string, each: number, ref: string, must: readonly string[] = []): string {
  if (text.length <= 2 * each) return text;
  const head = headOf(text, each);
  const from = text.length - each;
  const tail = /^[\udc00-\udfff]/.test(text.slice(from)) ? text.slice(from + 1) : text.slice(from);
  const gone = text.length - head.length - tail.length;
  const named = survivingNote(must.filter((one) => !head.includes(one) && !tail.includes(one)));
  const what = [`${grouped(gone)} characters are out of view`, named, `context_recall ${ref} has them`];
  return `${head}\n[… ${what.filter((part) => part !== "").join("; ")} …]\n${tail}`;
}

/** The first line of a result that says what went wrong, else its first line. */
export function failureOf(said: string): string {
  const [failure] = failureLines(said, 1);
  const line = failure ?? said.split("\n").find((text) => text.trim() !== "") ?? "";
  return cut(cleanDelta(line), maxLine);
}

// ── long texts in the arguments of calls that are done with: keys and JSON stay valid ──

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
