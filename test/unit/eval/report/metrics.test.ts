import { describe, expect, it } from "vitest";
import { parseMetricName } from "../../../../src/eval/index.ts";
import { coverageOf, figureOf, shownMetrics } from "../../../../src/eval/report/index.ts";
import { epochsOf, scoreOf, taskOf, trialOf, variantsOf } from "../../../support/eval-set.ts";

describe("names of metrics", () => {
  it.each([
    ["success", { kind: "success" }],
    ["pass@3", { kind: "pass", of: "any", k: 3, scorer: null }],
    ["pass^4(tone)", { kind: "pass", of: "all", k: 4, scorer: "tone" }],
    ["tokens.p90", { kind: "usage", field: "tokens", percentile: 0.9 }],
    ["cost_usd", { kind: "usage", field: "cost_usd", percentile: null }],
    ["total_cost_usd", { kind: "total_cost_usd" }],
    ["user_faults", { kind: "share", of: "user_faults" }],
    ["icc", { kind: "icc" }],
    ["kappa(judge)", { kind: "kappa", scorer: "judge" }],
    ["macro_f1(choice)", { kind: "macro_f1", scorer: "choice" }],
    ["panel.alpha", { kind: "alpha", scorer: "panel" }],
    ["judge.politeness", { kind: "score", scorer: "judge", part: "politeness" }],
    ["world_is", { kind: "score", scorer: "world_is", part: null }],
    ["größe", { kind: "score", scorer: "größe", part: null }],
  ])("%s", (text, name) => expect(parseMetricName(text)).toEqual(name));

  it.each(["", "pass@0", "pass@", "pass@1001", "a b", "a/b", "kappa()", "1x", "judge."])(
    "`%s` is none",
    (text) => expect(parseMetricName(text)).toBeUndefined(),
  );

  it("a scorer with a dot in its name keeps it", () => {
    expect(parseMetricName("a.b", ["a.b"])).toEqual({ kind: "score", scorer: "a.b", part: null });
    expect(parseMetricName("a.b.c", ["a.b"])).toEqual({ kind: "score", scorer: "a.b", part: "c" });
    expect(parseMetricName("tokens", ["tokens"])).toEqual({ kind: "score", scorer: "tokens", part: null });
  });
});

describe("metrics of a task", () => {
  const rows = [3, 2, 3, 0, 1, 3, 2, 3].map((passes) => [1, 1, 1].map((_, at) => (at < passes ? 1 : 0)));
  const task = taskOf(epochsOf(rows), { epochs: 3 });

  it("are means over samples with the interval for epochs", () => {
    const figure = figureOf(task, "success");
    expect(figure).toMatchObject({ n: 8, clusters: 8, method: "wilson_eff", short: 0 });
    expect(figure?.value).toBeCloseTo(0.708333, 6);
    expect(figure?.se).toBeCloseTo(0.132699, 6);
    expect(figure?.low).toBeCloseTo(0.374253, 6);
    expect(figure?.high).toBeCloseTo(0.90793, 6);
  });

  it.each([
    ["pass@2", 0.833333, 0.125988],
    ["pass@3", 0.875, undefined],
    ["pass^2", 0.583333, 0.163663],
    ["pass^3", 0.5, 0.188982],
    ["pass^3(is)", 0.5, 0.188982],
  ])("%s", (name, value, se) => {
    expect(figureOf(task, name)?.value).toBeCloseTo(value, 6);
    if (se !== undefined) expect(figureOf(task, name)?.se).toBeCloseTo(se, 6);
  });

  it("epochs are those of a variant: passes of two variants are no repetitions of one", () => {
    // `a` always passes, `b` never: neither is unsure, and together they are right half of the time.
    const two = taskOf(
      [
        ...epochsOf(
          [
            [1, 1],
            [1, 1],
            [1, 1],
          ],
          "a",
        ),
        ...epochsOf(
          [
            [0, 0],
            [0, 0],
            [1, 1],
          ],
          "b",
        ),
      ],
      { epochs: 2, variants: variantsOf("a", "b"), reduce: { is: { kind: "at_least", k: 2 } } },
    );
    expect(figureOf(two, "pass^2")?.value).toBeCloseTo((1 / 2 + 1 / 2 + 1) / 3, 12);
    expect(figureOf(two, "pass@2")?.value).toBeCloseTo((1 / 2 + 1 / 2 + 1) / 3, 12);
    expect(figureOf(two, "is")?.value).toBeCloseTo((1 / 2 + 1 / 2 + 1) / 3, 12);
    expect(figureOf(two, "flaky")?.value).toBe(0);
    expect(figureOf(two, "icc")?.value).toBe(1);
    expect(figureOf(two, "pass^2", { variant: "b", group: null })?.value).toBeCloseTo(1 / 3, 12);
    // Four trials of a sample, but two epochs of each variant.
    expect(figureOf(two, "pass^3")).toMatchObject({ value: null, short: 3 });
  });

  it("scores on a scale count for as many trials as their spread says, passes for no more than there were", () => {
    const judged = taskOf(epochsOf([[0.5], [0.75], [0.5], [0.5], [0.75], [0.5]]));
    const scaled = figureOf(judged, "is");
    expect(scaled).toMatchObject({ method: "wilson_eff", n: 6 });
    expect((scaled?.high ?? 1) - (scaled?.low ?? 0)).toBeLessThan(0.3);
    const passed = taskOf(
      epochsOf([
        [1, 0, 1, 0],
        [1, 1, 1, 0],
        [1, 0, 1, 0],
        [0, 1, 1, 0],
      ]),
      { epochs: 4 },
    );
    const shares = figureOf(passed, "is");
    expect((shares?.high ?? 1) - (shares?.low ?? 0)).toBeGreaterThan(0.5);
  });

  it("F1 over the labels that a scorer reads", () => {
    const answered = (sample: string, answer: string, target: string) =>
      trialOf(sample, 1, Number(answer === target), {
        scores: [scoreOf("is", Number(answer === target), { answer })],
      });
    const task = taskOf(
      [answered("s1", "a", "a"), answered("s2", "b", "a"), answered("s3", "b", "b")],
      {},
      { s1: { target: "a" }, s2: { target: "a" }, s3: { target: "b" } },
    );
    expect(figureOf(task, "macro_f1(is)")).toMatchObject({ method: "count", low: null });
    expect(figureOf(task, "macro_f1(is)")?.value).toBeCloseTo(2 / 3, 12);
  });

  it("icc, flaky, usage and sums", () => {
    const written = ["111", "110", "111", "000", "010", "111", "101", "111"].map((row) =>
      [...row].map(Number),
    );
    const other = taskOf(epochsOf(written), { epochs: 3 });
    expect(figureOf(other, "icc")?.value).toBeCloseTo(0.442478, 6);
    expect(figureOf(other, "flaky")?.value).toBeCloseTo(3 / 8, 12);
    expect(figureOf(other, "tokens")).toMatchObject({ value: 110, method: "t" });
    expect(figureOf(other, "working_ms.p50")).toMatchObject({ value: 500, method: "count", low: null });
    expect(figureOf(other, "total_cost_usd")?.value).toBeCloseTo(0.24, 12);
  });

  it("one epoch without clusters is Wilson's", () => {
    const figure = figureOf(
      taskOf(epochsOf(Array.from({ length: 20 }, (_, at) => [at < 17 ? 1 : 0]))),
      "success",
    );
    expect(figure).toMatchObject({ method: "wilson", n: 20 });
    expect(figure?.low).toBeCloseTo(0.639581, 6);
    expect(figure?.high).toBeCloseTo(0.947631, 6);
  });

  it("clusters widen it", () => {
    const values = [1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1];
    const clusters = Object.fromEntries(
      values.map((_, at) => [`s${at + 1}`, { cluster: "abcdef"[at >> 1] as string }]),
    );
    const figure = figureOf(taskOf(epochsOf(values.map((value) => [value])), {}, clusters), "is");
    expect(figure).toMatchObject({ clusters: 6, n: 12, method: "wilson_eff" });
    expect(figure?.se).toBeCloseTo(0.105409, 6);
  });

  it("leaves out what is unscored, errored or missing, and counts short samples", () => {
    const gaps = taskOf(
      epochsOf([
        [1, null],
        [0, "no answer"],
        [1, 1],
      ]),
      { epochs: 2 },
    );
    expect(figureOf(gaps, "success")).toMatchObject({ n: 3 });
    expect(figureOf(gaps, "success")?.value).toBeCloseTo(2 / 3, 12);
    expect(figureOf(gaps, "pass^2")).toMatchObject({ n: 1, short: 2, value: 1 });
    expect(figureOf(gaps, "errors")?.value).toBeCloseTo(1 / 6, 12);
    expect(figureOf(gaps, "unscored")?.value).toBeCloseTo(1 / 6, 12);
    expect(coverageOf(gaps, null)).toMatchObject({
      trials: 6,
      unscored: 1,
      errored: { low: 2 / 3, high: (1 + 0.5 + 1) / 3 },
    });
  });

  it("has no value where no trial says anything", () => {
    expect(figureOf(taskOf([trialOf("a", 1, null)]), "success")).toMatchObject({
      value: null,
      low: null,
      n: 0,
    });
    expect(figureOf(taskOf([]), "success")).toMatchObject({ value: null, n: 0 });
    expect(figureOf(taskOf([]), "tokens.p90")).toMatchObject({ value: null });
  });

  it("draws of a judge: their mean, and more than half must pass", () => {
    const drawn = (...values: number[]) =>
      taskOf([
        trialOf("a", 1, 1, { scores: values.map((value, at) => scoreOf("is", value, { draw: at + 1 })) }),
      ]);
    expect(figureOf(drawn(1, 1, 0), "is")?.value).toBeCloseTo(2 / 3, 12);
    expect(figureOf(drawn(1, 1, 0), "success")?.value).toBe(1);
    expect(figureOf(drawn(1, 0), "success")?.value).toBe(0);
  });

  it("a scorer's parts and figures that trials measured are metrics", () => {
    const parts = taskOf([
      trialOf("a", 1, 1, { scores: [scoreOf("is", 1, { parts: { steps: 4 } })], metrics: { size: 12 } }),
      trialOf("b", 1, 1, { scores: [scoreOf("is", 1, { parts: { steps: 6 } })], metrics: { size: 14 } }),
    ]);
    expect(figureOf(parts, "is.steps")).toMatchObject({ value: 5, method: "t" });
    expect(figureOf(parts, "size")).toMatchObject({ value: 13 });
  });

  it.each([
    ["median", [0, 0.5, 1], 0.5],
    ["max", [0, 0.5, 0.75], 0.75],
    ["min", [0.25, 0.5], 0.25],
    ["first", [0.25, 1], 0.25],
    ["mode", [1, 0.5, 0.5], 0.5],
  ] as const)("reduces epochs by %s", (how, values, value) => {
    expect(figureOf(taskOf(epochsOf([[...values]]), { reduce: { is: how } }), "is")?.value).toBe(value);
  });

  it("reduces epochs by at_least", () => {
    const reduce = { is: { kind: "at_least", k: 2 } } as const;
    expect(
      figureOf(
        taskOf(
          epochsOf([
            [1, 1, 0],
            [1, 0, 0],
          ]),
          { reduce },
        ),
        "is",
      )?.value,
    ).toBe(0.5);
  });

  it("faults of users drop trials where the task says so", () => {
    const faults = [{ kind: "invented", severity: "hindered", turn: 1, evidence: "Z99" }] as const;
    const trials = [trialOf("a", 1, 0, { faults }), trialOf("b", 1, 1)];
    expect(figureOf(taskOf(trials), "success")?.value).toBe(0.5);
    expect(figureOf(taskOf(trials, { onUserFault: { kind: "drop" } }), "success")?.value).toBe(1);
    expect(figureOf(taskOf(trials), "user_faults")?.value).toBe(0.5);
    expect(coverageOf(taskOf(trials), null)).toMatchObject({ userFaults: 1, withoutFaults: 1 });
  });

  it("variants and groups are figures of their own", () => {
    const both = taskOf(
      [...epochsOf([[1], [0]], "a"), ...epochsOf([[1], [1]], "b")],
      { variants: variantsOf("a", "b"), groupBy: ["topic"] },
      { s1: { topic: "even" }, s2: { topic: "odd" } },
    );
    expect(figureOf(both, "success", { variant: "a", group: null })?.value).toBe(0.5);
    expect(figureOf(both, "success", { variant: null, group: null })?.value).toBe(0.75);
    expect(figureOf(both, "success", { variant: "a", group: { field: "topic", value: "odd" } })?.value).toBe(
      0,
    );
  });

  it("shows the usual metrics, or those that the task names", () => {
    expect(shownMetrics(task)).toEqual(["success", "pass^3", "is", "cost_usd", "tokens"]);
    expect(shownMetrics(taskOf([], { metrics: ["turns"] }))).toEqual(["turns"]);
  });
});
