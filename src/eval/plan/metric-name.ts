/** Names of metrics and gates, read from the texts of authors. */
import { nearest } from "../../diagnostics/index.ts";
import { evalError } from "../eval-error.ts";
import type { Gate, GateOperator, MetricRef } from "./gate.ts";
import { commonMetrics, parseMetricName } from "./metric-kind.ts";

/** `pass@4`, `pass^4(SCORER)`: the number of epochs that it is about; undefined for other metrics. */
export function passCount(metric: string, scorers: readonly string[] = []): number | undefined {
  const name = parseMetricName(metric, scorers);
  return name?.kind === "pass" ? name.k : undefined;
}

/** Why a text is the name of no metric; undefined when it is one. `scorers` are those of the task. */
export function metricProblem(text: string, scorers: readonly string[]): string | undefined {
  if (text === "") return "it is empty";
  const name = parseMetricName(text, scorers);
  if (name === undefined)
    return /^pass[@^]0+(?:\(|$)/.test(text) ? "it is about no trials" : "it is neither a figure nor a scorer";
  if (name.kind === "pass") return name.scorer === null ? undefined : scorerProblem(name.scorer, scorers);
  if (name.kind === "kappa" || name.kind === "macro_f1") return scorerProblem(name.scorer, scorers);
  const isUsage =
    name.kind === "score" && !scorers.includes(name.scorer) && parseMetricName(name.scorer)?.kind === "usage";
  return isUsage ? "there are .p50, .p90 and .p99" : undefined;
}

/**
 * What the name of a figure that only `eval_metric` could measure was most likely to be: a scorer, a part of one, or a metric
 * that every set has. Undefined for names that the task has, and for those near to none.
 */
export function likelyMetric(text: string, scorers: readonly string[]): string | undefined {
  const name = parseMetricName(text, scorers);
  if (name?.kind !== "score" || scorers.includes(name.scorer)) return undefined;
  const near = nearest(name.scorer, name.part === null ? [...commonMetrics, ...scorers] : scorers);
  return near === undefined || name.part === null ? near : `${near}.${name.part}`;
}

const scorerProblem = (name: string, scorers: readonly string[]): string | undefined =>
  scorers.includes(name) ? undefined : `there is no scorer ${name}; there are ${scorers.join(", ")}`;

const number = "[-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][-+]?\\d+)?";
const compared = new RegExp(`^(.+?)\\s*(surely\\s+)?(>=|<=|>|<)\\s*(${number})$`);
const paired = new RegExp(`^(.+?)\\s+(not_below|not_above)\\s+baseline\\s+by\\s+(${number})$`);
const reference = /^([^/[\]]+?)(?:\/([^[\]]+?))?\s*(?:\[([^=\]]+)=([^\]]*)\])?$/;

/** `METRIC >= 0.8`, `METRIC surely >= 0.8`, `METRIC not_below baseline by 0.05`; `METRIC/VARIANT[field=value]`. */
export function parseGate(task: string, text: string, scorers: readonly string[]): Gate {
  const wrong = (reason: string) => evalError("HARN-EVL-009", { task, text, reason });
  const trimmed = text.trim();
  const difference = paired.exec(trimmed);
  const estimate = difference === null ? compared.exec(trimmed) : null;
  const found = difference ?? estimate;
  if (found === null)
    throw wrong(
      "expected METRIC OP NUMBER, METRIC surely OP NUMBER or METRIC not_below baseline by NUMBER (OP is >= <= > or <)",
    );
  const metric = metricRef(found[1] as string);
  const problem = metric === undefined ? "its metric is unclear" : metricProblem(metric.metric, scorers);
  if (metric === undefined || problem !== undefined) throw wrong(problem ?? "its metric is unclear");
  if (difference !== null) {
    const margin = Number(difference[3]);
    if (margin < 0) throw wrong("the margin is below 0");
    return { ...metric, text, kind: difference[2] as "not_below" | "not_above", margin };
  }
  return {
    ...metric,
    text,
    kind: found[2] === undefined ? "estimate" : "surely",
    op: found[3] as GateOperator,
    bound: Number(found[4]),
  };
}

/** `METRIC/VARIANT[field=value]`; undefined for what is none. */
export function metricRef(text: string): MetricRef | undefined {
  const found = reference.exec(text.trim());
  if (found === null) return undefined;
  const [, metric, variant, field, value] = found;
  return {
    metric: (metric as string).trim(),
    variant: variant?.trim() ?? null,
    group: field === undefined ? null : { field: field.trim(), value: (value as string).trim() },
  };
}
