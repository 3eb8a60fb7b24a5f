/**
 * Reading a conversation back from an `llm_transcript.jsonl` (agents.md §2.4): exact message records, the last full
 * request with the answers after it, or, when that is all there is, the answers alone.
 */

import { Dict, jsonParseOrNothing, List } from "../../values/index.ts";
import { dictsOf } from "./transcript-value.ts";

type SourceFormat = "message_events" | "request_snapshots" | "provider_responses_only";

export interface SeedOptions {
  readonly provider: string | null;
  readonly model: string | null;
  readonly truncateToLast: number | null;
  readonly dropToolCalls: boolean;
  readonly validate: boolean;
}

export interface Seed {
  readonly messages: readonly Dict[];
  readonly format: SourceFormat;
  readonly records: number;
  readonly partial: boolean;
  readonly truncated: boolean;
  readonly provider: string | null;
  readonly model: string | null;
  readonly toolFormat: string | null;
}

/** What keeps a file from being a conversation. */
export class SeedFailure extends Error {}

/** The conversation in a text. */
export function parseSeed(text: string, options: SeedOptions): Seed {
  const { records, skipped } = recordsOf(text, options.validate);
  const route = routeOf(records);
  checkRoute("provider", route.provider, options.provider);
  checkRoute("model", route.model, options.model);
  const found = messagesOf(records, options.validate);
  let { messages } = found;
  if (options.dropToolCalls) messages = messages.flatMap(withoutCalls);
  if (messages.length === 0)
    throw new SeedFailure("transcript JSONL did not contain any prompt-visible messages");
  const whole = messages.length;
  if (options.truncateToLast !== null) messages = lastMessages(messages, options.truncateToLast);
  return {
    messages,
    format: found.format,
    records: records.length,
    partial: found.format === "provider_responses_only" || skipped > 0,
    truncated: messages.length < whole,
    ...route,
  };
}

function recordsOf(text: string, validate: boolean): { records: Dict[]; skipped: number } {
  const records: Dict[] = [];
  let skipped = 0;
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const value = jsonParseOrNothing(line) ?? null;
    if (value instanceof Dict) {
      // What judges and summarizers were asked is no part of the conversation.
      if (!value.has("purpose")) records.push(value);
    } else if (validate)
      throw new SeedFailure(`line ${index + 1} of the transcript JSONL is not a JSON object`);
    else skipped++;
  }
  return { records, skipped };
}

// ── what was asked for ────────────────────────────────────────────────────────────────────────────────────────────

function routeOf(records: readonly Dict[]): Pick<Seed, "provider" | "model" | "toolFormat"> {
  const last = (key: string): string | null => {
    const found = records.findLast((record) => typeof record.get(key) === "string");
    return found === undefined ? null : (found.get(key) as string);
  };
  return { provider: last("provider"), model: last("model"), toolFormat: last("tool_format") };
}

function checkRoute(what: string, recorded: string | null, wanted: string | null): void {
  if (wanted !== null && recorded !== null && recorded !== wanted)
    throw new SeedFailure(`transcript ${what} '${recorded}' does not match requested ${what} '${wanted}'`);
}

// ── messages ──────────────────────────────────────────────────────────────────────────────────────────────────────

function messagesOf(records: readonly Dict[], validate: boolean): { messages: Dict[]; format: SourceFormat } {
  const said = records.flatMap(messagesInRecord);
  if (said.length > 0) return { messages: said, format: "message_events" };
  const at = records.findLastIndex((record) => seedSnapshotOf(record) !== null);
  if (at >= 0) {
    const before = dictsOf(seedSnapshotOf(records[at] as Dict) as List).filter(isVisibleMessage);
    return {
      messages: [...before, ...records.slice(at + 1).flatMap(seededAnswerIn)],
      format: "request_snapshots",
    };
  }
  if (validate && records.some((record) => seededAnswerIn(record).length > 0)) {
    throw new SeedFailure(
      "the transcript JSONL holds only provider responses: exact prefix reconstruction is impossible (pass validate: false to seed from the answers alone)",
    );
  }
  return { messages: records.flatMap(seededAnswerIn), format: "provider_responses_only" };
}

const bookkeeping: ReadonlySet<string> = new Set(["type", "timestamp", "span_id", "iteration", "call_id"]);

/** The message in a `message` or `tool_result` record. */
function messagesInRecord(record: Dict): Dict[] {
  const type = record.get("type");
  if (type !== "message" && type !== "tool_result") return [];
  let message = new Dict();
  for (const [key, value] of record.entries()) if (!bookkeeping.has(key)) message = message.with(key, value);
  if (type === "tool_result" && !message.has("role")) message = message.with("role", "tool_result");
  return isVisibleMessage(message) ? [message] : [];
}

const isVisibleMessage = (message: Dict): boolean => {
  const role = message.get("role");
  return typeof role === "string" && role !== "" && role !== "system";
};

/** The messages of a full request, in today's records and in older ones. */
function seedSnapshotOf(record: Dict): List | null {
  const type = record.get("type");
  if (type !== "provider_call_request" && type !== "request") return null;
  const snapshot = record.get("request_snapshot");
  const messages = (snapshot instanceof Dict ? snapshot : record).get("messages");
  return messages instanceof List ? messages : null;
}

/** The assistant's message in a response record. */
function seededAnswerIn(record: Dict): Dict[] {
  const type = record.get("type");
  if (type !== "provider_call_response" && type !== "response") return [];
  const text = record.get("text") ?? record.get("content") ?? "";
  const calls = record.get("tool_calls");
  const called = calls instanceof List && calls.length > 0;
  if (typeof text !== "string" || (text === "" && !called)) return [];
  return [Dict.of({ role: "assistant", content: text, tool_calls: called ? calls : undefined })];
}

/** Native calls and their results go; what was said stays. */
function withoutCalls(message: Dict): Dict[] {
  const role = message.get("role");
  if (role === "tool" || role === "tool_result") return [];
  const calls = message.get("tool_calls");
  if (!(calls instanceof List) || calls.length === 0) return [message.without("tool_calls")];
  const content = message.get("content") ?? "";
  return content === "" ? [] : [message.without("tool_calls")];
}

/** The last messages, from a place where no result stands without its call. */
function lastMessages(messages: readonly Dict[], count: number): Dict[] {
  let from = Math.max(0, messages.length - count);
  while (from < messages.length && isSeededResult(messages[from] as Dict)) from++;
  return messages.slice(from);
}

const isSeededResult = (message: Dict): boolean =>
  message.get("role") === "tool" || message.get("role") === "tool_result";
