/** Figures and spans of a program about itself: `harness.obs` (builtins.md §2.24). */

import { newId, stateKey, type Task } from "../../interp/index.ts";
import { at, defineBuiltins, refusal } from "../../table/index.ts";
import {
  Dict,
  Float,
  jsonStringify,
  List,
  type MaybePromise,
  numberValue,
  proceed,
  runtimeError,
  ScriptError,
  uncaughtText,
  type Value,
} from "../../values/index.ts";
import { type Argument, needCallback, numberOf, textOf } from "../arguments.ts";
import { openTrace } from "./trace-ids.ts";
import { endSpan, startSpan } from "./tracing.ts";

type MetricKind = "counter" | "gauge" | "histogram";

/** One series: a name with its attributes. */
interface Metric {
  readonly name: string;
  readonly kind: MetricKind;
  readonly attributes: Dict;
  count: number;
  sum: number;
  min: number;
  max: number;
  last: number;
}

const metricState = stateKey<{ readonly series: Map<string, Metric>; requestId: string | undefined }>(
  "metrics",
  () => ({ series: new Map(), requestId: undefined }),
);

function noteMetric(task: Task, kind: MetricKind, name: Argument, value: number, attributes: Argument): null {
  const caller = `harness.obs.${kind}`;
  const text = name === undefined || name === null ? "" : textOf(name);
  if (text === "") throw runtimeError(`${caller}: a name is required`);
  if (attributes !== undefined && attributes !== null && !(attributes instanceof Dict)) {
    throw refusal(at(caller, "attributes"), "dict", attributes);
  }
  const about = attributes instanceof Dict ? attributes : new Dict();
  const { series } = task.runtime.state(metricState);
  const key = `${text}\n${jsonStringify(about)}`;
  const known = series.get(key);
  if (known !== undefined && known.kind !== kind)
    throw runtimeError(`${caller}: '${text}' is a ${known.kind}`);
  const metric = known ?? {
    name: text,
    kind,
    attributes: about,
    count: 0,
    sum: 0,
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
    last: 0,
  };
  metric.count++;
  metric.sum += value;
  metric.min = Math.min(metric.min, value);
  metric.max = Math.max(metric.max, value);
  metric.last = value;
  series.set(key, metric);
  return null;
}

function needNumber(caller: string, value: Argument): number {
  const number = numberOf(value);
  if (number !== undefined && Number.isFinite(number)) return number;
  throw refusal(at(caller, "value"), "float", value);
}

function metricDict(metric: Metric): Dict {
  const { name, kind, attributes, count, sum, min, max, last } = metric;
  const base = Dict.of({ name, kind, attributes });
  switch (kind) {
    case "counter":
      return base.with("value", numberValue(sum));
    case "gauge":
      return base.with("value", numberValue(last));
    case "histogram":
      return base.merge(
        Dict.of({
          count,
          sum: numberValue(sum),
          min: numberValue(min),
          max: numberValue(max),
          mean: new Float(sum / count),
        }),
      );
  }
}

/** What everything belongs to that a task does: the event of its trigger, the open span, else the run. */
function requestId(task: Task): string {
  const known = openTrace(task);
  if (known !== undefined) return known;
  const state = task.runtime.state(metricState);
  state.requestId ??= `request_${newId(task)}`;
  return state.requestId;
}

const reportedText = (error: unknown): string =>
  error instanceof ScriptError ? uncaughtText(error) : error instanceof Error ? error.message : String(error);

const common = { effect: "state", performs: true } as const;

export const observability = defineBuiltins(
  "tracing",
  {
    obs_span: {
      ...common,
      suspends: "callback",
      doc: "Runs a body inside a span: `trace_start`, the body, `trace_end`, however it ends. Also `harness.obs.span`.",
      sig: "(name: string, body: fn() -> any) -> any",
      run: (task, name: Argument, body: Argument) => {
        const callback = needCallback("harness.obs.span", body);
        const span = startSpan(task, textOf(name));
        const failed = (error: unknown): never => {
          endSpan(task, span, reportedText(error));
          throw error;
        };
        let result: MaybePromise<Value>;
        try {
          result = callback.call(task, []);
        } catch (error) {
          return failed(error);
        }
        return proceed(result instanceof Promise ? result.catch(failed) : result, (value) => {
          endSpan(task, span);
          return value;
        });
      },
    },
    obs_counter: {
      ...common,
      doc: "Adds to a counter. Also `harness.obs.counter`.",
      sig: "(name: string, value: int | float = 1, attributes: dict = {}) -> nil",
      example: 'obs_counter("requests")  // nil',
      run: (task, name: Argument, value: Argument, attributes: Argument) => {
        const by = value === undefined || value === null ? 1 : needNumber("harness.obs.counter", value);
        if (by < 0) throw runtimeError("harness.obs.counter: a counter only grows");
        return noteMetric(task, "counter", name, by, attributes);
      },
    },
    obs_gauge: {
      ...common,
      doc: "Sets a gauge. Also `harness.obs.gauge`.",
      sig: "(name: string, value: int | float, attributes: dict = {}) -> nil",
      example: 'obs_gauge("queue", 3)  // nil',
      run: (task, name: Argument, value: Argument, attributes: Argument) =>
        noteMetric(task, "gauge", name, needNumber("harness.obs.gauge", value), attributes),
    },
    obs_histogram: {
      ...common,
      doc: "Adds a value to a histogram. Also `harness.obs.histogram`.",
      sig: "(name: string, value: int | float, attributes: dict = {}) -> nil",
      example: 'obs_histogram("latency_ms", 12.5)  // nil',
      run: (task, name: Argument, value: Argument, attributes: Argument) =>
        noteMetric(task, "histogram", name, needNumber("harness.obs.histogram", value), attributes),
    },
    obs_metrics: {
      ...common,
      doc:
        "All figures so far, a dict for each name and set of attributes: `{name, kind, attributes, value}`, of histograms " +
        "`{count, sum, min, max, mean}`. Also `harness.obs.metrics`.",
      sig: "() -> list<dict>",
      example: "obs_metrics()  // []",
      run: (task) => {
        const { series } = task.runtime.state(metricState);
        const keys = [...series.keys()].sort();
        return new List(keys.map((key): Value => metricDict(series.get(key) as Metric)));
      },
    },
    obs_request_id: {
      ...common,
      doc: "What the work at hand belongs to: the trace of the trigger's event, of the open span, else an id of the run. Also `harness.obs.request_id`.",
      sig: "() -> string",
      run: (task) => requestId(task),
    },
  },
  { attributes: "labels of the metric, by name" },
);
