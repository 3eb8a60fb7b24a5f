/**
 * Written answers: the entries of `llm_mock`, of fixture files and of tapes, and how they are read.
 *
 * Reading is forgiving where agents.md §2.1 says so (fields of a wrong type and unknown fields are ignored) and strict
 * about errors, because a mistyped error category would silently test nothing.
 */
import { finishedCall } from "../answer.ts";
import { categoryOfReason, categoryOfStatus, LlmUsageError, makeModelError, meaningOf } from "../errors.ts";
import {
  type ErrorCategory,
  errorCategories,
  type Json,
  type JsonObject,
  type ModelError,
  type ModelToolCall,
} from "../port.ts";
import { isObject } from "../tool-wire.ts";

/** A call in a written answer; `raw` is the argument text. */
export interface EntryCall {
  id: string | null;
  name: string;
  raw: string;
}

/** A written failure; provider and model are those of the request it answers. */
export interface EntryError {
  category: ErrorCategory;
  message: string;
  kind: ModelError["kind"];
  reason: string | null;
  status: number | null;
  address: string | null;
  retryAfterMs: number | null;
}

export interface EntrySource {
  /** Files spell arguments `args` too, and may hold malformed ones as a string. */
  file: boolean;
  /** Starts the message of every error: `llm_mock: ` or `mock.jsonl:3: `. */
  prefix: string;
}

/** Reads one entry. Throws `LlmUsageError` for what must not be ignored. */
export function scriptedEntry(raw: JsonObject, source: EntrySource) {
  return {
    text: text(raw.text) ?? "",
    calls: scriptedCalls(raw.tool_calls, source),
    match: text(raw.match),
    consume_match: raw.consume_match === true,
    input_tokens: scriptedCount(raw.input_tokens),
    output_tokens: scriptedCount(raw.output_tokens),
    cache_read_tokens: scriptedCount(raw.cache_read_tokens),
    cache_write_tokens:
      scriptedCount(raw.cache_write_tokens) ?? scriptedCount(raw.cache_creation_input_tokens),
    thinking: text(raw.thinking),
    thinking_summary: text(raw.thinking_summary),
    stop_reason: text(raw.stop_reason),
    model: text(raw.model),
    provider: text(raw.provider),
    blocks: Array.isArray(raw.blocks) ? raw.blocks.filter(isObject) : null,
    logprobs: raw.logprobs ?? null,
    error: raw.error === undefined || raw.error === null ? null : scriptedError(raw.error, source),
  };
}

/** One written answer. Null means "not given". */
export type Entry = ReturnType<typeof scriptedEntry>;

function scriptedCalls(raw: Json | undefined, source: EntrySource): EntryCall[] {
  if (!Array.isArray(raw)) return [];
  const calls: EntryCall[] = [];
  for (const [i, item] of raw.entries()) {
    if (!isObject(item) || typeof item.name !== "string" || item.name === "")
      throw new LlmUsageError(
        `${source.prefix}tool_calls[${i}] must be {name, arguments?}, with the name of a tool`,
      );
    const args = source.file ? (item.arguments ?? item.args) : item.arguments;
    calls.push({ id: text(item.id), name: item.name, raw: entryArgumentText(args, source) });
  }
  return calls;
}

function entryArgumentText(input: Json | undefined, source: EntrySource): string {
  if (isObject(input)) return JSON.stringify(input);
  return source.file && typeof input === "string" ? input : "{}";
}

function scriptedError(raw: Json, source: EntrySource): EntryError {
  const fail = (what: string): never => {
    throw new LlmUsageError(`${source.prefix}${what}`);
  };
  if (!isObject(raw)) return fail(`error must be a dict {category, message?, …}; got ${entryTypeName(raw)}`);
  const category = text(raw.category);
  const kind = text(raw.kind);
  const reason = text(raw.reason);
  const status = scriptedCount(raw.status);
  if (category === null && kind === null && reason === null && status === null) {
    return fail("error.category is required unless error.status, error.kind, or error.reason is set");
  }
  if (category !== null && !mockable(category)) return fail(`unknown error category \`${category}\``);
  if (kind !== null && kind !== "transient" && kind !== "terminal")
    return fail(`unknown error kind \`${kind}\``);
  const derived = (category as ErrorCategory | null) ?? deriveCategory(status, reason, kind);
  const bare = status === null && kind === null && reason === null;
  const retryAfterMs = scriptedCount(raw.retry_after_ms);
  const message = text(raw.message) ?? (bare ? "" : defaultMessage(status, kind, reason));
  return {
    category: derived,
    // The real thing is a header that ends up in the message; callers that only see text find it there.
    message: bare && retryAfterMs !== null ? `${message}\nretry-after: ${retryAfterMs / 1000}\n` : message,
    kind: (kind as ModelError["kind"] | null) ?? meaningOf(derived).kind,
    reason,
    status,
    address: text(raw.address),
    retryAfterMs,
  };
}

function mockable(category: string): boolean {
  return category !== "schema_stream_aborted" && (errorCategories as readonly string[]).includes(category);
}

function deriveCategory(status: number | null, reason: string | null, kind: string | null): ErrorCategory {
  if (status !== null) return categoryOfStatus(status);
  const byReason = reason === null ? undefined : categoryOfReason(reason);
  return byReason ?? (kind === "transient" ? "server_error" : "generic");
}

function defaultMessage(status: number | null, kind: string | null, reason: string | null): string {
  const nature = [kind, reason].filter((part) => part !== null).join("/");
  return `${status === null ? "" : `HTTP ${status} `}mock LLM error${nature === "" ? "" : ` (${nature})`}`;
}

/** The failure as it is for this request. */
export function entryError(error: EntryError, provider: string, model: string): ModelError {
  return makeModelError({
    category: error.category,
    message: error.message,
    provider,
    model,
    kind: error.kind,
    ...(error.reason === null ? {} : { reason: error.reason }),
    ...(error.status === null ? {} : { status: error.status }),
    ...(error.address === null ? {} : { address: error.address }),
    ...(error.retryAfterMs === null ? {} : { retryAfterMs: error.retryAfterMs }),
  });
}

/** The calls of an entry, with the ids that they name; others are numbered: `mock_call_1` …, of a tape by turn. */
export function entryCalls(entry: Entry, turn?: number): ModelToolCall[] {
  return entry.calls.map((call, i) => {
    const numbered = turn === undefined ? `mock_call_${i + 1}` : `tape_call_${turn}_${i + 1}`;
    return finishedCall(call.id ?? numbered, call.name, call.raw);
  });
}

function text(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function scriptedCount(value: Json | undefined): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
}

function entryTypeName(value: Json): string {
  if (value === null) return "nil";
  if (Array.isArray(value)) return "list";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  return typeof value === "boolean" ? "bool" : typeof value;
}
