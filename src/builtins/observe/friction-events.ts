/**
 * Friction: what keeps people and agents from getting on (builtins.md §2.21), emitted as events and never with the secrets of
 * those who tell it. Events are kept with the run; with `log_path` or `HARN_FRICTION_LOG` they are lines of a file as well.
 */

import { redactedText, redactedValue, shape } from "../../effects/index.ts";
import { keptFiles, newId, stateKey, type Task } from "../../interp/index.ts";
import { variable } from "../../process/environment.ts";
import { type At, at, inside, refusal, row } from "../../table/index.ts";
import { Dict, jsonStringify, List, type MaybePromise, proceed, type Value } from "../../values/index.ts";
import { type Argument, hostPath, option, optionsOf } from "../arguments.ts";
import { parentPath } from "../files/path-text.ts";
import { frictionEventFields, type frictionKinds, frictionSinkFields } from "../rows/friction.ts";
import { wallClock } from "../time/clock-state.ts";
import { isoTime } from "../time/iso-time.ts";
import { observe } from "./observed.ts";

export type FrictionKind = (typeof frictionKinds)[number];

export const frictionState = stateKey<{ events: Dict[] }>("friction events", () => ({ events: [] }));

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
export function frictionEvent(place: At, input: Argument, made: FrictionStamp): Dict {
  const read = row.dict(frictionEventFields).read(input ?? null, place);
  const summary = read.redactedSummary ?? read.summary ?? read.message;
  if (summary === null || summary.trim() === "")
    throw refusal(inside(place, "redacted_summary"), "a text that is not blank", summary);
  return Dict.of({
    _type: "friction_event",
    schema_version: 1,
    id: read.id ?? made.id,
    kind: read.kind,
    ...Object.fromEntries(
      [...frictionEventFields.set("context")].map((key) => [key, redactedValue(option(input, key) ?? null)]),
    ),
    redacted_summary: redactedText(summary),
    estimated_time_ms: read.estimatedTimeMs,
    estimated_cost_usd: read.estimatedCostUsd,
    recurrence_hints: listOf(read.recurrenceHints),
    links: listOf(read.links),
    human_hypothesis: hypothesis(read.humanHypothesis),
    metadata: redactedValue(read.metadata ?? new Dict()),
    timestamp: read.timestamp ?? made.timestamp,
  });
}

function listOf(value: Value): Value {
  if (value === null) return new List([]);
  return redactedValue(value instanceof List ? value : new List([value]));
}

/** What a person believes to be the cause; a text is its note. */
function hypothesis(value: Value): Value {
  if (value === null) return null;
  const input = value instanceof Dict ? value : Dict.of({ note: value });
  return Dict.of(
    Object.fromEntries(
      hypothesisFields.map((key) => {
        const part = option(input, key) ?? null;
        return [key, key === "suggested_verification_tools" ? listOf(part) : redactedValue(part)];
      }),
    ),
  );
}

/** Keeps an event: `{event, recorded, sink}`. */
export function recordFriction(task: Task, input: Argument, options: Argument): MaybePromise<Dict> {
  const event = frictionEvent(at("friction_record"), input, madeNow(task));
  const { enabled, logPath } = optionsOf("friction_record", options, frictionSinkFields);
  if (!enabled) return Dict.of({ event, recorded: false, sink: "disabled" });
  task.runtime.state(frictionState).events.push(event);
  const path = logPath ?? logOfEnvironment(task);
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
