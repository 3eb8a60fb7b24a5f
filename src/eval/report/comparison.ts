/** Two variants on the samples that both have: how much better one is, and whether that is more than luck. */

import { isCost, type MetricName, parseMetricName, type Sample } from "../plan/index.ts";
import {
  exactSum,
  holm,
  mean,
  minDetectable,
  type PairedComparison,
  pairedAt,
  type RaceState,
  samplesNeeded,
  type ValueKind,
  variance,
} from "../stats/index.ts";
import { metricOf, primaryMetric, type SampleValues, sampleValues } from "./metrics/figures.ts";
import { kindOf, sampleReader } from "./metrics/sample-values.ts";
import {
  clusterNames,
  groupValues,
  samplePlaces,
  taskVariants,
  trialsBySample,
  variantNames,
} from "./metrics/selection.ts";
import { raceOfTask } from "./race.ts";
import type { RecordedSet, RecordedTask } from "./recorded-set.ts";

/** One side of a comparison. */
export interface Side {
  readonly task: RecordedTask;
  /** Null: all variants together. */
  readonly variant: string | null;
  /** What people call it. */
  readonly label: string;
}

export type Conclusion = "better" | "worse" | "equivalent" | "not shown";

export interface TaskComparison {
  readonly task: string;
  readonly metric: string;
  readonly a: string;
  readonly b: string;
  readonly group: { readonly field: string; readonly value: string } | null;
  /** Means of both sides over the shared samples; null: they share none. */
  readonly valueA: number | null;
  readonly valueB: number | null;
  /** B less A. */
  readonly difference: PairedComparison | null;
  /** The interval of the difference at level 0.9. */
  readonly low90: number | null;
  readonly high90: number | null;
  /** Corrected by Holm among the comparisons of the primary metric; null for others. */
  readonly pCorrected: number | null;
  /** Not of the primary metric, or of a group: a hint, not a result. */
  readonly isExploratory: boolean;
  readonly conclusion: Conclusion;
  /** Of a race: the observations it took; its interval and p hold at every look. */
  readonly raced?: number;
  /** The smallest difference that is found with power 0.8. */
  readonly detectable: number | null;
  /** Samples that a difference of this size needs to be found with power 0.8. */
  readonly needed: { readonly delta: number; readonly samples: number } | null;
  readonly onlyA: readonly string[];
  readonly onlyB: readonly string[];
  /** Samples of both whose rows differ. */
  readonly changed: readonly string[];
}

export interface CompareOptions {
  /** Undefined: the primary metric and, as hints, the others that both show. */
  readonly metrics?: readonly string[] | undefined;
  readonly margin?: number | undefined;
  /** Only the samples of this group. */
  readonly group?: { readonly field: string; readonly value: string } | undefined;
  /** A field of samples: also each group of it. */
  readonly by?: string | undefined;
}

const alpha = 0.05;

/** Every pair of variants of each task, task by task; p is corrected for those of all tasks. */
export function compareVariants(set: RecordedSet, options: CompareOptions = {}): TaskComparison[] {
  const all = comparePairs(set.tasks.flatMap(variantPairs), options);
  return set.tasks.flatMap((task) =>
    withRace(
      task,
      all.filter((one) => one.task === task.spec.name),
    ),
  );
}

function variantPairs(task: RecordedTask): [Side, Side][] {
  const names = variantNames(task);
  return names.flatMap((a, at) =>
    names.slice(at + 1).map((b): [Side, Side] => [
      { task, variant: a, label: a },
      { task, variant: b, label: b },
    ]),
  );
}

/** What a race came to stands for the comparison of its two variants. */
function withRace(task: RecordedTask, compared: readonly TaskComparison[]): TaskComparison[] {
  const results = raceOfTask(task) ?? [];
  return compared.map((one) => {
    const race = results.find(({ a, b }) => a === one.a && b === one.b);
    if (race === undefined || one.difference === null || one.group !== null) return one;
    if (one.metric !== task.spec.race?.metric) return one;
    const { value, low, high, p, observations, verdict } = race;
    return {
      ...one,
      difference: { ...one.difference, value, low, high, p },
      pCorrected: p,
      detectable: null,
      needed: null,
      raced: observations,
      conclusion: raceConclusions[verdict],
    };
  });
}

const raceConclusions: Readonly<Record<RaceState["verdict"], Conclusion>> = {
  open: "not shown",
  "B better": "better",
  "A better": "worse",
  equivalent: "equivalent",
};

/** Every task that both sets have, each variant with its namesake; where a task has a single variant on both sides, these. */
export function compareSets(a: RecordedSet, b: RecordedSet, options: CompareOptions = {}): TaskComparison[] {
  const pairs = a.tasks.flatMap((task) => {
    const other = b.tasks.find(({ spec }) => spec.name === task.spec.name);
    return other === undefined ? [] : samplePairs({ set: a, task }, { set: b, task: other });
  });
  return comparePairs(pairs, options);
}

interface TaskOfSet {
  readonly set: RecordedSet;
  readonly task: RecordedTask;
}

function samplePairs(a: TaskOfSet, b: TaskOfSet): [Side, Side][] {
  const [namesA, namesB] = [variantNames(a.task), variantNames(b.task)];
  const shared = namesA.filter((name) => namesB.includes(name));
  const side = ({ set, task }: TaskOfSet, variant: string): Side => ({
    task,
    variant,
    label: variant === "default" ? set.name : `${set.name}/${variant}`,
  });
  const [onlyA, onlyB] = [namesA[0], namesB[0]];
  if (
    shared.length === 0 &&
    namesA.length === 1 &&
    namesB.length === 1 &&
    onlyA !== undefined &&
    onlyB !== undefined
  ) {
    return [[side(a, onlyA), side(b, onlyB)]];
  }
  return shared.map((name) => [side(a, name), side(b, name)]);
}

/** How many comparisons their p were corrected for; undefined where it says nothing: one, or none. */
export function correctedFor(all: readonly TaskComparison[]): number | undefined {
  const count = all.filter(({ pCorrected, raced }) => pCorrected !== null && raced === undefined).length;
  return count > 1 ? count : undefined;
}

/** Compares each pair; p of the primary metric is corrected for how many there are. */
export function comparePairs(
  pairs: readonly (readonly [Side, Side])[],
  options: CompareOptions,
): TaskComparison[] {
  const primary = pairs.map(([a, b]) =>
    compareSides(a, b, { ...options, metric: options.metrics?.[0] ?? primaryMetric(a.task) }),
  );
  const known = primary.flatMap(({ difference }) => difference?.p ?? []);
  const corrected = holm(known)[Symbol.iterator]();
  const firsts = primary.map((one) =>
    concluded(
      {
        ...one,
        isExploratory: false,
        pCorrected: one.difference?.p === undefined ? null : (corrected.next().value ?? null),
      },
      options.margin,
    ),
  );
  const others = pairs.flatMap(([a, b]) =>
    (options.metrics ?? []).slice(1).map((metric) => compareSides(a, b, { ...options, metric })),
  );
  const { by } = options;
  const groups =
    by === undefined
      ? []
      : pairs.flatMap(([a, b]) =>
          groupValues(a.task, by).map((value) =>
            compareSides(a, b, {
              ...options,
              metric: options.metrics?.[0] ?? primaryMetric(a.task),
              group: { field: by, value },
            }),
          ),
        );
  return [...firsts, ...[...others, ...groups].map((one) => concluded(one, options.margin))];
}

interface OneMetric {
  readonly metric: string;
  readonly margin?: number | undefined;
  readonly group?: { readonly field: string; readonly value: string } | undefined;
}

/** The figures of two sides without a common sample. */
const nothingShared = {
  valueA: null,
  valueB: null,
  difference: null,
  low90: null,
  high90: null,
  detectable: null,
  needed: null,
} as const satisfies Partial<TaskComparison>;

/** Not concluded yet: that takes the correction for all comparisons. */
function compareSides(a: Side, b: Side, options: OneMetric): TaskComparison {
  const shared = sharedSamples(a, b, options);
  const { valuesA, valuesB, samples } = shared;
  const base = {
    task: a.task.spec.name,
    metric: options.metric,
    a: a.label,
    b: b.label,
    group: options.group ?? null,
    pCorrected: null,
    isExploratory: true,
    conclusion: "not shown" as const,
    onlyA: shared.onlyA,
    onlyB: shared.onlyB,
    changed: shared.changed,
  };
  if (samples.length === 0) return { ...base, ...nothingShared };
  const clusters = clusterNames(samples);
  const { kind } = shared;
  const [difference, narrow] = pairedAt(valuesA, valuesB, { clusters, kind }, [0.95, 0.9]) as [
    PairedComparison,
    PairedComparison,
  ];
  return {
    ...base,
    valueA: mean(valuesA),
    valueB: mean(valuesB),
    difference,
    low90: narrow.low ?? null,
    high90: narrow.high ?? null,
    detectable: difference.se === undefined || difference.se === 0 ? null : minDetectable(difference.se),
    needed: neededSamples(shared, options.margin),
  };
}

interface CommonSamples {
  readonly samples: readonly Sample[];
  readonly valuesA: readonly number[];
  readonly valuesB: readonly number[];
  readonly epochsA: readonly number[];
  readonly epochsB: readonly number[];
  readonly kind: ValueKind;
  /** The mean spread within samples, worked out when it is asked for. */
  readonly withinA: () => number;
  readonly withinB: () => number;
  readonly onlyA: readonly string[];
  readonly onlyB: readonly string[];
  readonly changed: readonly string[];
}

function sharedSamples(a: Side, b: Side, options: OneMetric): CommonSamples {
  const [sideA, sideB] = [valuesOf(a, options), valuesOf(b, options)];
  const inOther = sampleFinder(b.task);
  const inB = new Map<Sample, number>();
  for (const [at, sample] of sideB.samples.entries()) inB.set(sample, at);
  const samples: Sample[] = [];
  const valuesA: number[] = [];
  const valuesB: number[] = [];
  const epochsA: number[] = [];
  const epochsB: number[] = [];
  for (const [at, sample] of sideA.samples.entries()) {
    const same = inOther(sample.id);
    const other = same?.digest === sample.digest ? inB.get(same) : undefined;
    if (other === undefined) continue;
    samples.push(sample);
    valuesA.push(sideA.values[at] as number);
    valuesB.push(sideB.values[other] as number);
    epochsA.push(sideA.trials[at] as number);
    epochsB.push(sideB.trials[other] as number);
  }
  return {
    samples,
    valuesA,
    valuesB,
    epochsA,
    epochsB,
    kind: kindOf([sideA, sideB]),
    withinA: sideA.within,
    withinB: sideB.within,
    ...unsharedSamples(a.task, b.task),
  };
}

function sampleFinder(task: Side["task"]): (id: string) => Sample | undefined {
  const places = samplePlaces(task);
  return (id) => {
    const place = places.get(id);
    return place === undefined ? undefined : task.samples[place];
  };
}

/** Samples of one side only, and those of both whose rows differ. */
function unsharedSamples(
  a: Side["task"],
  b: Side["task"],
): Pick<CommonSamples, "onlyA" | "onlyB" | "changed"> {
  const onlyA: string[] = [];
  const changed: string[] = [];
  if (a === b) return { onlyA, onlyB: [], changed };
  const inOther = sampleFinder(b);
  for (const { id, digest } of a.samples) {
    const other = inOther(id);
    if (other === undefined) onlyA.push(id);
    else if (other.digest !== digest) changed.push(id);
  }
  const placesA = samplePlaces(a);
  return { onlyA, onlyB: b.samples.flatMap(({ id }) => (placesA.has(id) ? [] : id)), changed };
}

function valuesOf(
  { task, variant }: Side,
  { metric: name, group }: OneMetric,
): SampleValues & { readonly within: () => number } {
  const metric = metricOf(task, name);
  const read = metric === undefined ? undefined : sampleReader(metric, task.spec);
  if (read === undefined)
    return { samples: [], values: [], trials: [], kind: "share", short: 0, within: () => 0 };
  const samples = trialsBySample(task, { variant, group: group ?? null });
  const within = (): number => {
    const spreads: number[] = [];
    for (const { trials } of samples)
      for (const epochs of variant === null ? taskVariants(trials) : [trials]) {
        const own = epochs.flatMap((trial) => read([trial]).value ?? []);
        if (own.length >= 2) spreads.push(variance(own));
      }
    return spreads.length === 0 ? 0 : mean(spreads);
  };
  return { ...sampleValues(samples, read), within };
}

/** Only of metrics that are means over samples: a percentile of all trials has no value for a sample. */
export const isComparable = (metric: MetricName): boolean =>
  !(
    ["total_cost_usd", "icc", "kappa", "alpha", "macro_f1"].includes(metric.kind) ||
    (metric.kind === "usage" && metric.percentile !== null)
  );

/** What a difference of the margin (else 0.05) needs: ω² is what is left of the spread of differences. */
function neededSamples(shared: CommonSamples, margin: number | undefined): TaskComparison["needed"] {
  const differences = shared.valuesB.map((value, at) => value - (shared.valuesA[at] as number));
  const spread = variance(differences);
  if (!(spread > 0)) return null;
  const [k_a, k_b] = [mean(shared.epochsA), mean(shared.epochsB)];
  const [sigma2_a, sigma2_b] = [shared.withinA(), shared.withinB()];
  const omega2 = Math.max(0, exactSum([spread, -sigma2_a / k_a, -sigma2_b / k_b]));
  const delta = margin !== undefined && margin > 0 ? margin : 0.05;
  return { delta, samples: Math.ceil(samplesNeeded({ delta, omega2, sigma2_a, k_a, sigma2_b, k_b })) };
}

function concluded(one: TaskComparison, margin: number | undefined): TaskComparison {
  return { ...one, conclusion: conclusionOf(one, margin) };
}

function conclusionOf(one: TaskComparison, margin: number | undefined): Conclusion {
  const { difference } = one;
  if (difference === null) return "not shown";
  const p = one.pCorrected ?? difference.p ?? 1;
  if (p <= alpha && difference.value !== 0) {
    return difference.value > 0 === !isLessBetter(one.metric) ? "better" : "worse";
  }
  const isWithin =
    margin !== undefined &&
    one.low90 !== null &&
    one.high90 !== null &&
    one.low90 >= -margin &&
    one.high90 <= margin;
  return isWithin ? "equivalent" : "not shown";
}

const isLessBetter = (name: string): boolean => {
  const metric = parseMetricName(name);
  return metric !== undefined && isCost(metric);
};
