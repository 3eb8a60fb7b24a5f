/**
 * Gates as they are written: `success >= 0.8`, `cost_usd surely < 0.02`, `success/gpt-4o-mini[topic=even] > 0.5`,
 * `success not_below baseline by 0.05`.
 */
import type { Comparison, Gate } from "../../plan/index.ts";
import { parseMetricName } from "../metrics/metric-name.ts";

type GateRule =
  | { readonly kind: "estimate" | "surely"; readonly op: Comparison; readonly bound: number }
  | { readonly kind: "not_below" | "not_above"; readonly margin: number };

const number = String.raw`[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]{1,3})?`;
const boundForm = new RegExp(String.raw`^(\S.*?)\s+(surely\s+)?(>=|<=|>|<)\s*(${number})$`, "iu");
/** Without a blank before the operator. */
const tightForm = new RegExp(String.raw`^([^\s<>][^<>]*?)(surely )?(>=|<=|>|<)\s*(${number})$`, "iu");
const baselineForm = new RegExp(
  String.raw`^(\S.*?)\s+(not_below|not_above)\s+baseline\s+by\s+(${number})$`,
  "iu",
);
const subjectForm = /^([^/[]+)(?:\/([^[]+))?(?:\[([^=\]]+)=([^\]]*)\])?$/u;

/** Longer gates are refused: nobody wrote them. */
const maxLength = 1000;

/** Reads a gate; a text says what is wrong with it. `scorers` decide how far the name of a scorer reaches. */
export function parseGate(text: string, scorers: readonly string[] = []): Gate | string {
  if (text.length > maxLength) return `it is longer than ${maxLength} characters`;
  const clean = text.trim().replace(/\s+/gu, " ");
  const parts = gateRule(clean);
  if (parts === undefined) {
    return "expected `METRIC >= NUMBER`, `METRIC surely >= NUMBER` or `METRIC not_below baseline by NUMBER`";
  }
  const subject = subjectForm.exec(parts.subject.trim());
  const metric = subject?.[1]?.trim() ?? "";
  if (subject === null || parseMetricName(metric, scorers) === undefined) {
    return `\`${parts.subject.trim()}\` is not a metric`;
  }
  const field = subject[3]?.trim();
  return {
    text: clean,
    metric,
    variant: subject[2]?.trim() ?? null,
    group: field === undefined ? null : { field, value: subject[4]?.trim() ?? "" },
    ...parts.rule,
  };
}

function gateRule(text: string): { readonly subject: string; readonly rule: GateRule } | undefined {
  const baseline = baselineForm.exec(text);
  if (baseline !== null) {
    const [, subject = "", kind, by] = baseline;
    const margin = Number(by);
    if (margin < 0) return undefined;
    return { subject, rule: { kind: kind as "not_below" | "not_above", margin } };
  }
  const bound = boundForm.exec(text) ?? tightForm.exec(text);
  if (bound === null) return undefined;
  const [, subject = "", surely, op, value] = bound;
  return {
    subject,
    rule: { kind: surely === undefined ? "estimate" : "surely", op: op as Comparison, bound: Number(value) },
  };
}
