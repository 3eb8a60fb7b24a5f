/** What intervals and early looks promise holds in simulation (evals §14), with fixed seeds. */
// suite: slow
// long: simulates thousands of sets
import { describe, expect, it } from "vitest";
import {
  ConfidenceSequence,
  eValue,
  meanInterval,
  newcombePaired,
  paired,
  pairedInterval,
  studentQuantile,
  Words,
} from "../../../../src/eval/stats/index.ts";
import { exactSum } from "../../../../src/eval/stats/sums.ts";
import { Draws, pairedSets } from "../../../support/simulated-pairs.ts";

const unit = (words: Words): number => words.next() / 2 ** 32;

describe("coverage of the default interval", () => {
  const cases = [10, 20, 50].flatMap((n) =>
    [1, 3].flatMap((k) => [0.5, 0.9, 0.95].map((p) => ({ n, k, p }))),
  );
  it.each(cases)("n $n, k $k, share $p: at least 90 %", ({ n, k, p }) => {
    const words = new Words(n * 1000 + k * 100 + Math.round(p * 100));
    const sets = 400;
    let held = 0;
    for (let set = 0; set < sets; set++) {
      const values = Array.from({ length: n }, () => {
        let passed = 0;
        for (let epoch = 0; epoch < k; epoch++) passed += Number(unit(words) < p);
        return passed / k;
      });
      const got = meanInterval(values, { trials: n * k });
      expect(got.low).toBeGreaterThanOrEqual(0);
      expect(got.high).toBeLessThanOrEqual(1);
      expect(got.low).toBeLessThanOrEqual(got.value);
      expect(got.high).toBeGreaterThanOrEqual(got.value);
      held += Number((got.low as number) <= p && p <= (got.high as number));
    }
    expect(held / sets).toBeGreaterThanOrEqual(0.9);
  });
});

describe("coverage of scores on a scale", () => {
  const cases = [
    [2, 2],
    [0.5, 0.5],
    [8, 2],
  ].flatMap(([a, b]) => [5, 15, 50, 200].map((n) => ({ a: a as number, b: b as number, n })));
  it.each(cases)("Beta($a, $b), n $n: 93 to 98 %", ({ a, b, n }) => {
    const draws = new Draws(a * 1000 + b * 100 + n);
    const sets = 4000;
    let held = 0;
    for (let set = 0; set < sets; set++) {
      const got = meanInterval(Array.from({ length: n }, () => draws.beta(a, b)));
      held += Number((got.low as number) <= a / (a + b) && a / (a + b) <= (got.high as number));
    }
    expect(held / sets).toBeGreaterThanOrEqual(0.93);
    expect(held / sets).toBeLessThanOrEqual(0.98);
  });
});

// `dev/evals/simulated.txt` has more designs, and what was concluded.
describe("gates against a baseline", () => {
  const equal = (count: number, size: number): number[] => Array.from({ length: count }, () => size);
  const layouts = [
    { layout: "5 samples in 2 clusters", sizes: [3, 2], epochs: 1 },
    { layout: "8 samples, 3 epochs", sizes: equal(8, 1), epochs: 3 },
    { layout: "10 clusters of 5", sizes: equal(10, 5), epochs: 1 },
    { layout: "20 samples, 3 epochs", sizes: equal(20, 1), epochs: 3 },
  ];
  const losses = [
    { a: 1, b: 0.95 },
    { a: 0.99, b: 0.94 },
    { a: 0.95, b: 0.89 },
    { a: 0.8, b: 0.72 },
  ];
  const passing = (lower: (found: ReturnType<typeof pairedInterval>) => number, margin: number) => {
    return (found: ReturnType<typeof pairedInterval>) => Number(lower(found) > -margin);
  };
  const cases = layouts.flatMap((layout) =>
    losses.flatMap((loss) => [0.3, 0].map((rho) => ({ ...layout, ...loss, rho }))),
  );

  it.each(cases)("$layout, $a → $b, intra-class $rho: at most 7 % pass wrongly", (design) => {
    const next = pairedSets({ ...design, isShared: true }, 11);
    const isPassed = passing(({ low }) => low ?? Number.NEGATIVE_INFINITY, design.a - design.b + 1e-12);
    const sets = 2000;
    let wrong = 0;
    for (let set = 0; set < sets; set++) {
      const { a, b, clusters } = next();
      wrong += isPassed(pairedInterval(a, b, { clusters, level: 0.9 }));
    }
    expect(wrong / sets).toBeLessThanOrEqual(0.07);
  });

  it.each(layouts.filter(({ sizes }) => sizes.length >= 10))(
    "$layout: a gate passes at least 0.9 times as often as by t alone",
    ({ sizes, epochs }) => {
      const critical = studentQuantile(0.95, sizes.length - 1);
      const byT = passing(({ value, se }) => value - critical * (se ?? 0), 0.1);
      const byRule = passing(({ low }) => low ?? Number.NEGATIVE_INFINITY, 0.1);
      let [t, rule] = [0, 0];
      for (const p of [0.5, 0.7, 0.8]) {
        const next = pairedSets({ a: p, b: p, rho: 0.3, isShared: true, sizes, epochs }, 11);
        for (let set = 0; set < 500; set++) {
          const { a, b, clusters } = next();
          const found = pairedInterval(a, b, { clusters, level: 0.9 });
          t += byT(found);
          rule += byRule(found);
        }
      }
      expect(rule).toBeGreaterThanOrEqual(0.9 * t);
    },
  );
});

describe("looking after every pair", () => {
  it("has at most 5 % false alarms in 2,000 sets without a difference", () => {
    const words = new Words(20261122);
    let alarms = 0;
    let excluded = 0;
    for (let set = 0; set < 2000; set++) {
      const sequence = new ConfidenceSequence(0.05);
      let [b, c] = [0, 0];
      let isAlarm = false;
      let isExcluded = false;
      for (let look = 1; look <= 60; look++) {
        const difference = Number(unit(words) < 0.5) - Number(unit(words) < 0.5);
        if (difference < 0) b++;
        if (difference > 0) c++;
        isAlarm ||= 1 / eValue(b, c) <= 0.05;
        const at = set < 200 ? sequence.add(difference) : undefined;
        isExcluded ||= at !== undefined && (at.low > 0 || at.high < 0);
      }
      alarms += Number(isAlarm);
      excluded += Number(isExcluded);
    }
    expect(alarms / 2000).toBeLessThanOrEqual(0.05);
    expect(excluded / 200).toBeLessThanOrEqual(0.05);
  });
});

describe("sums", () => {
  it("are exact in any order", () => {
    const words = new Words(7);
    const values = Array.from({ length: 300 }, () => (unit(words) - 0.5) * 10 ** words.integer(-12, 12));
    const sum = exactSum(values);
    for (let round = 0; round < 20; round++) {
      const shuffled = values
        .map((value) => ({ value, key: words.next() }))
        .sort((x, y) => x.key - y.key)
        .map(({ value }) => value);
      expect(exactSum(shuffled)).toBe(sum);
    }
    expect(exactSum([1, 1e100, 1, -1e100])).toBe(2);
    expect(exactSum(Array.from({ length: 10 }, () => 0.1))).toBe(1);
    expect(exactSum([])).toBe(0);
    expect(exactSum([1, Number.POSITIVE_INFINITY])).toBe(Number.POSITIVE_INFINITY);
  });

  it("a comparison turned around is the comparison, turned around", () => {
    const words = new Words(3);
    for (let round = 0; round < 200; round++) {
      const n = words.integer(2, 30);
      const draw = () => Array.from({ length: n }, () => words.integer(0, 4) / 4);
      const [a, b] = [draw(), draw()];
      const [there, back] = [paired(a, b), paired(b, a)];
      expect(back.value).toBeCloseTo(-there.value, 12);
      expect(back.low ?? 0).toBeCloseTo(-(there.high ?? 0), 9);
      expect(back.p).toBeCloseTo(there.p as number, 12);
    }
    const table = newcombePaired(5, 3, 1, 2);
    const turned = newcombePaired(5, 1, 3, 2);
    expect(turned.low).toBeCloseTo(-(table.high as number), 12);
  });
});
