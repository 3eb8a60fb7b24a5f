/** Where the noise of scores comes from: samples, agents, users, environment, judges (a balanced design nested in samples). */
import { Words } from "./bootstrap.ts";
import { exactSum, mean, quantile } from "./sums.ts";

/** Nested lists: sample, agent stream, user stream, re-run, draw. */
export type CrossedValues = readonly (readonly (readonly (readonly (readonly number[])[])[])[])[];

export interface Components {
  /** Mean squares that the design can tell, by their letters. */
  readonly ms: Readonly<Record<string, number>>;
  readonly components: {
    readonly judge: number;
    readonly environment: number;
    readonly interaction: number;
    readonly agent: number;
    readonly user: number;
    readonly sample: number;
  };
}

const squares = (values: readonly number[]): number => exactSum(values.map((value) => value * value));

export function components(table: CrossedValues): Components {
  const sizes = sizesOf(table);
  const { S, A, U, R, J } = sizes;
  const cells = table.map((as) => as.map((us) => us.map((rs) => rs.map((js) => mean(js)))));
  const sau = cells.map((as) => as.map((us) => us.map((rs) => mean(rs))));
  const sa = sau.map((as) => as.map((us) => mean(us)));
  const su = sau.map((as) => Array.from({ length: U }, (_, u) => mean(as.map((us) => us[u] as number))));
  const s = sa.map((as) => mean(as));
  const all = mean(s);
  const ms: Record<string, number> = {};
  if (J > 1) {
    const off = table.flatMap((as, i) =>
      as.flatMap((us, a) =>
        us.flatMap((rs, u) => rs.flatMap((js, r) => js.map((y) => y - (cells[i]?.[a]?.[u]?.[r] as number)))),
      ),
    );
    ms.J = squares(off) / (S * A * U * R * (J - 1));
  }
  if (R > 1) {
    const off = cells.flatMap((as, i) =>
      as.flatMap((us, a) => us.flatMap((rs, u) => rs.map((y) => y - (sau[i]?.[a]?.[u] as number)))),
    );
    ms.E = (J * squares(off)) / (S * A * U * (R - 1));
  }
  if (A > 1 && U > 1) {
    const off = sau.flatMap((as, i) =>
      as.flatMap((us, a) =>
        us.map((y, u) => y - (sa[i]?.[a] as number) - (su[i]?.[u] as number) + (s[i] as number)),
      ),
    );
    ms.AU = (J * R * squares(off)) / (S * (A - 1) * (U - 1));
  }
  if (A > 1) ms.A = (J * R * U * squares(varianceSpread(sa, s))) / (S * (A - 1));
  if (U > 1) ms.U = (J * R * A * squares(varianceSpread(su, s))) / (S * (U - 1));
  if (S > 1) ms.S = (J * R * A * U * squares(s.map((y) => y - all))) / (S - 1);
  return { ms, components: solveComponents(ms, sizes) };
}

export interface ComponentIntervals {
  readonly [source: string]: { readonly low: number; readonly high: number };
}

/** Percentile intervals of the components, whole samples resampled. Undefined for fewer than two samples. */
export function componentIntervals(
  table: CrossedValues,
  {
    resamples = 2000,
    alpha = 0.05,
    seed = 0,
  }: { readonly resamples?: number; readonly alpha?: number; readonly seed?: number } = {},
): ComponentIntervals | undefined {
  const sizes = sizesOf(table);
  const { S, A, U, R, J } = sizes;
  if (S < 2) return undefined;
  // Every mean square but that of samples is the mean of what each sample has of it.
  const rows = table.map((row) => ({ ms: components([row]).ms, mean: mean(row.flat(3)) }));
  const letters = Object.keys(rows[0]?.ms ?? {});
  const words = new Words(seed);
  const drawn = Array.from({ length: resamples }, () => {
    const chosen = rows.map(() => rows[words.integer(0, S - 1)] as (typeof rows)[number]);
    const ms: Record<string, number> = {};
    for (const letter of letters)
      ms[letter] = chosen.reduce((sum, row) => sum + (row.ms[letter] as number), 0) / S;
    const all = chosen.reduce((sum, row) => sum + row.mean, 0) / S;
    ms.S = (J * R * A * U * chosen.reduce((sum, row) => sum + (row.mean - all) ** 2, 0)) / (S - 1);
    return solveComponents(ms, sizes);
  });
  const sources = Object.keys(drawn[0] ?? {}) as (keyof Components["components"])[];
  return Object.fromEntries(
    sources.map((source) => {
      const values = drawn.map((one) => one[source]);
      return [source, { low: quantile(values, alpha / 2), high: quantile(values, 1 - alpha / 2) }];
    }),
  );
}

const varianceSpread = (rows: readonly (readonly number[])[], centres: readonly number[]): number[] =>
  rows.flatMap((row, at) => row.map((y) => y - (centres[at] as number)));

interface Sizes {
  readonly S: number;
  readonly A: number;
  readonly U: number;
  readonly R: number;
  readonly J: number;
}

/** Throws a RangeError for a table that is empty or not balanced. */
function sizesOf(table: CrossedValues): Sizes {
  const sizes: number[] = [];
  let level: readonly unknown[] = [table];
  for (let depth = 0; depth < 5; depth++) {
    const lengths = new Set(level.map((part) => (Array.isArray(part) ? part.length : 0)));
    const [length] = lengths;
    if (lengths.size !== 1 || length === undefined || length === 0) {
      throw new RangeError(
        "expected nested lists of samples, agents, users, re-runs and draws, all of one size",
      );
    }
    sizes.push(length);
    level = level.flatMap((part) => part as readonly unknown[]);
  }
  const [S, A, U, R, J] = sizes as [number, number, number, number, number];
  return { S, A, U, R, J };
}

/** Components by subtraction of expected mean squares. What a design cannot tell from its neighbour counts there. */
function solveComponents(
  ms: Readonly<Record<string, number>>,
  { A, U, R, J }: Sizes,
): Components["components"] {
  const judge = ms.J ?? 0;
  const environmentBase = ms.E ?? ms.J ?? 0;
  const environment = ms.E === undefined ? 0 : (ms.E - judge) / J;
  const interaction = ms.AU === undefined ? 0 : (ms.AU - environmentBase) / (J * R);
  const rest = ms.AU ?? environmentBase;
  const agent = ms.A === undefined ? 0 : (ms.A - rest) / (J * R * U);
  const user = ms.U === undefined ? 0 : (ms.U - rest) / (J * R * A);
  const sampleRest = (ms.A ?? rest) + (ms.U ?? rest) - rest;
  const sample = ms.S === undefined ? 0 : (ms.S - sampleRest) / (J * R * A * U);
  return { judge, environment, interaction, agent, user, sample };
}

export interface DrawCosts {
  readonly trial_cost: number;
  readonly draw_cost: number;
  /** Variance within samples, and of the judge. */
  readonly within: number;
  readonly judge: number;
}

/** The number of draws per trial that buys the most for its money, not rounded. */
export function bestDraws(costs: DrawCosts): number {
  return Math.sqrt((costs.trial_cost / costs.draw_cost) * (costs.judge / costs.within));
}

export interface Design {
  readonly n: number;
  readonly k: number;
  readonly j: number;
  readonly sample: number;
  readonly within: number;
  readonly judge: number;
}

/** The standard error of a mean over n samples with k epochs and j draws. */
export function expectedError(design: Design): number {
  const { n, k, j } = design;
  return Math.sqrt(design.sample / n + design.within / (n * k) + design.judge / (n * k * j));
}
