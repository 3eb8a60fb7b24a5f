/** The plots of the page: SVG, each with the table that it draws. */

import { variantLabel } from "../../plan/variant-label.ts";
import type { TaskComparison } from "../comparison.ts";
import type { Figure } from "../metrics/figures.ts";
import { metricOf, sampleValues } from "../metrics/figures.ts";
import { sampleReader } from "../metrics/sample-values.ts";
import { trialsBySample } from "../metrics/selection.ts";
import type { RecordedSet, RecordedTask, RecordedTrial } from "../recorded-set.ts";
import type { TaskReport } from "../set-report.ts";
import { failureGroups } from "../text/failures-text.ts";
import { signedText, unitOf, valueText } from "../text/figure-text.ts";
import { successOf } from "../trial-facts.ts";
import { h, type Markup } from "./markup.ts";

export interface Plot {
  readonly title: string;
  readonly svg: Markup;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly note?: string;
  /** What else is said of it, as the command line says it. */
  readonly lines?: readonly string[];
}

/** As wide as a telephone: drawings are shown whole there, and larger elsewhere. Names stand above what they name. */
const width = 460;
const left = 24;
const right = 24;
export const rowHeight = 36;
/** From the top of a row to the line below its name. */
export const rowMiddle = 24;

/** A place between `low` and `high` as x of the drawing. */
export const scaled =
  (low: number, high: number, from = left, to = width - right) =>
  (value: number): number =>
    round(from + (high === low ? 0.5 : (value - low) / (high - low)) * (to - from));

const round = (value: number): number => Math.round(value * 10) / 10;
/** Thousands of samples side by side are narrower than a tenth. */
const fine = (value: number): number => Math.round(value * 1000) / 1000;

export const drawing = (height: number, title: string, ...parts: (Markup | null)[]): Markup =>
  h("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title, class: "plot" }, ...parts);

/** As many characters as a line has room for. */
const maxLabel = 56;

export const label = (text: string, y: number): Markup =>
  h("text", { x: left, y }, text.length > maxLabel ? `${text.slice(0, maxLabel - 1)}…` : text);

export const axis = (low: number, high: number, y: number, text: (value: number) => string): Markup => {
  const x = scaled(low, high);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => low + share * (high - low));
  return h(
    "g",
    { class: "axis" },
    h("line", { x1: left, x2: width - right, y1: y, y2: y }),
    ...ticks.map((tick) => h("text", { x: x(tick), y: y + 16, "text-anchor": "middle" }, text(tick))),
  );
};

/** The intervals of the first metric, a line a variant. */
export function forestPlot({ task, variants, metrics }: TaskReport): Plot | undefined {
  const name = metrics[0];
  const rows = variants.flatMap(({ name: variant, figures }) => {
    const figure = figures.find((one) => one.name === name);
    return figure === undefined || figure.value === null
      ? []
      : [{ variant: variantLabel(task, variant), figure }];
  });
  if (name === undefined || rows.length === 0) return undefined;
  const unit = unitOf(name);
  const text = (value: number | null): string => valueText(value, unit);
  const [low, high] = axisRange(rows.map(({ figure }) => figure));
  const x = scaled(low, high);
  const height = rows.length * rowHeight + 40;
  return {
    title: `${task.spec.name}: ${name} by variant`,
    svg: drawing(
      height,
      `${name} of each variant with its 95 % interval`,
      ...rows.map(({ variant, figure }, at) => forestRow(variant, figure, at * rowHeight, x)),
      axis(low, high, height - 24, text),
    ),
    head: ["variant", name, "low", "high", "samples"],
    rows: rows.map(({ variant, figure }) => [
      variant,
      text(figure.value),
      text(figure.low),
      text(figure.high),
      String(figure.n),
    ]),
  };
}

/** Columns side by side over the whole width. */
export function gridPlaces(columns: number): { readonly x: (at: number) => number; readonly cell: number } {
  const cell = round((width - left - right) / columns);
  return { x: (at) => round(left + at * cell), cell };
}

export function axisRange(figures: readonly Figure[]): [number, number] {
  const ends = figures.flatMap(({ value, low, high }) => [value ?? [], low ?? [], high ?? []].flat());
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  return low >= 0 && high <= 1 ? [0, 1] : [low, high];
}

/** A point with its interval, named, below `top`. */
export function forestRow(
  name: string,
  { value, low, high }: Pick<Figure, "value" | "low" | "high">,
  top: number,
  x: (value: number) => number,
): Markup {
  const y = top + rowMiddle;
  return h(
    "g",
    {},
    label(name, top + 14),
    low === null || high === null
      ? null
      : h("line", { class: "interval", x1: x(low), x2: x(high), y1: y, y2: y }),
    h("circle", { class: "point", cx: x(value ?? 0), cy: y, r: 5 }),
  );
}

const labelHeight = 20;

/** How a trial ended, as colour and word. */
const endings = ["success", "failure", "errored", "unscored", "other"] as const;

const endingOf = (trial: RecordedTrial, task: RecordedTask): (typeof endings)[number] => {
  if (trial.state === "errored") return "errored";
  if (trial.state !== "done") return "other";
  const success = successOf(trial, task.spec);
  return success === undefined ? "unscored" : success === 1 ? "success" : "failure";
};

/** Samples across, epochs (and variants) down. One path for each ending, so that ten thousand trials stay small. */
export function stripPlot({ task }: TaskReport): Plot | undefined {
  const columns = trialsBySample(task, { variant: null, group: null });
  if (columns.length === 0 || task.trials.length === 0) return undefined;
  const names = task.spec.variants.map(({ name }) => name);
  const cell = Math.min(12, (width - left - right) / columns.length);
  const line = Math.max(3, Math.min(10, 240 / (task.spec.epochs * names.length)));
  const block = task.spec.epochs * line + labelHeight;
  const paths = new Map<string, string>();
  columns.forEach(({ trials }, column) => {
    for (const trial of trials) {
      const top = names.indexOf(trial.variant) * block + labelHeight + (trial.epoch - 1) * line;
      const ending = endingOf(trial, task);
      const at = `M${fine(left + column * cell)} ${round(top)}h${fine(cell * 0.9)}v${round(line * 0.85)}h-${fine(cell * 0.9)}z`;
      paths.set(ending, (paths.get(ending) ?? "") + at);
    }
  });
  const height = names.length * block + 4;
  return {
    title: `${task.spec.name}: every trial`,
    svg: drawing(
      height,
      "samples from left to right, variants and epochs from top to bottom",
      ...names.map((name, at) => label(variantLabel(task, name), at * block + 14)),
      ...[...paths].map(([ending, d]) => h("path", { class: `ending-${ending}`, d })),
    ),
    head: ["sample", ...names.map((name) => variantLabel(task, name))],
    rows: columns.map(({ sample, trials }) => [
      sample.id,
      ...names.map((name) =>
        trials
          .filter(({ variant }) => variant === name)
          .map((trial) => endingOf(trial, task))
          .join(", "),
      ),
    ]),
    note: "Blue: success, orange: failure, black (white on dark): errored, grey: unscored or not run.",
  };
}

/** The difference of each shared sample, from the worst to the best for B. */
export function differencePlot({ task, comparisons }: TaskReport): Plot | undefined {
  const one = comparisons.find(({ isExploratory }) => !isExploratory);
  if (one === undefined) return undefined;
  const differences = sampleDifferences(task, one);
  if (differences.length === 0) return undefined;
  const bound = Math.max(...differences.map(({ value }) => Math.abs(value)), 1e-9);
  const zero = 80;
  const y = (value: number): number => round(zero - (value / bound) * 56);
  const step = (width - left - right) / differences.length;
  const d = differences
    .map(({ value }, at) => {
      const x = fine(left + at * step);
      return `M${x} ${zero}V${y(value)}h${fine(step * 0.9)}V${zero}z`;
    })
    .join("");
  const unit = unitOf(one.metric);
  return {
    title: `${task.spec.name}: ${one.metric} of ${variantLabel(task, one.b)} less ${variantLabel(task, one.a)}, sample by sample`,
    svg: drawing(
      2 * zero,
      "differences, sorted",
      h("path", { class: "difference", d }),
      h("line", { class: "zero", x1: left, x2: width - right, y1: zero, y2: zero }),
      label(`${variantLabel(task, one.b)} better`, 16),
      label(`${variantLabel(task, one.a)} better`, 2 * zero - 6),
    ),
    head: ["sample", "difference"],
    rows: differences.map(({ id, value }) => [id, signedText(value, unit)]),
  };
}

function sampleDifferences(
  task: RecordedTask,
  { metric: name, a, b }: TaskComparison,
): { id: string; value: number }[] {
  const metric = metricOf(task, name);
  const read = metric === undefined ? undefined : sampleReader(metric, task.spec);
  if (read === undefined) return [];
  const valuesOf = (variant: string): Map<string, number> => {
    const { samples, values } = sampleValues(trialsBySample(task, { variant, group: null }), read);
    return new Map(samples.map(({ id }, at) => [id, values[at] as number]));
  };
  const [inA, inB] = [valuesOf(a), valuesOf(b)];
  return [...inA]
    .flatMap(([id, value]) => {
      const other = inB.get(id);
      return other === undefined ? [] : [{ id, value: other - value }];
    })
    .sort((x, y) => x.value - y.value);
}

/** Heights at which names beside points don't cover each other: from top to bottom, each as near to its point as there is room. */
function apart(points: readonly { readonly x: number; readonly y: number }[]): number[] {
  const placed: { x: number; y: number; at: number }[] = [];
  const order = points.map((point, at) => ({ ...point, at })).sort((a, b) => a.y - b.y);
  for (const { x, y, at } of order) {
    const near = placed.filter((one) => Math.abs(one.x - x) < nameWidth).map((one) => one.y + nameHeight);
    placed.push({ x, y: Math.max(y, ...near), at });
  }
  return placed.sort((a, b) => a.at - b.at).map(({ y }) => y);
}

const nameWidth = 150;
const nameHeight = 14;

/** A point a variant: what it costs, and how well it does. */
export function costPlot({ task, variants, metrics }: TaskReport): Plot | undefined {
  const name = metrics[0];
  const points = variants.flatMap(({ name: variant, figures }) => {
    const score = figures.find((one) => one.name === name)?.value ?? null;
    const cost = figures.find((one) => one.name === "cost_usd")?.value ?? null;
    return score === null || cost === null ? [] : [{ variant: variantLabel(task, variant), score, cost }];
  });
  if (name === undefined || points.length < 2) return undefined;
  const max = Math.max(...points.map(({ cost }) => cost), 1e-9);
  const end = width - right;
  const x = scaled(0, max, left, end);
  const top = Math.max(1, ...points.map(({ score }) => score));
  const y = (score: number): number => round(190 - (score / top) * 170);
  const names = apart(points.map(({ cost, score }) => ({ x: x(cost), y: y(score) + 4 })));
  return {
    title: `${task.spec.name}: ${name} against cost`,
    svg: drawing(
      220,
      `${name} upwards, dollars of a trial to the right`,
      h("line", { class: "zero", x1: left, x2: end, y1: 190, y2: 190 }),
      h("line", { class: "zero", x1: left, x2: left, y1: 20, y2: 190 }),
      h("text", { x: left, y: 208 }, "$0"),
      h("text", { x: end, y: 208, "text-anchor": "end" }, `$${max.toFixed(4)}`),
      ...points.map(({ score, cost }) => h("circle", { class: "point", cx: x(cost), cy: y(score), r: 5 })),
      // Names stand on the side of their points that has room.
      ...points.map(({ variant, cost }, at) => {
        const isRight = x(cost) > width / 2;
        const place = { x: x(cost) + (isRight ? -9 : 9), y: names[at] ?? 0 };
        return h("g", { "text-anchor": isRight ? "end" : "start" }, h("text", place, variant.slice(0, 28)));
      }),
    ),
    head: ["variant", name, "dollars of a trial"],
    rows: points.map(({ variant, score, cost }) => [
      variant,
      valueText(score, unitOf(name)),
      cost.toFixed(4),
    ]),
  };
}

/** Horizontal bars with their numbers. */
function barPlot(
  title: string,
  what: string,
  bars: readonly { readonly name: string; readonly value: number; readonly text?: string }[],
): Plot | undefined {
  if (bars.length === 0) return undefined;
  const max = Math.max(...bars.map(({ value }) => value), 1e-9);
  const x = scaled(0, max, left, width - 80);
  return {
    title,
    svg: drawing(
      bars.length * rowHeight + 8,
      what,
      ...bars.flatMap(({ name, value, text }, at) => [
        label(name, at * rowHeight + 14),
        h("rect", {
          class: "bar",
          x: left,
          y: at * rowHeight + 19,
          width: Math.max(0, x(value) - left),
          height: rowHeight - 24,
        }),
        h("text", { x: Math.max(left, x(value)) + 6, y: at * rowHeight + 29 }, text ?? String(value)),
      ]),
    ),
    head: ["", what],
    rows: bars.map(({ name, value, text }) => [name, text ?? String(value)]),
  };
}

const maxGroups = 12;

export function failurePlot(set: RecordedSet): Plot | undefined {
  const bars = failureGroups(set)
    .slice(0, maxGroups)
    .map((group) => ({
      name: [group.blame, group.cause, group.scorers.join(", "), group.failedTool]
        .filter((part) => part !== null && part !== "")
        .join(" · "),
      value: group.trials.length,
    }));
  return barPlot("Failures by kind", "trials", bars);
}

/** The path of a line that goes up or down at once at each of these. */
const stepPath = (
  steps: readonly { readonly x: number; readonly from: number; readonly to: number }[],
): string => steps.map(({ x, from, to }, at) => (at === 0 ? `M${x} ${from}V${to}` : `H${x}V${to}`)).join("");

/** The limit of connections of each provider over time, as steps. */
export function connectionPlot({ limits }: RecordedSet): Plot | undefined {
  const [first] = limits;
  const last = limits.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const end = width - 110;
  const x = scaled(first.at, Math.max(last.at, first.at + 1), 40, end);
  const max = Math.max(...limits.flatMap(({ from, to }) => [from, to]));
  const y = (limit: number): number => round(170 - (limit / max) * 150);
  const providers = [...new Set(limits.map(({ provider }) => provider))];
  return {
    title: "Connections over time",
    svg: drawing(
      200,
      "the limit of connections of each provider",
      ...providers.map((provider, at) => {
        const own = limits.filter((change) => change.provider === provider);
        const d = stepPath(
          own.map((change) => ({ x: x(change.at), from: y(change.from), to: y(change.to) })),
        );
        return h(
          "g",
          { class: `line-${at % 4}` },
          h("path", { class: "steps", d: `${d}H${end}` }),
          h("text", { x: end + 6, y: y(own.at(-1)?.to ?? 0) + 4 }, provider.slice(0, 14)),
        );
      }),
      h("text", { x: 34, y: y(max) + 4, "text-anchor": "end" }, String(max)),
      h("text", { x: 34, y: 174, "text-anchor": "end" }, "0"),
    ),
    head: ["seconds", "provider", "limit", "why"],
    rows: limits.map(({ at, provider, from, to, reason }) => [
      ((at - first.at) / 1000).toFixed(1),
      provider,
      `${from} → ${to}`,
      reason,
    ]),
  };
}
