import { describe, expect, it } from "vitest";
import {
  compareSets,
  compareText,
  compareVariants,
  type RecordedSet,
  type RecordedTask,
  reportOf,
  summaryText,
} from "../../../../src/eval/report/index.ts";
import { epochsOf, setOf, taskOf, variantsOf } from "../../../support/eval-set.ts";

const spread = (b: number, c: number, both: number, none: number): [number[][], number[][]] => {
  const a = [
    ...Array(both).fill([1]),
    ...Array(b).fill([1]),
    ...Array(c).fill([0]),
    ...Array(none).fill([0]),
  ];
  const other = [
    ...Array(both).fill([1]),
    ...Array(b).fill([0]),
    ...Array(c).fill([1]),
    ...Array(none).fill([0]),
  ];
  return [a, other];
};

const two = (a: number[][], b: number[][], more: Parameters<typeof taskOf>[1] = {}): RecordedTask =>
  taskOf([...epochsOf(a, "a"), ...epochsOf(b, "b")], { variants: variantsOf("a", "b"), ...more });

describe("comparing variants", () => {
  it("of 0 and 1: McNemar and Newcombe", () => {
    const [a, b] = spread(2, 9, 38, 11);
    const [one] = compareVariants(setOf([two(a, b)]));
    expect(one).toMatchObject({
      a: "a",
      b: "b",
      metric: "success",
      conclusion: "better",
      isExploratory: false,
    });
    expect(one?.difference).toMatchObject({ wins: 9, losses: 2, ties: 49, method: "mcnemar" });
    expect(one?.difference?.value).toBeCloseTo(0.116667, 6);
    expect(one?.difference?.p).toBeCloseTo(0.038574, 6);
    expect(one?.difference?.low).toBeCloseTo(0.006591, 6);
    expect(one?.difference?.high).toBeCloseTo(0.225281, 6);
  });

  it("of epochs: paired t and sign flips", () => {
    const epochs = (thirds: number[]): number[][] =>
      thirds.map((n) => [0, 1, 2].map((at) => (at < n ? 1 : 0)));
    const [one] = compareVariants(
      setOf([two(epochs([3, 2, 3, 0, 1, 3, 2, 3]), epochs([3, 3, 3, 1, 1, 3, 3, 2]), { epochs: 3 })]),
    );
    expect(one?.difference?.value).toBeCloseTo(0.083333, 6);
    expect(one?.difference?.low).toBeCloseTo(-0.225196, 6);
    expect(one?.difference?.p).toBeCloseTo(0.625, 6);
    expect(one?.conclusion).toBe("not shown");
    expect(one?.detectable).toBeCloseTo(2.801585 * 0.083333, 4);
    expect(one?.needed?.samples).toBeGreaterThan(8);
  });

  it("several pairs are corrected by Holm", () => {
    const [a, b] = spread(2, 9, 38, 11);
    const task = taskOf([...epochsOf(a, "a"), ...epochsOf(b, "b"), ...epochsOf(a, "c")], {
      variants: variantsOf("a", "b", "c"),
    });
    const all = compareVariants(setOf([task]));
    expect(all.map(({ a: left, b: right }) => `${left}${right}`)).toEqual(["ab", "ac", "bc"]);
    expect(all[0]?.pCorrected).toBeCloseTo(3 * 0.038574, 5);
    expect(all[0]?.conclusion).toBe("not shown");
  });

  it("of several tasks are one family, as variants and as two sets", () => {
    const [a, b] = spread(2, 9, 38, 11);
    const names = ["x", "y", "z"];
    const asVariants = setOf(names.map((name) => two(a, b, { name })));
    const [first, second] = [a, b].map((rows) =>
      setOf(names.map((name) => taskOf(epochsOf(rows), { name }))),
    );
    const found = compareVariants(asVariants);
    const sets = compareSets(first as RecordedSet, { ...(second as RecordedSet), name: "other" });
    const told = (all: typeof found) =>
      all.map(({ task, pCorrected, conclusion }) => [task, pCorrected, conclusion]);
    expect(told(found)).toEqual(told(sets));
    expect(found[0]?.pCorrected).toBeCloseTo(3 * 0.038574, 5);
    expect(found.map(({ conclusion }) => conclusion)).toEqual(["not shown", "not shown", "not shown"]);
    const report = reportOf(asVariants);
    expect(report.tasks.map(({ comparisons }) => comparisons[0]?.pCorrected)).toEqual(
      found.map(({ pCorrected }) => pCorrected),
    );
    expect(summaryText(report)).toContain("\np corrected by Holm for 3 comparisons\n");
    expect(compareText(sets)).toContain("p corrected by Holm for 3 comparisons");
    // One that has nothing to say is no comparison.
    const apart = setOf([
      two(a, b, { name: "x" }),
      taskOf(epochsOf([[1]], "a"), { name: "y", variants: variantsOf("a", "b") }),
    ]);
    expect(compareVariants(apart)[0]?.pCorrected).toBeCloseTo(0.038574, 5);
  });

  it("is `equivalent` within a margin, and `worse` for costs that grow", () => {
    const [a] = spread(0, 0, 30, 30);
    const [same] = compareVariants(setOf([two(a, a)]), { margin: 0.1 });
    expect(same?.conclusion).toBe("equivalent");
    const dear = two(a, a);
    const task = {
      ...dear,
      trials: dear.trials.map((trial, at) => ({
        ...trial,
        costUsd: trial.variant === "a" ? 0.01 : 0.02 + at / 10_000,
      })),
    };
    const [cost] = compareVariants(setOf([task]), { metrics: ["cost_usd"] });
    expect(cost?.conclusion).toBe("worse");
  });
});

describe("comparing sets", () => {
  it("takes the samples that both have alike, and names the others", () => {
    const a = taskOf(epochsOf([[1], [0], [1]]));
    const b = taskOf(epochsOf([[1], [1], [0], [1]]));
    const changed = {
      ...b,
      samples: b.samples.map((sample) => (sample.id === "s3" ? { ...sample, digest: "new" } : sample)),
    };
    const [one] = compareSets(setOf([a], { name: "mon" }), setOf([changed], { name: "tue" }));
    expect(one).toMatchObject({ a: "mon", b: "tue", onlyA: [], onlyB: ["s4"], changed: ["s3"] });
    expect(one?.difference).toMatchObject({ n: 2, wins: 1 });
  });

  it("pairs single variants whatever they are called, else namesakes", () => {
    const a = taskOf(epochsOf([[1]], "x"), { variants: variantsOf("x") });
    const b = taskOf(epochsOf([[0]], "y"), { variants: variantsOf("y") });
    expect(compareSets(setOf([a]), setOf([b]))).toHaveLength(1);
    const c = taskOf([...epochsOf([[1]], "y"), ...epochsOf([[1]], "z")], { variants: variantsOf("y", "z") });
    expect(compareSets(setOf([b]), setOf([c])).map((one) => one.a)).toEqual([
      "eval-20261122-145648-ee174955/y",
    ]);
    expect(compareSets(setOf([a]), setOf([c]))).toEqual([]);
  });

  it("groups are exploratory", () => {
    const rows = { s1: { topic: "even" }, s2: { topic: "odd" } };
    const a = taskOf(epochsOf([[1], [0]]), {}, rows);
    const all = compareSets(setOf([a], { name: "mon" }), setOf([a], { name: "tue" }), { by: "topic" });
    expect(all.map(({ group, isExploratory }) => [group?.value, isExploratory])).toEqual([
      [undefined, false],
      ["even", true],
      ["odd", true],
    ]);
  });

  it("says nothing of samples that were not scored on both sides", () => {
    const a = taskOf(epochsOf([[1]]));
    const b = taskOf(epochsOf([[null]]));
    const all = compareSets(setOf([a], { name: "mon" }), setOf([b], { name: "tue" }));
    expect(all[0]).toMatchObject({ difference: null, conclusion: "not shown" });
    expect(compareText(all)).toContain("unknown: no sample was scored on both sides");
  });

  it("reads well", () => {
    const [a, b] = spread(2, 9, 38, 11);
    const sides = [
      setOf([taskOf(epochsOf(a))], { name: "mon" }),
      setOf([taskOf(epochsOf(b))], { name: "tue" }),
    ] as const;
    expect(compareText(compareSets(...sides))).toMatchInlineSnapshot(`
      "sums  success
        A mon 0.667   B tue 0.783
        difference +0.117 [+0.007, +0.225], p 0.039: better
        60 shared samples: B better on 9, A on 2, alike on 49
      "
    `);
  });
});
