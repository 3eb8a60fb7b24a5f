/** Spans that a script opens, and their list (builtins.md §2.18). Ids come from the run's seed. */
import type { StateKey, Task } from "../interp/index.ts";
import { defineBuiltins } from "../table/index.ts";
import { Dict, List, thrown, truthy, type Value } from "../values/index.ts";
import { type Given, intOr, option, textOf } from "./arguments.ts";
import { sinceStart } from "./clock-state.ts";
import { writeSpanEnd } from "./output.ts";
import { type OpenSpan, openSpan, openSpans } from "./span-state.ts";

interface RecordedSpan {
  readonly id: number;
  readonly parent: number | undefined;
  readonly name: string;
  readonly startMs: number;
  durationMs: number | undefined;
}

const recorded: StateKey<{ on: boolean; spans: RecordedSpan[] }> = {
  name: "recorded spans",
  create: () => ({ on: false, spans: [] }),
};

const newId = (task: Task): string =>
  (task.runtime.effects.random32(task.scope) >>> 0).toString(16).padStart(8, "0");

/** Opens a span. */
export function startSpan(task: Task, name: string): Dict {
  const outer = openSpan(task);
  const startMs = sinceStart(task);
  const traceId = outer?.traceId ?? newId(task);
  const span: OpenSpan = {
    traceId,
    spanId: newId(task),
    name,
    startMs,
    number: note(task, name, startMs, outer),
  };
  openSpans.enter(task, span);
  return Dict.of({ trace_id: traceId, span_id: span.spanId, name, start_ms: startMs });
}

function note(task: Task, name: string, startMs: number, outer: OpenSpan | undefined): number {
  const state = task.runtime.state(recorded);
  if (!state.on) return 0;
  const parent = outer === undefined || outer.number === 0 ? undefined : outer.number;
  state.spans.push({ id: state.spans.length + 1, parent, name, startMs, durationMs: undefined });
  return state.spans.length;
}

/** Closes the span, and those inside it that were forgotten. A dict that is not open any more still counts its time. */
export function endSpan(task: Task, given: Given): Value {
  const id = option(given, "span_id");
  if (id === undefined) throw thrown("trace_end: argument must be a span dict from trace_start");
  const open = openSpans.own(task);
  const at = open.findLastIndex((span) => span.spanId === id);
  const span = open[at] ?? {
    traceId: textOf(option(given, "trace_id")),
    spanId: textOf(id),
    name: textOf(option(given, "name")),
    startMs: intOr(option(given, "start_ms"), 0),
    number: 0,
  };
  if (at >= 0) for (const _ of open.slice(at)) openSpans.leave(task);
  const durationMs = Math.max(0, sinceStart(task) - span.startMs);
  const kept = task.runtime.state(recorded).spans[span.number - 1];
  if (kept !== undefined) kept.durationMs = durationMs;
  writeSpanEnd(task, span, durationMs);
  return null;
}

/** Finished spans, in the order of their starts. */
const finished = (task: Task): RecordedSpan[] =>
  task.runtime.state(recorded).spans.filter((span) => span.durationMs !== undefined);

function summary(task: Task): string {
  const spans = finished(task);
  if (spans.length === 0) return "No spans recorded.";
  const known = new Set(spans.map((span) => span.id));
  const roots = spans.filter((span) => span.parent === undefined || !known.has(span.parent));
  const total = roots.reduce((sum, span) => sum + (span.durationMs ?? 0), 0);
  const lines = spans.map((span) => `span ${span.name} ${span.durationMs}ms`);
  return [`Trace: ${spans.length} spans, ${total}ms total`, "", ...lines].join("\n");
}

export const tracing = defineBuiltins(
  "tracing",
  {
    trace_start: {
      doc: "Opens a span: `{trace_id, span_id, name, start_ms}`. Spans inside it share its trace id, and log lines name both.",
      sig: "(name: any) -> dict",
      effect: "observe",
      performs: true,
      example: 'trace_start("load").name  // load',
      run: (task, name: Given) => startSpan(task, textOf(name)),
    },
    trace_end: {
      doc: "Closes a span and writes the log line `span_end` with its duration.",
      sig: "(span: dict) -> nil",
      effect: "observe",
      performs: true,
      run: (task, span: Given) => endSpan(task, span),
    },
    trace_id: {
      doc: "The trace id of the open span; nil outside of one.",
      sig: "() -> string?",
      effect: "state",
      example: "trace_id()  // nil",
      run: (task) => openSpan(task)?.traceId ?? null,
    },
    enable_tracing: {
      doc: "From now on spans are kept for `trace_spans` and `trace_summary`, or not.",
      sig: "(on: bool = true) -> nil",
      effect: "state",
      example: "enable_tracing()  // nil",
      run: (task, on: Given) => {
        task.runtime.state(recorded).on = on === undefined || truthy(on);
        return null;
      },
    },
    trace_spans: {
      doc: "The spans that were kept and have ended: `{span_id, parent_id, kind, name, start_ms, duration_ms}`.",
      sig: "() -> list<dict>",
      effect: "state",
      example: "trace_spans()  // []",
      run: (task) =>
        new List(
          finished(task).map((span) =>
            Dict.of({
              span_id: span.id,
              parent_id: span.parent ?? null,
              kind: "span",
              name: span.name,
              start_ms: span.startMs,
              duration_ms: span.durationMs,
            }),
          ),
        ),
    },
    trace_summary: {
      doc: "The kept spans as text, one line each.",
      sig: "() -> string",
      effect: "state",
      example: "trace_summary()  // No spans recorded.",
      run: summary,
    },
  },
  { span: "a span, as `trace_start` gives it" },
);
