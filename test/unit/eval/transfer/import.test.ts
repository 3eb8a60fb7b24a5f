import { describe, expect, it } from "vitest";
import {
  ImportProblem,
  importedInspectLog,
  parseInspectJson,
  setAsLines,
  trialsOfLines,
  trialsOfPromptfoo,
  trialsOfTable,
} from "../../../../src/eval/report/index.ts";
import type { Json } from "../../../../src/values/index.ts";
import { epochsOf, setOf, taskOf } from "../../../support/eval-set.ts";

describe("rows of scores", () => {
  it("as lines and as a table", () => {
    const lines =
      '{"sample":"a","epoch":2,"variant":"x","cluster":"k","is":1,"tone":0.5}\n\n{"sample":7,"is":false}\n';
    expect(trialsOfLines(lines)).toMatchObject([
      {
        sample: "a",
        epoch: 2,
        variant: "x",
        cluster: "k",
        scores: [
          { scorer: "is", value: 1, pass: true },
          { scorer: "tone", value: 0.5, pass: false },
        ],
      },
      {
        sample: "7",
        epoch: 1,
        variant: "default",
        cluster: null,
        scores: [{ scorer: "is", value: 0, pass: false }],
      },
    ]);
    expect(
      trialsOfTable([
        ["sample", "epoch", "is"],
        ["a", "1", "1"],
        ["a", "2", ""],
      ]),
    ).toMatchObject([
      { sample: "a", epoch: 1, scores: [{ value: 1 }] },
      { sample: "a", epoch: 2, scores: [] },
    ]);
  });

  it("come back as they went out", () => {
    const out = setAsLines(
      setOf([
        taskOf(
          epochsOf([
            [1, 0],
            [null, 1],
          ]),
          { epochs: 2 },
        ),
      ]),
    );
    expect(trialsOfLines(out).map(({ sample, epoch, scores }) => [sample, epoch, scores[0]?.value])).toEqual([
      ["s1", 1, 1],
      ["s1", 2, 0],
      ["s2", 1, null],
      ["s2", 2, 1],
    ]);
  });

  it.each([
    ["", "no rows"],
    ["{", "line 1: it is not JSON"],
    ["[1]", "line 1: expected"],
    ['{"is":1}', "no `sample`"],
    ['{"sample":"a","epoch":0}', "`epoch`"],
    ['{"sample":"a","is":"good"}', "`is`: expected a number"],
    ['{"sample":"a"}\n{"sample":"a"}', "occurs twice"],
  ])("%j is refused", (text, why) => {
    expect(() => trialsOfLines(text)).toThrow(ImportProblem);
    expect(() => trialsOfLines(text)).toThrow(why);
  });
});

describe("a log of Inspect AI", () => {
  const sample = (more: { [name: string]: Json }): Json => ({
    id: "q1",
    epoch: 1,
    input: "2 + 2?",
    target: "4",
    output: { completion: "attachment://ab" },
    attachments: { ab: "four" },
    messages: [],
    ...more,
  });
  const header: Json = { eval: { task: "sums/easy", model: "openai/gpt-4o" } };

  it("has samples, answers, scores and errors", () => {
    const scores = {
      match: { value: "C", explanation: "as it should" },
      half: { value: "P" },
      odd: { value: "constructor" },
      parts: { value: { a: 1, b: 0 } },
      none: { value: null },
    };
    const log = importedInspectLog(header, [
      sample({ scores }),
      sample({ epoch: 2, error: { message: "timeout" }, scores }),
    ]);
    expect(log.task).toBe("sums_easy");
    expect(log.rows[0]).toMatchObject({
      sample: "q1",
      variant: "model=openai/gpt-4o",
      text: "four",
      body: { input: "2 + 2?", target: "4" },
    });
    expect(log.rows[0]?.scores.map(({ scorer, value, pass, label }) => [scorer, value, pass, label])).toEqual(
      [
        ["match", 1, true, null],
        ["half", 0.5, false, null],
        ["odd", null, null, "constructor"],
        ["parts.a", 1, true, null],
        ["parts.b", 0, false, null],
        ["none", null, null, null],
      ],
    );
    expect(log.rows[1]).toMatchObject({ error: "timeout", scores: [] });
  });

  it("may hold the bare words NaN and Infinity, which texts keep", () => {
    expect(parseInspectJson('{"a": NaN, "b": [-Infinity, "NaN \\" Infinity"]}')).toEqual({
      a: null,
      b: [null, 'NaN " Infinity'],
    });
    expect(() => parseInspectJson("{nope")).toThrow(ImportProblem);
  });

  it("without samples, or with one that has no id, is refused", () => {
    expect(() => importedInspectLog(header, [])).toThrow("no samples");
    expect(() => importedInspectLog(header, [{ epoch: 1 }])).toThrow("sample 1 has no id");
  });
});

describe("results of promptfoo", () => {
  const result = (more: { [name: string]: Json }): Json => ({
    testIdx: 0,
    promptIdx: 1,
    provider: { id: "openai:gpt-4o" },
    vars: { q: "2+2" },
    response: { output: "4", tokenUsage: { prompt: 5, completion: 1 } },
    success: true,
    score: 1,
    ...more,
  });

  it("have a sample for each test, a variant for provider and prompt, epochs by repetition", () => {
    const trials = trialsOfPromptfoo({
      results: {
        version: 3,
        results: [
          result({
            namedScores: { tone: 0.5 },
            gradingResult: {
              reason: "fine",
              componentResults: [{ pass: true, score: 1, reason: "has 4", assertion: { type: "contains" } }],
            },
          }),
          result({ success: false, score: 0 }),
          result({ testIdx: 1, failureReason: 2, error: "429" }),
          result({ testIdx: 2, gradingResult: { metadata: { graderError: true } } }),
        ],
      },
    });
    expect(trials.map(({ sample, epoch, variant, error }) => [sample, epoch, variant, error])).toEqual([
      ["t0", 1, "provider=openai:gpt-4o,prompt=1", null],
      ["t0", 2, "provider=openai:gpt-4o,prompt=1", null],
      ["t1", 1, "provider=openai:gpt-4o,prompt=1", "429"],
      ["t2", 1, "provider=openai:gpt-4o,prompt=1", null],
    ]);
    expect(trials[0]?.scores.map(({ scorer, value, pass }) => [scorer, value, pass])).toEqual([
      ["success", 1, true],
      ["score", 1, true],
      ["tone", 0.5, false],
      ["contains_1", 1, true],
    ]);
    expect(trials[2]?.scores).toEqual([]);
    expect(trials[3]?.scores[0]).toMatchObject({ scorer: "success", value: null, pass: null });
  });

  it.each([
    [null],
    [{ results: { version: 2, results: [] } }],
    [{ results: { version: 3, results: [] } }],
    [{ results: { version: 3, results: [1] } }],
    [{ results: { version: 3, results: [{ success: "yes" }] } }],
  ])("%j is refused", (json) => {
    expect(() => trialsOfPromptfoo(json as Json)).toThrow(ImportProblem);
  });
});
