/** Which trials a figure is of: by sample, of one variant or all, of one group of samples or all. */
import { Dict, toJson, type Value } from "../../../values/index.ts";
import type { Sample } from "../../plan/index.ts";
import type { RecordedTask, RecordedTrial } from "../recorded-set.ts";

export interface Selection {
  /** Null: all variants together. */
  readonly variant: string | null;
  readonly group: { readonly field: string; readonly value: string } | null;
}

export const everything: Selection = { variant: null, group: null };

export interface SampleTrials {
  readonly sample: Sample;
  /** In the order of epochs, then of variants; those not begun included. */
  readonly trials: readonly RecordedTrial[];
}

/** What was found of a task without a group: every figure of it begins there. */
const found = new WeakMap<RecordedTask, Map<string | null, readonly SampleTrials[]>>();

/** The trials of a task by their samples, in the planned order. A task does not change once it was read. */
export function trialsBySample(task: RecordedTask, selection: Selection): readonly SampleTrials[] {
  if (selection.group !== null) return selected(task, selection);
  const { variant } = selection;
  const known = found.get(task) ?? new Map<string | null, readonly SampleTrials[]>();
  found.set(task, known);
  const before = known.get(variant);
  if (before !== undefined) return before;
  const all = known.get(null);
  const isAll = all !== undefined && task.trials.every((trial) => trial.variant === variant);
  const samples = isAll ? all : selected(task, selection);
  known.set(variant, samples);
  return samples;
}

function selected(task: RecordedTask, { variant, group }: Selection): SampleTrials[] {
  const places = samplePlaces(task);
  // Rows are read only where a group asks for them.
  const isChosen = task.samples.map(
    (sample) => group === null || groupText(sample.body, group.field) === group.value,
  );
  return samplesOfGroup(task, places, variant).flatMap((trials, at) =>
    isChosen[at] === true ? { sample: task.samples[at] as Sample, trials } : [],
  );
}

/** The trials of each sample in arrays that are as long as they must be: a sample may have one trial, and there may be many. */
function samplesOfGroup(
  { trials, samples }: RecordedTask,
  places: ReadonlyMap<string, number>,
  variant: string | null,
): RecordedTrial[][] {
  const placeOf = trials.map((trial) =>
    variant === null || trial.variant === variant ? (places.get(trial.sample) ?? -1) : -1,
  );
  const counts = new Uint32Array(samples.length);
  for (const place of placeOf) if (place >= 0) counts[place] = (counts[place] as number) + 1;
  const groups = Array.from(counts, (count) => new Array<RecordedTrial>(count));
  const filled = new Uint32Array(samples.length);
  for (const [at, place] of placeOf.entries()) {
    const group = groups[place];
    if (group === undefined) continue;
    const next = filled[place] as number;
    group[next] = trials[at] as RecordedTrial;
    filled[place] = next + 1;
  }
  for (const group of groups) if (group.length > 1) group.sort((a, b) => a.epoch - b.epoch);
  return groups;
}

const placed = new WeakMap<RecordedTask, ReadonlyMap<string, number>>();

/** Where a sample stands among those of its task, by its id. */
export function samplePlaces(task: RecordedTask): ReadonlyMap<string, number> {
  const known = placed.get(task) ?? new Map(task.samples.map(({ id }, at) => [id, at]));
  placed.set(task, known);
  return known;
}

/** What a sample says of a field (`a.b` reaches into dicts), as a group is called; undefined when it has no such field. */
export function groupText(body: Dict, field: string): string | undefined {
  const value = body.get(field) ?? reached(body, field.split("."));
  if (value === undefined) return undefined;
  return typeof value === "string" ? value : JSON.stringify(toJson(value));
}

function reached(value: Value | undefined, path: readonly string[]): Value | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  return value instanceof Dict ? reached(value.get(name), rest) : undefined;
}

/** The values that a field has, in the order of samples. */
export const groupValues = (task: RecordedTask, field: string): string[] => [
  ...new Set(task.samples.flatMap(({ body }) => groupText(body, field) ?? [])),
];

/** The cluster of each sample; undefined when no sample names one, so that each is its own. */
export function clusterNames(samples: readonly Sample[]): string[] | undefined {
  if (samples.every(({ cluster }) => cluster === null)) return undefined;
  return samples.map(({ cluster, id }) => (cluster === null ? `sample ${id}` : `cluster ${cluster}`));
}

/** The trials of a sample apart by their variants. */
export const taskVariants = (trials: readonly RecordedTrial[]): RecordedTrial[][] => [
  ...Map.groupBy(trials, ({ variant }) => variant).values(),
];

export const variantNames = ({ spec }: RecordedTask): string[] => spec.variants.map(({ name }) => name);
