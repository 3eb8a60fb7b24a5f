/**
 * Spans that a script opens, and their list (builtins.md §2.18). Ids have the form of W3C Trace Context and come from the
 * run's seed; the list names parents by the ids that `trace_start` gave, also those that nobody keeps.
 */
import { stateKey, type Task } from "../../interp/index.ts";
import { at, defineBuiltins, refusal } from "../../table/index.ts";
import { Dict, List, truthy, type Value } from "../../values/index.ts";
import { type Argument, intOr, option, textOf } from "../arguments.ts";
import { writeSpanEnd } from "../process/output.ts";
import { sinceStart } from "../time/clock-state.ts";
import { type OpenSpan, openSpan, openSpans } from "./span-state.ts";

interface RecordedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly startMs: number;
  durationMs: number | undefined;
  /** What went wrong inside, in words. */
  error: string | null;
}

const recorded = stateKey<{ on: boolean; spans: RecordedSpan[] }>("recorded spans", () => ({
  on: false,
  spans: [],
}));

/** Hexadecimal digits: 32 for a trace, 16 for a span. Never all zeros, which the format reserves. */
function hexId(task: Task, digits: 16 | 32): string {
  const words: number[] = Array.from(
    { length: digits / 8 },
    () => task.runtime.effects.random32(task.scope) >>> 0,
  );
  if (!words.some((word) => word > 0)) words[0] = 1;
  return words.map((word) => word.toString(16).padStart(8, "0")).join("");
}

/** Opens a span. */
export function startSpan(task: Task, name: string): Dict {
  const outer = openSpan(task);
  const startMs = sinceStart(task);
  const traceId = outer?.traceId ?? hexId(task, 32);
  const known = { traceId, spanId: hexId(task, 16), name, startMs };
  const span: OpenSpan = { ...known, number: noteSpan(task, known, outer) };
  openSpans.enter(task, span);
  return Dict.of({ trace_id: traceId, span_id: span.spanId, name, start_ms: startMs });
}

function noteSpan(task: Task, span: Omit<OpenSpan, "number">, outer: OpenSpan | undefined): number {
  const state = task.runtime.state(recorded);
  if (!state.on) return 0;
  state.spans.push({ ...span, parentId: outer?.spanId ?? null, durationMs: undefined, error: null });
  return state.spans.length;
}

/**
 * Closes the span, and those inside it that were forgotten. A dict that is not open any more still counts its time. `error`
 * is what went wrong inside, in words; `null` for nothing.
 */
export function endSpan(task: Task, value: Argument, error: string | null = null): Value {
  const id = option(value, "span_id");
  if (id === undefined) throw refusal(at("trace_end", "span"), "what trace_start gave", value);
  const open = openSpans.own(task);
  const found = open.findLastIndex((span) => span.spanId === id);
  const span = open[found] ?? {
    traceId: textOf(option(value, "trace_id")),
    spanId: textOf(id),
    name: textOf(option(value, "name")),
    startMs: intOr(option(value, "start_ms"), 0),
    number: 0,
  };
  if (found >= 0) for (const _ of open.slice(found)) openSpans.leave(task);
  const durationMs = Math.max(0, sinceStart(task) - span.startMs);
  const kept = task.runtime.state(recorded).spans[span.number - 1];
  if (kept !== undefined) Object.assign(kept, { durationMs, error });
  writeSpanEnd(task, span, durationMs, error);
  return null;
}

/** Finished spans, in the order of their starts. */
const finishedSpan = (task: Task): RecordedSpan[] =>
  task.runtime.state(recorded).spans.filter((span) => span.durationMs !== undefined);

function traceSummaryText(task: Task): string {
  const spans = finishedSpan(task);
  if (spans.length === 0) return "No spans recorded.";
  const known = new Set(spans.map((span) => span.spanId));
  const roots = spans.filter((span) => span.parentId === null || !known.has(span.parentId));
  const total = roots.reduce((sum, span) => sum + (span.durationMs ?? 0), 0);
  const lines = spans.map(
    (span) => `span ${span.name} ${span.durationMs}ms${span.error === null ? "" : " (failed)"}`,
  );
  return [`Trace: ${spans.length} spans, ${total}ms total`, "", ...lines].join("\n");
}

export const tracing = defineBuiltins(
  "tracing",
  {
    trace_start: {
      doc: "Opens a span: `{trace_id, span_id, name, start_ms}`, ids of 32 and 16 hexadecimal digits. Spans inside it share its trace id, and log lines name both.",
      sig: "(name: any) -> dict",
      effect: "observe",
      performs: true,
      example: 'trace_start("load").name  // load',
      run: (task, name: Argument) => startSpan(task, textOf(name)),
    },
    trace_end: {
      doc: "Closes a span and writes the log line `span_end` with its duration. `error` says what went wrong inside: it stands in the line and in `trace_spans`.",
      sig: "(span: dict, error: any = nil) -> nil",
      effect: "observe",
      performs: true,
      run: (task, span: Argument, error: Argument) =>
        endSpan(task, span, (error ?? null) === null ? null : textOf(error)),
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
      run: (task, on: Argument) => {
        task.runtime.state(recorded).on = on === undefined || truthy(on);
        return null;
      },
    },
    trace_spans: {
      doc: "The spans that were kept and have ended: `{trace_id, span_id, parent_id, kind, name, start_ms, duration_ms, status, error}`; `status` is `ok` or `error`.",
      sig: "() -> list<dict>",
      effect: "state",
      example: "trace_spans()  // []",
      run: (task) =>
        new List(
          finishedSpan(task).map((span) =>
            Dict.of({
              trace_id: span.traceId,
              span_id: span.spanId,
              parent_id: span.parentId,
              kind: "span",
              name: span.name,
              start_ms: span.startMs,
              duration_ms: span.durationMs,
              status: span.error === null ? "ok" : "error",
              error: span.error,
            }),
          ),
        ),
    },
    trace_summary: {
      doc: "The kept spans as text, one line each.",
      sig: "() -> string",
      effect: "state",
      example: "trace_summary()  // No spans recorded.",
      run: traceSummaryText,
    },
  },
  { span: "a span, as `trace_start` gives it" },
);
