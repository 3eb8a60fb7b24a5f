/** Whether a gate holds: pass, fail, or unclear, and then how many samples more would tell. */
import type { Gate } from "../../plan/index.ts";
import { variantCalled } from "../../plan/variant-label.ts";
import { comparePairs } from "../comparison.ts";
import { type Figure, figureOf } from "../metrics/figures.ts";
import type { RecordedTask } from "../recorded-set.ts";

type GateVerdict = "pass" | "fail" | "unclear";

export interface GateResult {
  readonly text: string;
  readonly verdict: GateVerdict;
  /** The metric, or the difference to the baseline; null: there is none. */
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Whether `value` is a difference. */
  readonly isDifference: boolean;
  /** Samples that would decide an unclear gate, beyond those there are. */
  readonly samplesMore: number | null;
  /** What is missing or was found; null when the figures say everything. */
  readonly why: string | null;
}

interface GateContext {
  /** The same task in the baseline; a text says why there is none. */
  readonly baseline: RecordedTask | string;
  /** Agreement of scorers with people: κ, or a text that says why it does not count. */
  readonly agreements: ReadonlyMap<string, number | string>;
  /** Null, or why the set is not complete: nothing of it decides a gate then. */
  readonly incomplete: string | null;
}

const z90 = 1.645;
const z95 = 1.959963984540054;

export function judgeGate(input: Gate, task: RecordedTask, context: GateContext): GateResult {
  const variant = input.variant === null ? null : (variantCalled(task, input.variant) ?? input.variant);
  const gate = { ...input, variant };
  const result = isBaselineGate(gate)
    ? againstBaseline(gate, task, context)
    : againstBound(gate as BoundGate, task, context);
  if (context.incomplete === null || result.verdict === "unclear") return result;
  return { ...result, verdict: "unclear", why: context.incomplete };
}

const unclear = (text: string, why: string): GateResult => ({
  text,
  verdict: "unclear",
  value: null,
  low: null,
  high: null,
  isDifference: false,
  samplesMore: null,
  why,
});

type BoundGate = Extract<Gate, { kind: "estimate" | "surely" }>;
type BaselineGate = Extract<Gate, { kind: "not_below" | "not_above" }>;

const isBaselineGate = (gate: Gate): gate is BaselineGate =>
  gate.kind === "not_below" || gate.kind === "not_above";

function againstBound(gate: BoundGate, task: RecordedTask, context: GateContext): GateResult {
  const agreement = /^kappa\((.+)\)$/u.exec(gate.metric)?.[1];
  if (agreement !== undefined)
    return againstLabels(gate, context.agreements.get(agreement) ?? "there are no labels");
  const problem = missingPart(gate, task);
  if (problem !== undefined) return unclear(gate.text, problem);
  const figure = figureOf(task, gate.metric, { variant: gate.variant, group: gate.group });
  if (figure === undefined || figure.value === null)
    return unclear(gate.text, `no trial has \`${gate.metric}\``);
  const verdict =
    gate.kind === "estimate" ? estimateVerdict(gate, figure.value) : surelyVerdict(gate, figure);
  return {
    text: gate.text,
    verdict,
    value: figure.value,
    low: figure.low,
    high: figure.high,
    isDifference: false,
    samplesMore:
      verdict === "unclear" ? moreSamples(figure.n, z95, figure.se, figure.value - gate.bound) : null,
    why: null,
  };
}

function againstLabels(gate: BoundGate, agreement: number | string): GateResult {
  if (typeof agreement === "string") {
    return { ...unclear(gate.text, agreement), verdict: "fail" };
  }
  return {
    ...unclear(gate.text, ""),
    verdict: estimateVerdict(gate, agreement),
    value: agreement,
    why: null,
  };
}

function missingPart({ variant, group }: Gate, { spec, samples }: RecordedTask): string | undefined {
  if (variant !== null && !spec.variants.some(({ name }) => name === variant))
    return `there is no variant \`${variant}\`; there are ${spec.variants.map(({ name }) => name).join(", ")}`;
  if (group !== null && !samples.some(({ body }) => body.has(group.field.split(".")[0] as string)))
    return `no sample has a field \`${group.field}\``;
  return undefined;
}

const comparisons: Readonly<Record<BoundGate["op"], (value: number, bound: number) => boolean>> = {
  ">=": (value, bound) => value >= bound,
  ">": (value, bound) => value > bound,
  "<=": (value, bound) => value <= bound,
  "<": (value, bound) => value < bound,
};

const estimateVerdict = ({ op, bound }: BoundGate, value: number): GateVerdict =>
  comparisons[op](value, bound) ? "pass" : "fail";

/** Decided when both ends of the interval say the same. */
function surelyVerdict({ op, bound }: BoundGate, { low, high }: Figure): GateVerdict {
  if (low === null || high === null) return "unclear";
  const [holdsLow, holdsHigh] = [comparisons[op](low, bound), comparisons[op](high, bound)];
  if (holdsLow !== holdsHigh) return "unclear";
  return holdsLow ? "pass" : "fail";
}

function againstBaseline(gate: BaselineGate, task: RecordedTask, { baseline }: GateContext): GateResult {
  if (typeof baseline === "string") return unclear(gate.text, baseline);
  const problem = missingPart(gate, task) ?? missingPart(gate, baseline);
  if (problem !== undefined) return unclear(gate.text, problem);
  const [found] = comparePairs(
    [
      [
        { task: baseline, variant: gate.variant, label: "baseline" },
        { task, variant: gate.variant, label: "this" },
      ],
    ],
    { metrics: [gate.metric], ...(gate.group === null ? {} : { group: gate.group }) },
  );
  const difference = found?.difference ?? null;
  if (found === undefined || difference === null)
    return unclear(gate.text, "the baseline has no sample of this set");
  const { low90: low, high90: high } = found;
  const verdict = baselineVerdict(gate, difference.value, low, high);
  const distance =
    gate.kind === "not_below" ? difference.value + gate.margin : difference.value - gate.margin;
  return {
    text: gate.text,
    verdict,
    value: difference.value,
    low,
    high,
    isDifference: true,
    samplesMore:
      verdict === "unclear" ? moreSamples(difference.n, z90, difference.se ?? null, distance) : null,
    why: low === null ? whyWithoutInterval(difference) : null,
  };
}

const whyWithoutInterval = ({ clusters }: { readonly clusters: number }): string =>
  clusters < 2
    ? "one sample, or one cluster, does not tell how others differ"
    : "all samples differ by the same, which does not tell how others would";

function baselineVerdict(
  { kind, margin }: BaselineGate,
  value: number,
  low: number | null,
  high: number | null,
): GateVerdict {
  if (low === null || high === null) return "unclear";
  if (kind === "not_below") {
    if (low > -margin) return "pass";
    return value < -margin && high < 0 ? "fail" : "unclear";
  }
  if (high < margin) return "pass";
  return value > margin && low > 0 ? "fail" : "unclear";
}

/** n·(z·SE/distance)², rounded up, less n; null where that says nothing. */
function moreSamples(n: number, z: number, se: number | null, distance: number): number | null {
  if (se === null || se === 0 || distance === 0) return null;
  const needed = Math.ceil(n * ((z * se) / Math.abs(distance)) ** 2) - n;
  return needed > 0 && Number.isSafeInteger(needed) ? needed : null;
}
