/** What stands in the place of what was taken out of view: notes of one line, and heads with tails. */
import { headOf } from "../../../../values/index.ts";
import { failureLines } from "../../../tools/microcompact.ts";
import { cleanDelta } from "./delta.ts";

/** 4210 as "4,210". */
export const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

const maxArguments = 120;

/** Arguments as a note shows them. */
export function briefArguments(args: Readonly<Record<string, unknown>> | null): string {
  if (args === null) return "";
  const text = JSON.stringify(args);
  return text === "{}" ? "" : cut(text, maxArguments);
}

/** A text cut at its end, never inside a surrogate pair. */
export const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${headOf(text, max - 1)}…`;

export interface Cleared {
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
export function clearedNote({ tool, args, chars, kept, changedIn, sameAs, ref }: Cleared): string {
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
  const lines = said.split("\n").filter((line) => line.trim() !== "");
  const first = lines[0] ?? "";
  const last = lines.at(-1) ?? "";
  const shown = new Set<string>([first, ...failureLines(said).slice(0, shownFailures), last]);
  const own = [...shown].map((line) => cut(line.trimEnd(), maxLine)).filter((line) => line !== "");
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
  const line = failureLines(said)[0] ?? said.split("\n").find((text) => text.trim() !== "") ?? "";
  return cut(cleanDelta(line), maxLine);
}
