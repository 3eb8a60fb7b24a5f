/** The numeric vectors of issue 15 (evals §7), to the digits given. */
import { describe, expect, it } from "vitest";
import {
  alpha,
  bestDraws,
  bootstrap,
  type CrossedValues,
  components,
  confidenceSequence,
  eValue,
  expectedError,
  fisher,
  holm,
  icc,
  kappa,
  macroF1,
  mcnemar,
  meanInterval,
  minDetectable,
  newcombe,
  newcombePaired,
  paired,
  passAtK,
  passCaretK,
  ppi,
  roganGladen,
  samplesNeeded,
  signFlip,
  type ValueKind,
  wilson,
} from "../../../../src/eval/stats/index.ts";
import vectors from "./vectors.json" with { type: "json" };

const digits = (text: string): number[] => [...text.replaceAll(/\s/g, "")].map(Number);
const near = (got: number | undefined, wanted: number): void => {
  expect(got).toBeDefined();
  expect(Math.abs((got as number) - wanted)).toBeLessThan(1e-6);
};
const bounds = (
  got: { low: number | undefined; high: number | undefined },
  low: number,
  high: number,
): void => {
  near(got.low, low);
  near(got.high, high);
};

const twelve = digits("101101100111");
const pairs = [..."aabbccddeeff"];
const passes = [3, 2, 3, 0, 1, 3, 2, 3];

describe("a metric (evals §7.1, §7.2)", () => {
  it("pass@k and pass^k are unbiased", () => {
    near(passAtK(10, 3, 2), 0.533333);
    near(passAtK(20, 4, 5), 0.718266);
    near(passCaretK(10, 8, 3), 0.466667);
    // Of many trials the shorter of two equal products, which is none below the smallest number with all its digits.
    near(passCaretK(300_000, 299_990, 200_000), 0.0000169300078296325);
    expect(passCaretK(1e9, 5e8, 4e8)).toBe(0);
    near(passAtK(1e9, 1e9 - 5, 1e9), 1);
    near(passAtK(3, 3, 2), 1);
    near(passCaretK(3, 1, 2), 0);
  });

  it.each([
    [17, 20, 0.95, 0.639581, 0.947631],
    [0, 12, 0.95, 0, 0.242494],
    [50, 50, 0.95, 0.928652, 1],
    [17, 20, 0.9, 0.678172, 0.938418],
  ])("wilson(%i, %i) at %f", (x, n, level, low, high) => bounds(wilson(x, n, level), low, high));

  it("means with and without clusters", () => {
    const clustered = meanInterval(twelve, { clusters: pairs, method: "t" });
    near(clustered.value, 0.666667);
    near(clustered.se, 0.105409);
    expect(clustered.clusters).toBe(6);
    bounds(clustered, 0.395704, 0.93763);
    const plain = meanInterval(twelve, { method: "t" });
    near(plain.se, 0.142134);
    bounds(plain, 0.353832, 0.979501);
    expect(meanInterval(twelve).method).toBe("wilson");
    expect(meanInterval(twelve, { clusters: pairs }).method).toBe("wilson_eff");
    expect(meanInterval([0.5, 3]).method).toBe("t");
  });

  it("epochs count as far as they are independent", () => {
    const values = passes.map((c) => c / 3);
    const got = meanInterval(values, { trials: 24 });
    expect(got.method).toBe("wilson_eff");
    near(got.value, 0.708333);
    near(got.se, 0.132699);
    near(got.n_eff, 11.732394);
    bounds(got, 0.374253, 0.90793);
    bounds(meanInterval(values, { method: "t" }), 0.394549, 1.022118);
  });

  it.each(vectors.scaled)("as dev/evals/vectors.py has it: $name", ({ values, expected }) => {
    const got = meanInterval(values);
    expect(got.method).toBe("wilson_eff");
    near(got.value, expected.value);
    near(got.se, expected.se);
    near(got.n_eff, expected.n_eff);
    bounds(got, expected.low, expected.high);
  });

  it("what trials say holds no more than they were", () => {
    expect(meanInterval([0.5, 0.5, 0.5, 0.75], { trials: 8 }).n_eff).toBe(8);
    expect(meanInterval(twelve, { clusters: pairs }).n_eff).toBe(12);
  });

  it("pass@k and pass^k over samples", () => {
    const over = (by: (n: number, c: number, k: number) => number, k: number) =>
      meanInterval(
        passes.map((c) => by(3, c, k)),
        { method: "t" },
      );
    near(over(passAtK, 2).value, 0.833333);
    near(over(passAtK, 2).se, 0.125988);
    near(over(passAtK, 3).value, 0.875);
    near(over(passCaretK, 2).value, 0.583333);
    near(over(passCaretK, 2).se, 0.163663);
    near(over(passCaretK, 3).value, 0.5);
    near(over(passCaretK, 3).se, 0.188982);
  });

  it("the bootstrap draws what its seed says", () => {
    bounds(bootstrap([0.2, 0.4, 0.4, 1, 0, 0.8, 0.6, 0.6], { seed: 11 }), 0.275, 0.7);
    bounds(bootstrap(twelve, { clusters: pairs, seed: 11 }), 0.5, 0.833333);
  });

  it("icc", () => near(icc("111 110 111 000 010 111 101 111".split(" ").map(digits)), 0.442478));
});

describe("comparison (evals §7.3)", () => {
  it("paired t and sign flips", () => {
    const a = [1, 2 / 3, 1, 0, 1 / 3, 1, 2 / 3, 1];
    const b = [1, 1, 1, 1 / 3, 1 / 3, 1, 1, 2 / 3];
    const got = paired(a, b);
    near(got.value, 0.083333);
    near(got.se, 0.083333);
    bounds(got, -0.225196, 0.38077);
    bounds(paired(a, b, { kind: "score" }), -0.113719, 0.280385);
    near(got.p_t, 0.350617);
    near(got.p_sign_flip, 0.625);
    near(got.p, 0.625);
    expect([got.wins, got.losses, got.ties]).toEqual([3, 1, 4]);
    const back = paired(b, a);
    near(back.value, -(got.value as number));
    near(back.low, -(got.high as number));
  });

  it("clusters of two", () => {
    const d = [0.2, 0.1, -0.1, 0.3, 0.05, 0.15, -0.05, 0.2, 0.1, 0.25];
    const zero = d.map(() => 0);
    const clusters = [..."aabbccddee"];
    const got = paired(zero, d, { clusters });
    near(got.value, 0.12);
    near(got.se, 0.018371);
    bounds(got, 0.068993, 0.171007);
    near(got.p_sign_flip, 0.0625);
    const plain = paired(zero, d);
    near(plain.se, 0.040277);
    bounds(plain, 0.028888, 0.211112);
    near(signFlip(d), 0.027344);
  });

  it.each(vectors.paired)(
    "as dev/evals/vectors.py has it: $name",
    ({ a, b, clusters, kind, level, expected }) => {
      const got = paired(a, b, { clusters: clusters ?? undefined, kind: kind as ValueKind, level });
      near(got.value, expected.value);
      near(got.se, expected.se);
      if (expected.low === null || expected.high === null)
        expect([got.low, got.high]).toEqual([undefined, undefined]);
      else bounds(got, expected.low, expected.high);
    },
  );

  it("equal values have no spread, whatever rounding leaves", () => {
    const thirds = [1 / 3, 2 / 3, 1 / 3, 1];
    const same = thirds.map((value) => 1 - (1 - value));
    const got = paired(thirds, same, { kind: "score" });
    expect(got).toMatchObject({ value: 0, se: 0, ties: 4, wins: 0, losses: 0, p: 1 });
    expect(paired([2, 3], [2, 3])).toMatchObject({ se: 0, low: undefined, high: undefined, p: 1 });
  });

  it("McNemar and Newcombe", () => {
    near(mcnemar(2, 9).p_exact, 0.06543);
    near(mcnemar(2, 9).p, 0.038574);
    const got = newcombePaired(38, 2, 9, 11);
    near(got.value, 0.116667);
    bounds(got, 0.006591, 0.225281);
    near(got.phi, 0.52922);
    bounds(newcombePaired(36, 2, 12, 0), 0.05693, 0.340428);
    bounds(newcombePaired(10, 0, 0, 5), -0.134948, 0.134948);
    expect(mcnemar(0, 0)).toEqual({ p: 1, p_exact: 1 });
  });

  it("arms that share no samples", () => {
    const got = newcombe(7, 20, 15, 20);
    near(got.value, 0.4);
    bounds(got, 0.091808, 0.618125);
    near(fisher(7, 13, 15, 5), 0.024842);
  });

  it("several comparisons, and how much data is needed", () => {
    const corrected = holm([0.012, 0.03, 0.004, 0.2, 0.03]);
    for (const [at, p] of [0.048, 0.09, 0.02, 0.2, 0.09].entries()) near(corrected[at], p);
    near(minDetectable(0.031), 0.086849);
    const plan = { delta: 0.05, omega2: 0.06, sigma2_a: 0.09, k_a: 3, sigma2_b: 0.09, k_b: 3, power: 0.8 };
    expect(samplesNeeded(plan).toFixed(3)).toBe("376.746");
  });
});

describe("looking early (evals §7.4)", () => {
  it("evidence of discordant pairs", () => {
    near(eValue(3, 14), 9.001923);
    near(eValue(0, 6), 14.4375);
    near(eValue(5, 5), 0.246094);
  });

  it("an interval that holds at every look", () => {
    const d = [1, 0, 1, 1, 0, -1, 1, 0, 1, 1, 1, 0, 1, -1, 1, 1, 0, 1, 1, 1];
    const looks = confidenceSequence(d);
    const at = (n: number) => [looks[n - 1]?.low, looks[n - 1]?.high].map((x) => x?.toFixed(3));
    expect([at(5), at(10), at(20)]).toEqual([
      ["-0.516", "1.000"],
      ["-0.282", "0.960"],
      ["0.018", "0.868"],
    ]);
    const e = d.map((_x, i) => {
      const seen = d.slice(0, i + 1);
      return eValue(seen.filter((x) => x < 0).length, seen.filter((x) => x > 0).length);
    });
    near(e.at(-1), 18.137207);
    near(Math.min(...e.map((x) => 1 / x)), 0.055135);
  });
});

const crossed = (text: string): CrossedValues =>
  [...text.matchAll(/\[\[(.*?)\]\]/g)].map(([, sample]) =>
    (sample as string).split("][").map((agent) => agent.split(" ").map((cell) => [digits(cell)])),
  );

describe("noise (evals §7.5)", () => {
  it("agents and users crossed, two draws", () => {
    const { ms, components: got } = components(
      crossed("[[11 10][11 00]] [[00 00][11 01]] [[11 11][11 11]] [[01 11][00 11]]"),
    );
    const wanted = { J: 0.09375, AU: 0.09375, A: 0.34375, U: 0.59375, S: 0.53125 };
    for (const [key, value] of Object.entries(wanted)) near(ms[key], value);
    near(got.judge, 0.09375);
    near(got.interaction, 0);
    near(got.agent, 0.0625);
    near(got.user, 0.125);
    near(got.sample, -0.039062_5);
  });

  it("agents alone", () => {
    const table = "45 33 55; 22 12 23; 55 54 55; 34 44 22; 11 22 12"
      .split("; ")
      .map((sample) => sample.split(" ").map((cell) => [[digits(cell)]]));
    const { ms, components: got } = components(table);
    near(ms.J, 0.2);
    near(ms.A, 1.1);
    near(ms.S, 11.866667);
    near(got.judge, 0.2);
    near(got.agent, 0.45);
    near(got.sample, 1.794444);
  });

  it("re-runs of each cell", () => {
    const table = "[[11 01][01 10]] [[10 00][10 00]] [[00 01][01 10]]";
    const rows = [...table.matchAll(/\[\[(.*?)\]\]/g)].map(([, sample]) =>
      (sample as string)
        .split("][")
        .map((agent) => agent.split(" ").map((cell) => digits(cell).map((y) => [y]))),
    );
    const { ms, components: got } = components(rows);
    const wanted = { E: 0.333333, AU: 0.083333, A: 0.083333, U: 0.25, S: 0.291667 };
    for (const [key, value] of Object.entries(wanted)) near(ms[key], value);
    near(got.environment, 0.333333);
    near(got.interaction, -0.125);
    near(got.agent, 0);
    near(got.user, 0.041667);
    near(got.sample, 0.005208);
  });

  it("what to buy next", () => {
    near(bestDraws({ trial_cost: 0.12, draw_cost: 0.01, within: 0.06, judge: 0.03 }), 2.44949);
    near(expectedError({ n: 50, k: 2, j: 2, sample: 0.15, within: 0.06, judge: 0.03 }), 0.061237);
  });

  it("a table that is not balanced is refused", () => {
    expect(() => components([[[[[1, 0]]]], [[[[1]]]]])).toThrow(RangeError);
  });
});

describe("judges and people (evals §7.6, §7.7)", () => {
  it("κ", () => {
    near(kappa(digits("110100110110"), digits("110110100111")), 0.470588);
    const [a, b] = [digits("1234532451"), digits("1334431552")];
    near(kappa(a, b), 0.375);
    near(kappa(a, b, "linear"), 0.683544);
    near(kappa(a, b, "quadratic"), 0.871795);
    expect(kappa([1, 1], [1, 1])).toBeUndefined();
  });

  it("F1 over labels", () => {
    // a: precision 1, recall 1/2; b: precision 1/2, recall 1; c is given and never expected.
    near(macroF1(["a", "a", "b"], ["a", "b", "b"]), 0.666667);
    near(macroF1(["a", "a", "b"], ["a", "c", "b"]), (2 / 3 + 1 + 0) / 3);
    expect(macroF1([], [])).toBeUndefined();
  });

  it("α with missing ratings", () => {
    const rows = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."].map((row) =>
      [...row].map((rating) => (rating === "." ? undefined : Number(rating))),
    );
    near(alpha(rows), 0.743421);
    near(alpha(rows, "ordinal"), 0.815388);
    near(alpha(rows, "interval"), 0.849107);
  });

  it("scores corrected by labels", () => {
    const got = roganGladen({ q: 0.7, n: 400, tp: 42, fn: 8, tn: 27, fp: 3 });
    near(got?.sensitivity, 0.84);
    near(got?.specificity, 0.9);
    near(got?.value, 0.810811);
    near(got?.se, 0.066196);
    expect(roganGladen({ q: 0.5, n: 10, tp: 5, fn: 5, tn: 5, fp: 5 })).toBeUndefined();
    // A judge that fails many that people pass: its share corrected would be 1.19.
    const beyond = roganGladen({ q: 0.95, n: 200, tp: 40, fn: 10, tn: 20, fp: 0 });
    expect(beyond).toMatchObject({ value: 1, high: 1 });
    const beyondToo = ppi([1, 1, 1, 1, 0.7], [0.5, 0.6, 0.5, 0.6, 0], [0.9, 1, 1, 0.9, 1]);
    expect(beyondToo).toMatchObject({ value: 1, high: 1 });
    expect(ppi([4, 5, 5, 4], [2, 3, 3, 2], [3, 3, 2, 3]).value).toBeGreaterThan(4);
    const mixed = ppi(digits("1011011011"), digits("1011110011"), digits("110111011011101101111011101111"));
    near(mixed.lambda, 0.476667);
    near(mixed.value, 0.731778);
    near(mixed.se, 0.13559);
    bounds(mixed, 0.466026, 0.997529);
    // The labels alone.
    const labels = meanInterval(digits("1011011011"), { method: "t" });
    near(labels.value, 0.7);
    near(labels.se, 0.152753);
  });
});
