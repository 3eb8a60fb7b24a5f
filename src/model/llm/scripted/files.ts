/**
 * Files of written answers: `--llm-mock FILE.jsonl`, `--llm-mock-record FILE.jsonl` and tapes (agents.md §2.3).
 *
 * One JSON object per line, blank lines skipped. A broken file is found when it is loaded, with file and line, never
 * in the middle of a run. What is recorded can be loaded again.
 */

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { redactKnown, type Secret } from "../../../effects/index.ts";
import { callerWords, ownPath } from "../../../process/index.ts";

import { jsonNestsTooDeep } from "../../../values/index.ts";

import { LlmUsageError } from "../errors.ts";
import type { Json, JsonObject, ModelOutcome } from "../port.ts";
import { isObject } from "../tool-wire.ts";
import { type Entry, scriptedEntry } from "./entry.ts";
import { type TapeLine, type WarnOfFile, warnOfFields } from "./entry-fields.ts";

/** Reads a fixture file for `MockState.fixtures`. */
export function loadFixtures(path: string, warn?: WarnOfFile): Entry[] {
  return parseFixtures(readText(path, callerWords().flag("--llm-mock")), path, warn);
}

/** The entries of a fixture text; `name` is used in errors. */
export function parseFixtures(text: string, name: string, warn?: WarnOfFile): Entry[] {
  const lines = parseLines(text, name);
  if (warn !== undefined) warnOfFields(lines, warn);
  return lines.map(({ value, prefix }) => scriptedEntry(value, { file: true, prefix }));
}

/** The objects of a JSONL text. */
export function parseLines(text: string, name: string): TapeLine[] {
  const lines: TapeLine[] = [];
  for (const [i, line] of text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .entries()) {
    if (line.trim() === "") continue;
    const prefix = `${name}:${i + 1}: `;
    if (jsonNestsTooDeep(line))
      throw new LlmUsageError(`${prefix}is nested more than 1000 levels deep: that is no answer of a model`);
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (error) {
      throw new LlmUsageError(
        `${prefix}not valid JSON (each line holds one answer as a JSON object): ${(error as Error).message}`,
      );
    }
    if (!isObject(value))
      throw new LlmUsageError(`${prefix}expected a JSON object with an answer, such as {"text": "…"}`);
    lines.push({ value, prefix });
  }
  return lines;
}

/** Reads a file of answers, wording failures for people. */
export function readText(path: string, option: string): string {
  try {
    return readFileSync(ownPath(path), "utf8");
  } catch (error) {
    throw new LlmUsageError(`${option}: cannot read ${path}: ${fixtureReasonOf(error)}`);
  }
}

/** Writes answers to a file as they come. */
export interface Recording {
  /** Appends one answer, with the secrets in it replaced. */
  add(outcome: ModelOutcome, secrets: readonly Secret[]): void;
}

/** Starts a recording; an unwritable path fails here, before the run. */
export function openRecording(path: string): Recording {
  const file = ownPath(path);
  try {
    writeFileSync(file, "", { mode: 0o600 });
  } catch (error) {
    throw new LlmUsageError(`--llm-mock-record: cannot write ${path}: ${fixtureReasonOf(error)}`);
  }
  return {
    add: (outcome, secrets) => appendFileSync(file, `${redactKnown(fixtureLine(outcome), secrets)}\n`),
  };
}

/** One answer as a fixture line. */
export function fixtureLine(outcome: ModelOutcome): string {
  const response = outcome.ok ? outcome.response : outcome.partial;
  const { usage } = response;
  const line: JsonObject = {
    text: response.text,
    tool_calls: response.tool_calls.map((call) => ({
      id: call.id,
      name: call.name,
      args: (call.arguments ?? call.raw_arguments) as Json,
    })),
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cache_read_tokens: usage.cache_read_tokens,
    cache_write_tokens: usage.cache_write_tokens,
    cache_creation_input_tokens: usage.cache_write_tokens,
    thinking: response.thinking,
    thinking_summary: response.thinking_summary,
    stop_reason: response.stop_reason,
    model: response.model,
    provider: response.provider,
    blocks: response.blocks,
    logprobs: response.logprobs,
  };
  if (!outcome.ok) {
    const { category, message, kind, reason, status, address, retry_after_ms } = outcome.error;
    line.error = { category, message, kind, reason, status, address, retry_after_ms };
  }
  return JSON.stringify(line);
}

function fixtureReasonOf(error: unknown): string {
  const code = (error as { code?: string }).code;
  const known: ReadonlyMap<string | undefined, string> = new Map([
    ["ENOENT", "no such file or folder"],
    ["EACCES", "permission denied"],
    ["EISDIR", "it is a folder"],
    ["ENOTDIR", "a part of the path is no folder"],
    ["EROFS", "the file system is read-only"],
    ["ENOSPC", "the disk is full"],
  ]);
  return known.get(code) ?? (error as Error).message;
}
