/**
 * A race between variants, over observations in the planned order: only the longest complete prefix counts, never what happened
 * to finish first. An observation is a sample with all its epochs, or a cluster of samples.
 */
import { parseMetricName } from "../plan/index.ts";
import { mean, Race, type RaceState } from "../stats/index.ts";
import { type SampleReader, sampleReader } from "./metrics/sample-values.ts";
import type { RecordedTask, RecordedTrial, ReportedSpec } from "./recorded-set.ts";

/** What the samples of one observation have in common. */
export const observationName = (sample: string, cluster: string | null): string =>
  cluster === null ? `sample ${sample}` : `cluster ${cluster}`;

/** A trial as it was planned. */
export interface RacedTrial {
  readonly sample: string;
  readonly cluster: string | null;
  readonly variant: string;
}

export interface RaceResult extends RaceState {
  readonly a: string;
  readonly b: string;
  /** Why it can't be decided; null when nothing is in the way. */
  readonly problem: string | null;
}

interface Observation {
  missing: number;
  readonly trials: Map<string, RecordedTrial[]>;
}

class PairRace {
  readonly race: Race;
  problem: string | null = null;
  /** Observations that were looked at; the decision is in the last of them. */
  next = 0;
  readonly a: string;
  readonly b: string;
  private readonly read: SampleReader;
  private readonly observations: readonly Observation[];

  constructor(
    pair: readonly [string, string],
    race: Race,
    read: SampleReader,
    observations: readonly Observation[],
  ) {
    [this.a, this.b] = pair;
    this.race = race;
    this.read = read;
    this.observations = observations;
  }

  get isDecided(): boolean {
    return this.race.verdict !== "open";
  }

  settled(at: number, trial: RecordedTrial): void {
    const observation = this.observations[at] as Observation;
    observation.missing--;
    const known = observation.trials.get(trial.sample) ?? [];
    observation.trials.set(trial.sample, known);
    known.push(trial);
    while (!this.isDecided && this.problem === null && this.observations[this.next]?.missing === 0) {
      const difference = this.differenceOf(this.observations[this.next] as Observation);
      this.next++;
      if (difference !== undefined) this.race.add(difference);
    }
  }

  /** Mean over its samples; undefined where none was scored on both sides. */
  private differenceOf({ trials }: Observation): number | undefined {
    const differences: number[] = [];
    for (const own of trials.values()) {
      const [a, b] = [this.a, this.b].map(
        (variant) => this.read(own.filter((trial) => trial.variant === variant)).value,
      );
      if (a === undefined || b === undefined) continue;
      for (const value of [a, b])
        if (value < 0 || value > 1) this.problem = `a race needs values from 0 to 1; there is ${value}`;
      if (this.problem !== null) return undefined;
      differences.push(b - a);
    }
    return differences.length === 0 ? undefined : mean(differences);
  }
}

export class TaskRace {
  private readonly pairs: readonly PairRace[];
  private readonly places = new Map<string, number>();

  /** `planned`: in the planned order. The spec must have a race. */
  constructor(spec: ReportedSpec, planned: readonly RacedTrial[]) {
    const rule = spec.race;
    const metric =
      rule === null
        ? undefined
        : parseMetricName(
            rule.metric,
            spec.scorers.map(({ name }) => name),
          );
    const read = metric === undefined ? undefined : sampleReader(metric, spec);
    if (rule === null || metric === undefined || read === undefined) {
      this.pairs = [];
      return;
    }
    for (const { sample, cluster } of planned) {
      const name = observationName(sample, cluster);
      if (!this.places.has(name)) this.places.set(name, this.places.size);
    }
    const isBinary =
      (metric.kind === "success" || metric.kind === "pass") &&
      spec.epochs === 1 &&
      planned.every(({ cluster }) => cluster === null);
    this.pairs = rule.pairs.map((pair) => {
      const observations: Observation[] = Array.from(this.places, () => ({ missing: 0, trials: new Map() }));
      for (const trial of planned)
        if (pair.includes(trial.variant)) (observations[this.placeOf(trial)] as Observation).missing++;
      const race = new Race({
        alpha: rule.alpha / rule.pairs.length,
        margin: rule.margin ?? undefined,
        min: rule.min,
        isBinary,
      });
      return new PairRace(pair, race, read, observations);
    });
  }

  private placeOf({ sample, cluster }: Pick<RacedTrial, "sample" | "cluster">): number {
    return this.places.get(observationName(sample, cluster)) ?? 0;
  }

  /** A trial that is done, or that errored and counts on no side. */
  settled(trial: RecordedTrial, cluster: string | null): void {
    const at = this.placeOf({ sample: trial.sample, cluster });
    for (const pair of this.pairs)
      if (pair.a === trial.variant || pair.b === trial.variant) pair.settled(at, trial);
  }

  /** Whether a trial can still change an answer; of those after the decision none can. */
  isNeeded(trial: RacedTrial): boolean {
    const at = this.placeOf(trial);
    const own = this.pairs.filter(({ a, b }) => a === trial.variant || b === trial.variant);
    const concerned = own.length === 0 ? this.pairs : own;
    return concerned.length === 0 || concerned.some((pair) => !pair.isDecided || at < pair.next);
  }

  /** Answers that are known. */
  get decided(): number {
    return this.pairs.filter((pair) => pair.isDecided).length;
  }

  get results(): RaceResult[] {
    return this.pairs.map(({ a, b, race, problem }) => ({ ...race.state, a, b, problem }));
  }
}

/** The race of a task as it stands; undefined when it has none. */
export function raceOfTask(task: RecordedTask): RaceResult[] | undefined {
  if (task.spec.race === null) return undefined;
  const clusters = new Map(task.samples.map(({ id, cluster }) => [id, cluster]));
  const clusterOf = (sample: string): string | null => clusters.get(sample) ?? null;
  const race = new TaskRace(
    task.spec,
    task.trials.map(({ sample, variant }) => ({ sample, variant, cluster: clusterOf(sample) })),
  );
  for (const trial of task.trials)
    if (trial.state === "done" || trial.state === "errored") race.settled(trial, clusterOf(trial.sample));
  return race.results;
}
