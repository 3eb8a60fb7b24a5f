/** Values that belong together: rows of one customer, one document. Their errors are not independent. */
import { exactSum, mean } from "./sums.ts";

export interface Cluster {
  readonly values: readonly number[];
}

/** In the order of first appearance. Without names each value is a cluster of its own. */
export function clustersOf(values: readonly number[], names?: readonly string[]): readonly Cluster[] {
  if (names === undefined) return values.map((value) => ({ values: [value] }));
  const groups = new Map<string, number[]>();
  values.forEach((value, at) => {
    const name = names[at] ?? "";
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [value]);
    else group.push(value);
  });
  return [...groups.values()].map((group) => ({ values: group }));
}

export interface ClusteredMean {
  readonly mean: number;
  /** Undefined below two clusters: one cluster says nothing of how clusters differ. */
  readonly se: number | undefined;
  readonly n: number;
  readonly clusters: number;
}

/** Whether a difference between numbers of this size is what rounding leaves of none. */
export const isRounding = (difference: number, size: number): boolean => Math.abs(difference) <= 1e-12 * size;

/** Mean and its standard error over clusters: the root of G/(G−1) · Σ (sum of a cluster's deviations)², over n. */
export function clusteredMean(values: readonly number[], names?: readonly string[]): ClusteredMean {
  const centre = mean(values);
  const squares =
    names === undefined
      ? values.map((value) => (value - centre) ** 2)
      : clustersOf(values, names).map((group) => exactSum(group.values.map((value) => value - centre)) ** 2);
  const count = squares.length;
  const se = count < 2 ? undefined : Math.sqrt((count / (count - 1)) * exactSum(squares)) / values.length;
  const isConstant = se !== undefined && isRounding(se, largest(values));
  return { mean: centre, se: isConstant ? 0 : se, n: values.length, clusters: count };
}

const largest = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
