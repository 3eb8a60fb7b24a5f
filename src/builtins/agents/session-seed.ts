/** `agent_session_seed_from_jsonl`: a conversation from an `llm_transcript.jsonl` (agents.md §2.4). */

import { parseSeed, type Seed, SeedFailure, type SeedOptions } from "../../agent/index.ts";
import { shape } from "../../effects/index.ts";
import { HostError } from "../../host/index.ts";
import type { Task } from "../../interp/index.ts";
import { newId } from "../../interp/index.ts";
import { conversations, defaultThreshold, messageFrom, sessionTokens } from "../../model/index.ts";
import { Dict, display, ScriptError, thrown, type Value } from "../../values/index.ts";
import { type Argument, hostPath, option } from "../arguments.ts";
import { seedFields } from "../rows/agents.ts";

/** Never throws for what the file holds: `ok` says whether there is a session now, `error` why not. */
export function seedFromJsonl(task: Task, path: Argument, options: Argument): Value {
  const source = hostPath(task, path);
  try {
    return seeded(task, source, options, parseSeed(read(task, source), seedOptions(options)));
  } catch (error) {
    if (error instanceof SeedFailure) return failedSeed(source, error.message);
    if (error instanceof ScriptError) return failedSeed(source, display(error.value));
    throw error;
  }
}

function seeded(task: Task, source: string, options: Argument, seed: Seed): Dict {
  const wanted = option(options, "session_id");
  const id = typeof wanted === "string" && wanted !== "" ? wanted : newId(task);
  const messages = seed.messages.map((message, index) => messageFrom(message, `message ${index + 1}`));
  const store = task.runtime.state(conversations);
  if ((store.get(id)?.log.length ?? 0) > 0) throw new SeedFailure(`session '${id}' already has messages`);
  const conversation = store.open(id);
  for (const message of messages) conversation.append(message);
  if (seed.toolFormat === "native" || seed.toolFormat === "text") conversation.toolFormat = seed.toolFormat;
  return Dict.of({
    ok: true,
    session_id: id,
    turns_loaded: messages.filter(({ role }) => role === "assistant").length,
    messages_loaded: messages.length,
    source_records: seed.records,
    source_format: seed.format,
    partial: seed.partial,
    truncated: seed.truncated,
    provider: seed.provider,
    model: seed.model,
    tool_format: seed.toolFormat,
    source,
    recommend_compaction: sessionTokens(conversation) > defaultThreshold,
    error: null,
  });
}

const failedSeed = (source: string, error: string): Dict =>
  Dict.of({
    ok: false,
    session_id: null,
    turns_loaded: 0,
    messages_loaded: 0,
    source_records: 0,
    source_format: null,
    partial: false,
    truncated: false,
    provider: null,
    model: null,
    tool_format: null,
    source,
    recommend_compaction: false,
    error,
  });

function seedOptions(options: Argument): SeedOptions {
  if (options instanceof Dict) {
    for (const key of options.keys())
      if (seedFields.get(key) === undefined)
        throw new SeedFailure(
          `unknown option '${key}' (expected one of: ${[...seedFields.names()].join(", ")})`,
        );
  }
  const text = (key: string): string | null => {
    const value = option(options, key);
    return typeof value === "string" ? value : null;
  };
  const last = option(options, "truncate_to_last");
  if (last !== undefined && (typeof last !== "number" || last < 1))
    throw new SeedFailure("truncate_to_last: expected int >= 1");
  return {
    provider: text("provider"),
    model: text("model"),
    truncateToLast: last === undefined ? null : (last as number),
    dropToolCalls: option(options, "drop_tool_calls") === true,
    validate: option(options, "validate") !== false,
  };
}

/** A recorded read: a replay has no file. */
function read(task: Task, path: string): string {
  return task.perform<string>({
    effect: "read",
    kind: "transcript.read",
    args: () => path,
    run: () => {
      try {
        return task.runtime.host.files.readText(path);
      } catch (error) {
        if (error instanceof HostError) throw thrown(`cannot read ${path}: ${error.message}`);
        throw error;
      }
    },
    result: shape.text,
  }) as string;
}
