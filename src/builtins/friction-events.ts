/**
 * Friction: what keeps people and agents from getting on (builtins.md §2.21), told as events and never with the secrets of
 * those who tell it. Events are kept with the run; with `log_path` they are lines of a file as well.
 */

import { newId } from "../agent/index.ts";
import type { StateKey, Task } from "../interp/index.ts";
import { keptFiles } from "../interp/index.ts";
import {
  Dict,
  display,
  jsonStringify,
  List,
  type MaybePromise,
  proceed,
  runtimeError,
  typeOf,
  type Value,
} from "../values/index.ts";
import { type Given, hostPath, numberOf, option, textOf } from "./arguments.ts";
import { parentPath } from "./path-text.ts";

const kinds = [
  "repeated_query",
  "repeated_clarification",
  "approval_stall",
  "missing_context",
  "manual_handoff",
  "tool_gap",
  "failed_assumption",
  "expensive_model_used_for_deterministic_step",
  "human_hypothesis",
] as const;
export type FrictionKind = (typeof kinds)[number];

export const frictionState: StateKey<{ events: Dict[] }> = {
  name: "friction events",
  create: () => ({ events: [] }),
};

const sensitiveText =
  /\b(token|api[_-]?key|secret|password|passwd|authorization|bearer)(\s*[=:]\s*|\s+)("[^"]*"|'[^']*'|[^\s,;]+)/gi;
const sensitiveKey = /token|api[_-]?key|secret|passw|authorization|credential|cookie/i;
const hidden = "[redacted]";

/** `token=abc` becomes `token=[redacted]`; words that merely follow each other stay. */
function redacted(text: string): string {
  return text.replace(sensitiveText, (whole, name: string, between: string) =>
    between.trim() === "" && name.toLowerCase() !== "bearer" ? whole : `${name}${between}${hidden}`,
  );
}

function redactedValue(value: Value): Value {
  if (typeof value === "string") return redacted(value);
  if (value instanceof List) return new List(value.toArray().map(redactedValue));
  if (!(value instanceof Dict)) return value;
  return Dict.from(
    [...value.entries()].map(
      ([key, entry]) => [key, sensitiveKey.test(key) ? hidden : redactedValue(entry)] as const,
    ),
  );
}

/** An event with all of its fields, checked and without secrets. */
export function frictionEvent(given: Given, id: string | null): Dict {
  const kind = option(given, "kind");
  if (!kinds.some((one) => one === kind)) {
    const text = kind === undefined ? "" : display(kind);
    throw runtimeError(`friction_event: unsupported kind '${text}'; expected one of ${kinds.join(", ")}`);
  }
  const summary = option(given, "redacted_summary");
  if (summary === undefined || textOf(summary).trim() === "")
    throw runtimeError("friction_event: missing redacted_summary");
  const hints = option(given, "recurrence_hints");
  const metadata = option(given, "metadata");
  return Dict.of({
    _type: "friction_event",
    id: option(given, "id") ?? id,
    kind: kind ?? null,
    source: option(given, "source") ?? null,
    actor: option(given, "actor") ?? null,
    tool: option(given, "tool") ?? null,
    provider: option(given, "provider") ?? null,
    redacted_summary: redacted(textOf(summary)),
    estimated_time_ms: estimate(given, "estimated_time_ms"),
    estimated_cost_usd: estimate(given, "estimated_cost_usd"),
    recurrence_hints:
      hints instanceof List
        ? redactedValue(hints)
        : new List(hints === undefined ? [] : [redactedValue(hints)]),
    metadata: metadata instanceof Dict ? redactedValue(metadata) : new Dict(),
  });
}

/** What was lost; savings are summed up from it. */
function estimate(event: Given, key: string): Value {
  const value = option(event, key);
  if (value === undefined || numberOf(value) !== undefined) return value ?? null;
  throw runtimeError(`friction_event: ${key} must be a number, got ${typeOf(value)}`);
}

/** Keeps an event: `{event, recorded, sink}`. */
export function recordFriction(task: Task, given: Given, options: Given): MaybePromise<Dict> {
  const event = frictionEvent(given, `friction_${newId(task)}`);
  if (option(options, "enabled") === false) return Dict.of({ event, recorded: false, sink: "disabled" });
  task.runtime.state(frictionState).events.push(event);
  const path = option(options, "log_path");
  if (path === undefined) return Dict.of({ event, recorded: true, sink: "memory" });
  const written = appendLine(task, hostPath(task, path), jsonStringify(event));
  return proceed(written, () => Dict.of({ event, recorded: true, sink: "file" }));
}

function appendLine(task: Task, path: string, line: string): MaybePromise<null> {
  const files = keptFiles(task.runtime);
  return task.perform<null>({
    effect: "write",
    kind: "friction.append",
    args: () => ({ path, line }),
    run: () => {
      if (parentPath(path) !== "") files.makeDir(parentPath(path));
      files.append(path, `${line}\n`);
      return null;
    },
    encode: () => null,
    decode: () => null,
  });
}
