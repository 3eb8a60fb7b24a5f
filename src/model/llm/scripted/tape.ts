/**
 * The tape: the answers of one earlier run, played in order, so that a program can be watched without a key.
 *
 * A tape is a file of written answers. Unlike a mock queue it is strict: the n-th call gets the n-th answer, `match`
 * is not a selector but a check that the conversation is still the one that was taped, and its end is an error that
 * says what to do. An optional first line `{"tape": 1, "title": …, "provider": …, "model": …}` describes it and names
 * the model of all answers that name none, so that their cost is known. With `"order": "any"` in it a call gets the first answer that
 * fits, as often as it is asked: trials of an evaluation run side by side, in no order of their calls.
 */
import { callerWords } from "../../../process/index.ts";
import { starMatches } from "../../../values/index.ts";
import { Answer, type Pricer } from "../answer.ts";
import { LlmUsageError, makeModelError } from "../errors.ts";
import type { ModelOutcome, ModelRequest, StreamOptions } from "../port.ts";
import { type Entry, entryCalls, entryError, scriptedEntry } from "./entry.ts";
import { type WarnOfFile, warnOfFields } from "./entry-fields.ts";
import { parseLines, readText } from "./files.ts";
import { countSubject, matchSubject, nothingCounted } from "./subject.ts";

/** A tape and how far it has played. */
export interface Tape {
  readonly name: string;
  readonly title: string | null;
  readonly entries: readonly Entry[];
  /** Whether the n-th call gets the n-th answer; else the first that fits. */
  readonly isOrdered: boolean;
  /** Answers played so far. */
  played: number;
}

export interface TapeOptions {
  /** Milliseconds between two pieces of text, to watch it stream; 0 plays at once. */
  paceMs?: number;
}

/** Reads a tape file. */
export function loadTape(path: string, warn?: WarnOfFile): Tape {
  return parseTape(readText(path, "tape"), path, warn);
}

/** Reads a tape from text; `name` is used in errors. */
export function parseTape(text: string, name: string, warn?: WarnOfFile): Tape {
  const lines = parseLines(text, name);
  const head = lines[0]?.value.tape === undefined ? undefined : lines.shift();
  if (head && head.value.tape !== 1) {
    throw new LlmUsageError(
      `${head.prefix}tape format ${JSON.stringify(head.value.tape)} is not known (this version reads 1)`,
    );
  }
  const { provider, model, title, order = "calls" } = head?.value ?? {};
  if (head !== undefined && order !== "calls" && order !== "any")
    throw new LlmUsageError(`${head.prefix}order must be "calls" or "any"; got ${JSON.stringify(order)}`);
  if (warn !== undefined) warnOfFields(lines, warn);
  const entries = lines.map(({ value, prefix }) =>
    scriptedEntry({ provider, model, ...value }, { file: true, prefix }),
  );
  if (entries.length === 0) throw new LlmUsageError(`${name}: the tape holds no answers`);
  const isOrdered = order !== "any";
  return { name, title: typeof title === "string" ? title : null, entries, isOrdered, played: 0 };
}

/** Plays the next answer. */
export async function answerFromTape(
  tape: Tape,
  request: ModelRequest,
  price: Pricer,
  options: StreamOptions = {},
  { paceMs = 0 }: TapeOptions = {},
): Promise<ModelOutcome> {
  // Taken before anything waits: calls that run side by side get answers in the order they asked.
  const turn = ++tape.played;
  const fits = ({ match }: Entry): boolean =>
    match === null || starMatches(match, matchSubject(request.messages));
  const entry = tape.isOrdered ? tape.entries[turn - 1] : tape.entries.find(fits);
  const { provider, model } = request;
  const answer = new Answer(entry?.provider ?? provider, entry?.model ?? model, price, options.onEvent);
  if (!entry)
    return answer.fail(
      makeModelError({
        category: "generic",
        reason: tape.isOrdered ? "tape_ended" : "tape_mismatch",
        message: tape.isOrdered
          ? tapeEndText(tape, turn)
          : `tape ${tape.name}: none of its ${tape.entries.length} answers is for what is asked. ${remedy()}`,
        provider,
        model,
      }),
    );
  if (!fits(entry)) {
    const message = `tape ${tape.name}: turn ${turn} does not fit: the answer was taped for messages like ${JSON.stringify(entry.match)}. ${remedy()}`;
    return answer.fail(
      makeModelError({ category: "generic", reason: "tape_mismatch", message, provider, model }),
    );
  }
  answer.start(null);
  if (entry.error) return answer.fail(entryError(entry.error, provider, model));
  const stopped = await sayAll(answer, entry, paceMs, options.signal);
  if (stopped)
    return answer.fail(makeModelError({ category: "cancelled", message: "cancelled", provider, model }));
  for (const call of entryCalls(entry, turn)) answer.call(call);
  answer.usage({
    input_tokens: entry.input_tokens ?? countSubject(request.messages, nothingCounted()).bytes,
    output_tokens: entry.output_tokens ?? 30,
    cache_read_tokens: entry.cache_read_tokens ?? 0,
    cache_write_tokens: entry.cache_write_tokens ?? 0,
    reasoning_tokens: 0,
    ...(entry.input_tokens === undefined || entry.input_tokens === null ? { assumed: true } : {}),
  });
  return answer.succeed(entry.stop_reason, entry.blocks ? { blocks: entry.blocks } : {});
}

function remedy(): string {
  const words = callerWords();
  const again = words.has("--llm-mock-record")
    ? `Tape it again on a live run with ${words.flag("--llm-mock-record", "FILE.jsonl")}, or run live`
    : "Run live";
  const keys = words.keys(["OPENAI_API_KEY", "ANTHROPIC_API_KEY"]);
  return `The script or what it reads has changed since. ${again}: set ${keys}, or name a ${words.flag("--provider")} and ${words.flag("--model")}.`;
}

function tapeEndText(tape: Tape, turn: number): string {
  const held = tape.entries.length;
  return `tape ${tape.name} ends early: turn ${turn} was asked for, but the tape holds ${held} ${held === 1 ? "answer" : "answers"}. ${remedy()}`;
}

/** Streams thinking and text word by word. True when it was cancelled meanwhile. */
async function sayAll(
  answer: Answer,
  entry: Entry,
  paceMs: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (const word of streamedWords(entry.thinking ?? "")) {
    if (await paused(paceMs, signal)) return true;
    answer.thinking(word);
  }
  if (entry.thinking_summary) answer.response.thinking_summary = entry.thinking_summary;
  for (const word of streamedWords(entry.text)) {
    if (await paused(paceMs, signal)) return true;
    answer.text(word);
  }
  return signal?.aborted ?? false;
}

function streamedWords(text: string): string[] {
  return text.match(/\s*\S+\s*/g) ?? (text === "" ? [] : [text]);
}

/** Waits; true when cancelled. */
async function paused(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted || ms <= 0) return signal?.aborted ?? false;
  return await new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve(false);
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
