/** What a sample is worth: how hard it is, and whether those who do well elsewhere do well on it. */
import { exactSum, mean } from "./sums.ts";

export function correlation(a: readonly number[], b: readonly number[]): number | undefined {
  const [meanA, meanB] = [mean(a), mean(b)];
  const products = exactSum(a.map((x, at) => (x - meanA) * ((b[at] as number) - meanB)));
  const spread = Math.sqrt(
    exactSum(a.map((x) => (x - meanA) ** 2)) * exactSum(b.map((x) => (x - meanB) ** 2)),
  );
  return spread === 0 ? undefined : products / spread;
}

/**
 * For each sample (a column of rows of systems) the correlation with the mean of the others. A negative one is most likely
 * a wrong target.
 */
export function discriminations(systems: readonly (readonly number[])[]): (number | undefined)[] {
  const samples = systems[0]?.length ?? 0;
  return Array.from({ length: samples }, (_, sample) => {
    const own = systems.map((row) => row[sample] as number);
    const others = systems.map((row) => mean(row.filter((_score, at) => at !== sample)));
    return correlation(own, others);
  });
}
