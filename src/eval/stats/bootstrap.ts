/** The generator of resampling, and the percentile bootstrap over clusters. Seeded: the same seed gives the same draws. */
import { type Cluster, clustersOf } from "./clusters.ts";
import { exactSum, quantile } from "./sums.ts";

/** Draws 32-bit words: sfc32, seeded with 64 bits, the first twelve words dropped. */
export class Words {
  readonly #state: Uint32Array;

  constructor(seed: number | bigint) {
    const bits = BigInt.asUintN(64, BigInt(seed));
    this.#state = Uint32Array.of(Number(bits & 0xffff_ffffn), Number(bits >> 32n), 0x9e37_79b9, 1);
    for (let dropped = 0; dropped < 12; dropped++) this.next();
  }

  next(): number {
    const state = this.#state;
    const [a, b, c, counter] = state as unknown as readonly [number, number, number, number];
    const word = (a + b + counter) >>> 0;
    state[3] = counter + 1;
    state[0] = b ^ (b >>> 9);
    state[1] = c + (c << 3);
    state[2] = ((c << 21) | (c >>> 11)) + word;
    return word;
  }

  /** A whole number from `low` to `high`, each as likely as the other. */
  integer(low: number, high: number): number {
    const count = high - low + 1;
    const fair = 2 ** 32 - (2 ** 32 % count);
    let word = this.next();
    while (word >= fair) word = this.next();
    return low + (word % count);
  }
}

export interface BootstrapOptions {
  readonly clusters?: readonly string[] | undefined;
  readonly resamples?: number | undefined;
  /** The share that the interval leaves out. */
  readonly alpha?: number | undefined;
  readonly seed?: number | bigint | undefined;
}

/** The percentile interval of the mean, clusters resampled whole. */
export function bootstrap(
  values: readonly number[],
  options: BootstrapOptions = {},
): { readonly low: number; readonly high: number } {
  const means = resampledMeans(
    clustersOf(values, options.clusters),
    options.resamples ?? 2000,
    options.seed ?? 0,
  );
  const alpha = options.alpha ?? 0.05;
  return { low: quantile(means, alpha / 2), high: quantile(means, 1 - alpha / 2) };
}

function resampledMeans(clusters: readonly Cluster[], resamples: number, seed: number | bigint): number[] {
  const words = new Words(seed);
  return Array.from({ length: resamples }, () => {
    const drawn = clusters.map(() => clusters[words.integer(0, clusters.length - 1)] as Cluster);
    const values = drawn.flatMap((cluster) => cluster.values);
    return exactSum(values) / values.length;
  });
}

/** The percentile interval of any statistic of items that are drawn whole; draws for which it has no value are left out. */
export function bootstrapStatistic<T>(
  items: readonly T[],
  statistic: (chosen: readonly T[]) => number,
  { resamples = 2000, alpha = 0.05, seed = 0 }: Omit<BootstrapOptions, "clusters"> = {},
): { readonly low: number; readonly high: number } | undefined {
  const words = new Words(seed);
  const values = Array.from({ length: resamples }, () =>
    statistic(items.map(() => items[words.integer(0, items.length - 1)] as T)),
  ).filter((value) => !Number.isNaN(value));
  if (values.length === 0) return undefined;
  return { low: quantile(values, alpha / 2), high: quantile(values, 1 - alpha / 2) };
}
