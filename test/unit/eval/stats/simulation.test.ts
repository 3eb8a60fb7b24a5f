/** What intervals and early looks promise holds in simulation (evals §14), with fixed seeds. */
// suite: long
import { describe, expect, it } from "vitest";
import {
  ConfidenceSequence,
  eValue,
  meanInterval,
  newcombePaired,
  paired,
  Words,
} from "../../../../src/eval/stats/index.ts";
import { exactSum } from "../../../../src/eval/stats/sums.ts";

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
