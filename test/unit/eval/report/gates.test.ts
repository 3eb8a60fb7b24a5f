import { describe, expect, it } from "vitest";
import { type Gate, parseGate } from "../../../../src/eval/index.ts";
import { compareSets, judgeGate, type RecordedTask, setExit } from "../../../../src/eval/report/index.ts";
import { ScriptError } from "../../../../src/values/index.ts";
import { epochsOf, setOf, taskOf, variantsOf } from "../../../support/eval-set.ts";

const gate = (text: string): Gate => parseGate("sums", text, ["is", "old", "tone"]);

const shares = (passed: number, of: number): RecordedTask =>
  taskOf(epochsOf(Array.from({ length: of }, (_, at) => [at < passed ? 1 : 0])));

const none = { baseline: "there is none", agreements: new Map<string, number | string>(), incomplete: null };

describe("gates as texts", () => {
  it.each([
    [
      "success >= 0.8",
      { metric: "success", variant: null, group: null, kind: "estimate", op: ">=", bound: 0.8 },
    ],
    ["cost_usd<0.02", { metric: "cost_usd", kind: "estimate", op: "<", bound: 0.02 }],
    ["  pass^4(tone)   surely >  .5 ", { metric: "pass^4(tone)", kind: "surely", op: ">", bound: 0.5 }],
    [
      "success/gpt-4o-mini[topic=even] > 0.5",
      { metric: "success", variant: "gpt-4o-mini", group: { field: "topic", value: "even" }, bound: 0.5 },
    ],
    ["success/model=a,style=short >= 1e-1", { variant: "model=a,style=short", bound: 0.1 }],
    ["success not_below baseline by 0.05", { metric: "success", kind: "not_below", margin: 0.05 }],
    ["cost_usd not_above baseline by 0.01", { metric: "cost_usd", kind: "not_above", margin: 0.01 }],
  ])("%s", (text, parts) => expect(gate(text)).toMatchObject(parts));

  it.each([
    "",
    "success",
    "success >= many",
    "success => 1",
    ">= 1",
    "success not_below baseline",
    "success not_below baseline by -1",
    "pass@0 >= 1",
    "a b >= 1",
  ])("`%s` is refused", (text) => expect(() => gate(text)).toThrow(ScriptError));
});

describe("gates", () => {
  it.each([
    ["success >= 0.85", "pass"],
    ["success > 0.85", "fail"],
    ["success < 0.9", "pass"],
    ["success surely >= 0.6", "pass"],
    ["success surely >= 0.8", "unclear"],
    ["success surely >= 0.96", "fail"],
    ["success surely <= 0.5", "fail"],
    ["missing >= 0.5", "unclear"],
    ["success/other >= 0.5", "unclear"],
    ["success[topic=x] >= 0.5", "unclear"],
    ["success not_below baseline by 0.05", "unclear"],
    ["kappa(is) >= 0.6", "fail"],
  ])("%s: %s", (text, verdict) => expect(judgeGate(gate(text), shares(17, 20), none).verdict).toBe(verdict));

  it("agreement with people counts while rubric and model are those that were labelled", () => {
    const agreements = new Map<string, number | string>([
      ["is", 0.7],
      ["old", "the rubric changed since the labels were given"],
    ]);
    expect(judgeGate(gate("kappa(is) >= 0.6"), shares(1, 2), { ...none, agreements })).toMatchObject({
      verdict: "pass",
      value: 0.7,
    });
    expect(judgeGate(gate("kappa(old) >= 0.6"), shares(1, 2), { ...none, agreements })).toMatchObject({
      verdict: "fail",
      why: "the rubric changed since the labels were given",
    });
  });

  it("a variant may be named as the summary calls it", () => {
    const task = taskOf([...epochsOf([[1], [1]], "model=small"), ...epochsOf([[0], [0]], "model=large")], {
      variants: variantsOf("model=small", "model=large"),
    });
    const value = (text: string) => judgeGate(gate(text), task, none).value;
    expect(value("success/small >= 0.5")).toBe(1);
    expect(value("success/large >= 0.5")).toBe(0);
    expect(value("success/model=large >= 0.5")).toBe(0);
    expect(judgeGate(gate("success/medium >= 0.5"), task, none)).toMatchObject({
      verdict: "unclear",
      why: "there is no variant `medium`; there are model=small, model=large",
    });
  });

  it("a set against itself never fails", () => {
    for (const passed of [0, 3, 10, 20]) {
      const task = shares(passed, 20);
      for (const margin of [0, 0.05, 0.5]) {
        const found = judgeGate(gate(`success not_below baseline by ${margin}`), task, {
          ...none,
          baseline: task,
        });
        expect(found.verdict, `${passed} of 20, ${margin}`).not.toBe("fail");
      }
    }
  });

  it("0.2 less on 60 samples fails", () => {
    const found = judgeGate(gate("success not_below baseline by 0.05"), shares(42, 60), {
      ...none,
      baseline: shares(54, 60),
    });
    expect(found).toMatchObject({ verdict: "fail", isDifference: true });
    expect(found.value).toBeCloseTo(-0.2, 12);
    expect(found.high).toBeLessThan(0);
  });

  it("costs that grow fail `not_above`", () => {
    const costing = (of: (at: number) => number): RecordedTask =>
      taskOf(
        epochsOf(Array.from({ length: 10 }, () => [1])).map((trial, at) => ({ ...trial, costUsd: of(at) })),
      );
    const verdict = (text: string, of: (at: number) => number) =>
      judgeGate(gate(text), costing(of), { ...none, baseline: shares(10, 10) });
    const dear = (at: number): number => 0.05 + 0.001 * (at % 3);
    expect(verdict("cost_usd not_above baseline by 0.01", dear).verdict).toBe("fail");
    expect(verdict("cost_usd not_above baseline by 0.05", dear).verdict).toBe("pass");
    expect(verdict("cost_usd not_above baseline by 0.05", () => 0.05)).toMatchObject({
      verdict: "unclear",
      low: null,
      why: "all samples differ by the same, which does not tell how others would",
    });
  });

  it("equal clusters, and equal epochs, are no certainty", () => {
    const clustered = (clusters: number, values: number[]): RecordedTask => {
      const task = taskOf(epochsOf(values.map((value) => [value])));
      return {
        ...task,
        samples: task.samples.map((sample, at) => ({ ...sample, cluster: `c${at % clusters}` })),
      };
    };
    const ones = Array.from({ length: 5 }, () => 1);
    const five = clustered(2, ones);
    const found = judgeGate(gate("success not_below baseline by 0.05"), five, { ...none, baseline: five });
    expect(found).toMatchObject({ verdict: "unclear", value: 0 });
    expect(found.low).toBeCloseTo(-0.574969, 6);
    const uneven = taskOf(
      epochsOf([
        [1, 1, 1],
        [1, 1],
        [1, 1, 1],
        [1, 1, 1],
        [0, 0, 1],
      ]),
    );
    const same = judgeGate(gate("success not_below baseline by 0.05"), uneven, { ...none, baseline: uneven });
    expect(same).toMatchObject({ verdict: "unclear", value: 0 });
    const [compared] = compareSets(setOf([uneven]), { ...setOf([uneven]), name: "other" }, { margin: 0.05 });
    expect(compared?.conclusion).toBe("not shown");
    const many = clustered(
      80,
      Array.from({ length: 80 }, () => 1),
    );
    expect(
      judgeGate(gate("success not_below baseline by 0.05"), many, { ...none, baseline: many }).verdict,
    ).toBe("pass");
  });

  it("an unclear one says how many samples more would tell", () => {
    const found = judgeGate(gate("success surely >= 0.8"), shares(17, 20), none);
    // se of 17 of 20 is 0.0819: 20 · (1.96 · 0.0819 / 0.05)² = 207 less the 20 there are.
    expect(found).toMatchObject({ verdict: "unclear", samplesMore: 187 });
  });

  it("decides nothing while the set is not complete", () => {
    const found = judgeGate(gate("success >= 0.5"), shares(20, 20), {
      ...none,
      incomplete: "2 trials errored",
    });
    expect(found).toMatchObject({ verdict: "unclear", value: 1, why: "2 trials errored" });
  });
});

describe("exit codes", () => {
  const gates = [{ ...judgeGate(gate("success >= 2"), shares(1, 2), none) }];
  const unclear = [judgeGate(gate("success not_below baseline by 0.1"), shares(1, 2), none)];
  it.each([
    [
      "incomplete before a failed gate",
      { isComplete: false, isWaiting: false, gates, strict: false },
      "incomplete",
    ],
    ["waiting before a failed gate", { isComplete: false, isWaiting: true, gates, strict: false }, "waiting"],
    ["a failed gate", { isComplete: true, isWaiting: false, gates, strict: false }, "failed"],
    ["an unclear gate", { isComplete: true, isWaiting: false, gates: unclear, strict: false }, "ok"],
    [
      "an unclear gate, strictly",
      { isComplete: true, isWaiting: false, gates: unclear, strict: true },
      "failed",
    ],
    ["all well", { isComplete: true, isWaiting: false, gates: [], strict: true }, "ok"],
  ] as const)("%s", (_what, end, exit) => expect(setExit(end)).toBe(exit));
});
