/**
 * Friction: what keeps people and agents from getting on (builtins.md §2.21), emitted as events and never with the secrets of
 * those who tell it. Events are kept with the run; with `log_path` or `HARN_FRICTION_LOG` they are lines of a file as well.
 */

import { redactedText, redactedValue, shape } from "../../effects/index.ts";
import type { StateKey, Task } from "../../interp/index.ts";
import { keptFiles, newId } from "../../interp/index.ts";
import { variable } from "../../process/environment.ts";
import { at, refusal } from "../../table/index.ts";
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
} from "../../values/index.ts";
import { type Argument, hostPath, numberOf, option, textOf } from "../arguments.ts";
import { parentPath } from "../files/path-text.ts";
import { frictionEventFields } from "../rows/people.ts";
import { wallClock } from "../time/clock-state.ts";
import { isoTime } from "../time/iso-time.ts";
import { observe } from "./observed.ts";

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

const hypothesisFields = [
  "note",
  "confidence",
  "expires_at",
  "checkback_at",
  "suggested_verification_tools",
  "status",
  "evidence_outcome",
] as const;

/** What a fresh event gets. */
export interface FrictionStamp {
  readonly id: string | null;
  /** ISO 8601. */
  readonly timestamp: string | null;
}

/** What an event gets that is new in this run. */
export const madeNow = (task: Task): FrictionStamp => ({
  id: `friction_${newId(task)}`,
  timestamp: isoTime(wallClock(task)),
});

/** An event with all of its fields, checked and without secrets. */
export function frictionEvent(input: Argument, made: FrictionStamp): Dict {
  if (!(input instanceof Dict))
    throw runtimeError(
      `friction_event: expected a dict {kind, redacted_summary, …}, got ${typeOf(input ?? null)}`,
    );
  const kind = option(input, "kind");
  if (!kinds.some((one) => one === kind)) {
    const text = kind === undefined ? "" : display(kind);
    throw runtimeError(`friction_event: unsupported kind '${text}'; expected one of ${kinds.join(", ")}`);
  }
  const summary = option(input, "redacted_summary") ?? option(input, "summary") ?? option(input, "message");
  if (summary === undefined || textOf(summary).trim() === "")
    throw runtimeError("friction_event: missing redacted_summary");
  const metadata = option(input, "metadata") ?? new Dict();
  if (!(metadata instanceof Dict)) throw refusal(at("friction_event", "metadata"), "dict", metadata);
  return Dict.of({
    _type: "friction_event",
    schema_version: 1,
    id: option(input, "id") ?? made.id,
    kind: kind ?? null,
    ...Object.fromEntries(
      [...frictionEventFields.set("context")].map((key) => [key, redactedValue(option(input, key) ?? null)]),
    ),
    redacted_summary: redactedText(textOf(summary)),
    estimated_time_ms: estimate(input, "estimated_time_ms"),
    estimated_cost_usd: estimate(input, "estimated_cost_usd"),
    recurrence_hints: listOf(option(input, "recurrence_hints")),
    links: listOf(option(input, "links")),
    human_hypothesis: hypothesis(option(input, "human_hypothesis")),
    metadata: redactedValue(metadata),
    timestamp: option(input, "timestamp") ?? made.timestamp,
  });
}

function listOf(value: Value | undefined): Value {
  if (value === undefined) return new List([]);
  return redactedValue(value instanceof List ? value : new List([value]));
}

/** What a person believes to be the cause; a text is its note. */
function hypothesis(value: Value | undefined): Value {
  if (value === undefined) return null;
  if (typeof value !== "string" && !(value instanceof Dict))
    throw refusal(at("friction_event", "human_hypothesis"), "dict", value);
  const input = value instanceof Dict ? value : Dict.of({ note: value });
  return Dict.of(
    Object.fromEntries(
      hypothesisFields.map((key) => {
        const part = option(input, key) ?? null;
        return [
          key,
          key === "suggested_verification_tools" ? listOf(part ?? undefined) : redactedValue(part),
        ];
      }),
    ),
  );
}

/** What was lost; savings are summed up from it. */
function estimate(event: Argument, key: string): Value {
  const value = option(event, key);
  if (value === undefined || numberOf(value) !== undefined) return value ?? null;
  throw refusal(at("friction_event", key), "float", value);
}

/** Keeps an event: `{event, recorded, sink}`. */
export function recordFriction(task: Task, input: Argument, options: Argument): MaybePromise<Dict> {
  const event = frictionEvent(input, madeNow(task));
  if (option(options, "enabled") === false) return Dict.of({ event, recorded: false, sink: "disabled" });
  task.runtime.state(frictionState).events.push(event);
  const path = option(options, "log_path") ?? option(options, "path") ?? logOfEnvironment(task);
  if (path === undefined) return Dict.of({ event, recorded: true, sink: "memory" });
  const written = appendToLog(task, hostPath(task, path), jsonStringify(event));
  return proceed(written, () => Dict.of({ event, recorded: true, sink: "jsonl" }));
}

const logOfEnvironment = (task: Task): string | undefined =>
  observe(
    task,
    "friction.log",
    shape.text,
    () => variable(task.runtime.host.env, "HARN_FRICTION_LOG") ?? "",
  ) || undefined;

function appendToLog(task: Task, path: string, line: string): MaybePromise<null> {
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
    result: shape.nothing,
  });
}
