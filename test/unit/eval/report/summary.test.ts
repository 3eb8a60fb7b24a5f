import { describe, expect, it } from "vitest";
import { type Gate, parseGate } from "../../../../src/eval/index.ts";
import {
  failureGroups,
  failuresText,
  githubAnnotations,
  type RecordedSet,
  reportOf,
  setAsCsv,
  setAsJson,
  setAsJunit,
  setAsMarkdown,
  summaryText,
} from "../../../../src/eval/report/index.ts";
import { epochsOf, scoreOf, setOf, taskOf, trialOf, variantsOf } from "../../../support/eval-set.ts";

const gates = (...texts: string[]): Gate[] =>
  texts.map((text) => parseGate("refunds", text, ["is", "world_is", "judge"]));

/** 10 samples, 2 models, 2 epochs; gpt fails more, one errored, one with a fault of its user. */
function refunds(): RecordedSet {
  const rows = (misses: readonly number[]): (number | string)[][] =>
    Array.from({ length: 10 }, (_, at) => [misses.includes(at) ? 0 : 1, misses.includes(at + 10) ? 0 : 1]);
  const gpt = rows([0, 3, 10]);
  (gpt[9] as (number | string)[])[1] = "openai answered 500";
  const trials = [
    ...epochsOf(gpt, "model=gpt-4o-mini"),
    ...epochsOf(rows([4]), "model=claude-haiku-4-5"),
  ].map((trial) => {
    const failed = trial.scores[0]?.pass === false;
    return {
      ...trial,
      blame: failed ? (trial.sample === "s1" ? ("user" as const) : ("agent" as const)) : null,
      faults:
        trial.sample === "s1" && failed
          ? [{ kind: "invented", severity: "hindered" as const, turn: 2, evidence: "Z99" }]
          : [],
      scores: trial.scores.flatMap((score) => [
        {
          ...score,
          scorer: "world_is",
          why: failed ? 'orders.A17.status: expected "refunded", got "delivered"' : null,
        },
        scoreOf("judge", failed ? 0.5 : 1),
      ]),
    };
  });
  const task = taskOf(trials, {
    name: "refunds",
    epochs: 2,
    scorers: [
      { name: "world_is", threshold: 1, needs: [] },
      { name: "judge", threshold: null, needs: ["model"] },
    ],
    success: ["world_is"],
    variants: variantsOf("model=gpt-4o-mini", "model=claude-haiku-4-5"),
    gates: gates("success >= 0.80", "success not_below baseline by 0.05"),
  });
  return setOf([task]);
}

const complete = (): RecordedSet => {
  const set = refunds();
  const [task] = set.tasks;
  if (task === undefined) throw new Error("no task");
  return { ...set, tasks: [{ ...task, trials: task.trials.filter(({ state }) => state === "done") }] };
};

describe("the summary of a set", () => {
  it("with errored trials, faults and blame", () =>
    expect(summaryText(reportOf(refunds()))).toMatchInlineSnapshot(`
      "eval-20261122-145648-ee174955   refunds   10 samples × 2 variants × 2 epochs   39 of 40 trials   $4.31   7 min 12 s
                           success                pass^2                          world_is  judge  $/trial
      gpt-4o-mini          0.850 [0.512, 0.968]   0.778 [0.382, 0.952] (1 short)  0.850     0.925  0.0100
      claude-haiku-4-5     0.950 [0.716, 0.993]   0.900 [0.523, 0.987]            0.950     0.975  0.0100
        difference +0.100 [-0.182, +0.382], p 0.750: not shown (would find ±0.349)
      1 errored: 0.800 to 0.850 · 2 with a user fault (without them 0.944, 0.950) · failed: user 2, agent 2
        error of 1 trial (provider): openai answered 500
      gate success >= 0.80  unclear 0.900 [0.711, 0.971]; the set is not complete: 1 trial errored
      gate success not_below baseline by 0.05  unclear: there is no baseline; name one with \`baseline\` or --baseline
      not complete: harn eval resume last runs what errored again
      receipt 9abb72e8…   harn eval show last:model=gpt-4o-mini/s1.1
      "
    `));
  it("of one variant and one epoch", () => {
    const set = setOf(
      [taskOf(epochsOf([[1], [0], [1]]), { name: "capitals", gates: gates("success surely >= 0.6") })],
      { costUsd: 0.003 },
    );
    expect(summaryText(reportOf(set))).toMatchInlineSnapshot(`
      "eval-20261122-145648-ee174955   capitals   3 samples   $0.0030   7 min 12 s
                  success                is     $/trial
      default     0.667 [0.208, 0.939]   0.667  0.0100
      gate success surely >= 0.6  unclear 0.667 [0.208, 0.939]; about 286 samples more would tell
      receipt 9abb72e8…   harn eval show last:s2.1
      "
    `);
  });
  it("of a set that paused, with trials that wait", () => {
    const trials = [trialOf("a", 1, 1), trialOf("b", 1, null, { state: "paused", scores: [] })];
    const set = setOf([taskOf(trials, { gates: gates("success >= 0.5") })], {
      state: "paused",
      why: "budget",
      ended: null,
      receipt: null,
    });
    expect(summaryText(reportOf(set))).toMatchInlineSnapshot(`
      "eval-20261122-145648-ee174955   sums   2 samples   1 of 2 trials   $4.31
                  success                is     $/trial
      default     1.000 [0.207, 1.000]   1.000  0.0100
      gate success >= 0.5  unclear 1.000 [0.207, 1.000]; the set is not complete: 1 trial is missing
      paused: budget; harn eval resume last goes on
      "
    `);
  });
  it("of many scorers goes on in a second table", () => {
    const names = Array.from({ length: 12 }, (_, at) => `a_scorer_number_${at + 1}`);
    const trials = [trialOf("a", 1, 1, { scores: names.map((name) => scoreOf(name, 1)) })];
    const set = setOf([
      taskOf(trials, { scorers: names.map((name) => ({ name, threshold: 1, needs: [] })), success: names }),
    ]);
    expect(summaryText(reportOf(set))).toMatchInlineSnapshot(`
      "eval-20261122-145648-ee174955   sums   1 sample   $4.31   7 min 12 s
                  success                a_scorer_number_1  a_scorer_number_2  a_scorer_number_3
      default     1.000 [0.207, 1.000]   1.000              1.000              1.000
                  a_scorer_number_4   a_scorer_number_5  a_scorer_number_6  a_scorer_number_7
      default     1.000               1.000              1.000              1.000
                  a_scorer_number_8   a_scorer_number_9  a_scorer_number_10  a_scorer_number_11
      default     1.000               1.000              1.000               1.000
                  a_scorer_number_12   $/trial
      default     1.000                0.0100
      receipt 9abb72e8…
      "
    `);
    for (const line of summaryText(reportOf(set)).split("\n")) expect(line.length).toBeLessThanOrEqual(110);
  });
  it("names from outside can't steer a terminal", () => {
    const evil = "a\u001b[31m\u202eb\nc";
    const set = setOf(
      [taskOf([trialOf(evil, 1, 0, { variant: evil })], { name: "t", variants: variantsOf(evil) })],
      { name: evil },
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those must not be there.
    expect(summaryText(reportOf(set))).not.toMatch(/[\u001b\u202e]/);
  });
});

describe("forms of a set", () => {
  it("JSON", async () => {
    await expect(`${JSON.stringify(setAsJson(reportOf(complete())), undefined, 2)}\n`).toMatchFileSnapshot(
      "forms/refunds.json.txt",
    );
  });
  it("JUnit", async () => {
    await expect(setAsJunit(reportOf(refunds()))).toMatchFileSnapshot("forms/refunds.xml");
  });
  it("Markdown", async () => {
    await expect(setAsMarkdown(reportOf(refunds()))).toMatchFileSnapshot("forms/refunds.md");
  });
  it("CSV", async () => {
    await expect(setAsCsv(refunds())).toMatchFileSnapshot("forms/refunds.csv");
  });
  it("lines for GitHub", () => {
    expect(githubAnnotations(reportOf(complete()), false)).toMatchInlineSnapshot(`
      [
        "::warning title=gate of refunds::success not_below baseline by 0.05: unclear: there is no baseline; name one with \`baseline\` or --baseline",
      ]
    `);
    expect(githubAnnotations(reportOf(complete()), true)[0]).toMatch(/^::error /);
  });
  it("nothing of a trial is markup in them", () => {
    const evil = "]]></x><script>alert(1)</script>|`](x) ::error::\n\u0000%0A";
    const trials = [
      trialOf(evil, 1, 0, { scores: [scoreOf("is", 0, { why: evil })] }),
      trialOf("b", 1, evil),
    ];
    const report = reportOf(setOf([taskOf(trials, { gates: gates("success >= 2") })], { state: "done" }));
    const junit = setAsJunit(report);
    expect(junit).not.toContain("<script>");
    expect(junit).not.toContain("\u0000");
    const tables = setAsMarkdown(report).split("```\n").at(-1) as string;
    expect(tables).not.toContain("<script>");
    expect(tables).not.toContain("](");
    for (const line of githubAnnotations(report, true)) expect(line).not.toContain("\n");
  });
});

describe("failures", () => {
  it("are grouped by what they have in common, the largest first", () => {
    expect(failuresText(failureGroups(refunds()))).toMatchInlineSnapshot(`
      "2 trials  blame user · failed world_is
            harn eval show eval-20261122-145648-ee174955:refunds/model=gpt-4o-mini/s1.1
            orders.A17.status: expected "refunded", got "delivered"
      2 trials  blame agent · failed world_is
            harn eval show eval-20261122-145648-ee174955:refunds/model=gpt-4o-mini/s4.1
            orders.A17.status: expected "refunded", got "delivered"
      1 trial  provider
            harn eval show eval-20261122-145648-ee174955:refunds/model=gpt-4o-mini/s10.2
            openai answered 500
      "
    `);
  });
  it("may be none", () =>
    expect(failuresText(failureGroups(setOf([taskOf(epochsOf([[1]]))])))).toBe("no trial failed\n"));
});
