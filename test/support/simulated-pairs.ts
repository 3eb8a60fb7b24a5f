/** Evaluations of two agents whose true success is known, drawn with a seed: what gates and intervals promise is counted in them. */
import { Words } from "../../src/eval/stats/index.ts";

export interface PairDesign {
  /** True success of the baseline and of what is compared with it. */
  readonly a: number;
  readonly b: number;
  /** Intra-class correlation: how much alike the trials of one cluster are. */
  readonly rho: number;
  /** Whether a cluster that is hard for one is as hard for the other; else their difficulties have nothing in common. */
  readonly isShared: boolean;
  /** Samples of each cluster. */
  readonly sizes: readonly number[];
  readonly epochs: number;
}

export interface PairedSet {
  /** Share of the epochs that passed, of each sample. */
  readonly a: number[];
  readonly b: number[];
  readonly clusters: string[];
}

/** Draws of random numbers. */
export class Draws {
  readonly words: Words;

  constructor(seed: number) {
    this.words = new Words(seed);
  }

  /** From 0 up to 1. */
  unit(): number {
    return this.words.next() / 2 ** 32;
  }

  private normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.unit())) * Math.cos(2 * Math.PI * this.unit());
  }

  /** By the method of Marsaglia and Tsang. */
  private gamma(shape: number): number {
    if (shape < 1) return this.gamma(shape + 1) * (1 - this.unit()) ** (1 / shape);
    const d = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = this.normal();
      const v = (1 + c * x) ** 3;
      if (v > 0 && Math.log(1 - this.unit()) < (x * x) / 2 + d - d * v + d * Math.log(v)) return d * v;
    }
  }

  beta(a: number, b: number): number {
    const [x, y] = [this.gamma(a), this.gamma(b)];
    return x + y === 0 ? Number(this.unit() < a / (a + b)) : x / (x + y);
  }
}

/** True success of a cluster, by its place among all clusters from 0 to 1: beta-distributed with this mean and correlation. */
function levelsOf(mean: number, rho: number, draws: Draws): (place: number) => number {
  if (rho === 0 || mean >= 1) return () => mean;
  const spread = (1 - rho) / rho;
  const levels = Float64Array.from({ length: 20_000 }, () => draws.beta(mean * spread, (1 - mean) * spread));
  levels.sort();
  return (place) => levels[Math.floor(place * levels.length)] as number;
}

/** Gives a new set with every call. */
export function pairedSets(design: PairDesign, seed: number): () => PairedSet {
  const draws = new Draws(seed);
  const { rho, epochs } = design;
  const [levelA, levelB] = [levelsOf(design.a, rho, draws), levelsOf(design.b, rho, draws)];
  const passed = (level: number): number => {
    let count = 0;
    for (let epoch = 0; epoch < epochs; epoch++) count += Number(draws.unit() < level);
    return count / epochs;
  };
  return () => {
    const set: PairedSet = { a: [], b: [], clusters: [] };
    for (const [cluster, size] of design.sizes.entries()) {
      const place = draws.unit();
      const a = levelA(place);
      const b = levelB(design.isShared ? place : draws.unit());
      for (let sample = 0; sample < size; sample++) {
        set.a.push(passed(a));
        set.b.push(passed(b));
        set.clusters.push(String(cluster));
      }
    }
    return set;
  };
}
