/** C20, C21, C22, C28: entries with ids for ever, merged as data; what is refused; what the cap takes out of the rendering. */
import { describe, expect, test } from "vitest";
import { checkSummary } from "../../../../src/agent/context/compaction/anchors.ts";
import { ladderView } from "../../../../src/agent/context/compaction/commit.ts";
import { cleanDelta, parseDelta } from "../../../../src/agent/context/compaction/delta.ts";
import { callLibrary, libraryText } from "../../../../src/agent/context/compaction/library.ts";
import { mergeSummary, type SummaryDelta } from "../../../../src/agent/context/compaction/summaries.ts";
import { exactParts, ungrounded } from "../../../../src/agent/context/exact-words.ts";
import { Conversation } from "../../../../src/model/conversation/conversation.ts";
import {
  byPerson,
  type ExactValue,
  noSummary,
  promptOrigin,
  type StructuredSummary,
} from "../../../../src/model/index.ts";
import { Float, fromJson, List, toJson } from "../../../../src/values/index.ts";
import { drivenPass, passInputFor } from "../../../support/ladder-pass.ts";
import { filler, inputOf } from "./ladder-views.ts";

const noDelta: SummaryDelta = {
  ...{ facts: [], decisions: [], open_items: [], tool_outcomes: [], artifact_refs: [] },
  ...{ supersedes: [], closes: [], current_task: "", current_plan: "" },
};

const rendered = (summary: StructuredSummary, weight: number): { text: string; shown: string[] } =>
  toJson(callLibrary("render_summary", fromJson(summary), new Float(weight))) as never;

const exactValues = (values: readonly ExactValue[], budget: number, all = false): ExactValue[] =>
  toJson(callLibrary("exact_values", new List([]), fromJson(values), budget, all)) as never;

const sources = [
  { id: "msg_1", text: 'Use port 8080 and src/a.ts, "the blue one".', trust: "user" as const },
  { id: "msg_2", text: "listening on 8080", trust: "tool" as const },
];

describe("mergeSummary", () => {
  test("adds entries, counts ids on, joins equal texts, takes the weakest trust", () => {
    const first = mergeSummary(
      null,
      { ...noDelta, facts: [{ text: "port 8080", sources: ["msg_1"] }] },
      sources,
    ).summary;
    expect(first.facts).toEqual([{ id: "F1", text: "port 8080", sources: ["msg_1"], trust: "user" }]);
    const next = mergeSummary(
      first,
      {
        ...noDelta,
        facts: [
          { text: "port  8080", sources: ["msg_2"] },
          { text: "it listens", sources: ["msg_2", "F1"] },
        ],
      },
      sources,
    ).summary;
    expect(next.facts).toEqual([
      { id: "F1", text: "port 8080", sources: ["msg_1", "msg_2"], trust: "tool" },
      { id: "F2", text: "it listens", sources: ["msg_2", "F1"], trust: "tool" },
    ]);
  });

  test.each([
    ["a number", "port 9090"],
    ["a path", "see src/b.ts"],
    ["a quotation", 'he said "the red one"'],
    ["a hash", "commit 1a2b3c4d"],
  ])("refuses what no source has: %s", (_what, text) => {
    const { summary, refused } = mergeSummary(
      null,
      { ...noDelta, facts: [{ text, sources: ["msg_1"] }] },
      sources,
    );
    expect(summary.facts).toEqual([]);
    expect(refused[0]?.why).toBe("ungrounded");
  });

  test("refuses entries without a source, and task and plan that nothing bears out", () => {
    const input = {
      ...noDelta,
      facts: [{ text: "so it is", sources: ["msg_9"] }],
      current_plan: "use port 9999",
    };
    const { summary, refused, received: count } = mergeSummary(null, input, sources);
    expect(summary.current_plan).toBe("");
    expect([refused.map(({ why }) => why), count]).toEqual([["no source", "ungrounded"], 1]);
  });

  test("newer words of a person take back what people said, and nothing else does", () => {
    const said = [
      { id: "msg_1", text: "port 8080", trust: "user" as const },
      { id: "msg_2", text: "port 9090 it is", trust: "tool" as const },
      { id: "msg_3", text: "not 8080: port 9090", trust: "user" as const },
    ];
    const takeBack = (id: string, source: string) =>
      mergeSummary(null, { ...noDelta, supersedes: [{ id, by: null, reason: "", sources: [source] }] }, said);
    expect([...takeBack("msg_1", "msg_3").revoked]).toEqual(["msg_1"]);
    expect(takeBack("msg_1", "msg_3").summary.superseded).toEqual([{ id: "msg_1", by: null, reason: "" }]);
    for (const [id, source] of [
      ["msg_1", "msg_2"],
      ["msg_3", "msg_1"],
      ["msg_2", "msg_3"],
    ] as const) {
      const { revoked, refused } = takeBack(id, source);
      expect([[...revoked], refused.map(({ why }) => why)]).toEqual([[], ["unknown id"]]);
    }
  });

  test("people's words that stay in view are shown beside what leaves", () => {
    const question = (messages: object[], people: object[]): string =>
      libraryText("entries_question", "RULES", ...[noSummary, messages, people].map(fromJson));
    const one = { id: "msg_2", role: "user", text: "one" };
    const two = { id: "msg_9", role: "user", text: "two" };
    expect(question([one], [two])).toMatch(
      /MESSAGES:\n\[msg_2 user\]\none\n\nPEOPLE:\n[\s\S]*`supersedes`[\s\S]*\n\n\[msg_9 user\]\ntwo\n$/,
    );
    expect(question([], [])).not.toContain("PEOPLE");
  });

  test("C20: seven fields, each entry whole", () => {
    const src = ["msg_1"];
    const { summary } = mergeSummary(
      null,
      {
        facts: [{ text: "port 8080", sources: src }],
        decisions: [{ text: "take it", why: "the blue one", sources: src }],
        open_items: [{ text: "ask", sources: src }],
        tool_outcomes: [
          { tool: "run", text: "no answer", ok: false, sources: src },
          { tool: "run", text: "an answer", ok: true, sources: src },
        ],
        artifact_refs: [{ ref: "src/a.ts", what: "the blue one", sources: src }],
        supersedes: [],
        closes: [],
        current_task: "Use port 8080",
        current_plan: "src/a.ts first",
      },
      sources,
    );
    expect(summary).toEqual({
      facts: [{ id: "F1", text: "port 8080", sources: src, trust: "user" }],
      decisions: [{ id: "D1", text: "take it", why: "the blue one", sources: src }],
      open_items: [{ id: "O1", text: "ask", status: "open", sources: src }],
      tool_outcomes: [
        { id: "T1", tool: "run", text: "no answer", ok: false, sources: src },
        { id: "T2", tool: "run", text: "an answer", ok: true, sources: src },
      ],
      artifact_refs: [{ id: "A1", ref: "src/a.ts", what: "the blue one", sources: src }],
      current_task: "Use port 8080",
      current_plan: "src/a.ts first",
      superseded: [],
    });
  });

  test("nothing vanishes: what is superseded or closed keeps its id and its text", () => {
    const prior = mergeSummary(
      null,
      {
        ...noDelta,
        facts: [{ text: "port 8080", sources: ["msg_1"] }],
        open_items: [{ text: "ask for the port", sources: ["msg_1"] }],
      },
      sources,
    ).summary;
    const { summary } = mergeSummary(
      prior,
      {
        ...noDelta,
        facts: [{ text: "the blue one", sources: ["msg_1"] }],
        supersedes: [
          { id: "F1", by: "the blue one", reason: "changed", sources: ["msg_2"] },
          { id: "F7", by: null, reason: "", sources: ["msg_2"] },
        ],
        closes: [{ id: "O1", sources: ["msg_2"] }],
      },
      sources,
    );
    expect(summary.facts.map(({ id }) => id)).toEqual(["F1", "F2"]);
    expect(summary.superseded).toEqual([{ id: "F1", by: "F2", reason: "changed" }]);
    expect(summary.open_items[0]).toMatchObject({ id: "O1", status: "closed" });
    const { text, shown } = rendered(summary, 10_000);
    expect(text).not.toContain("8080");
    expect([...shown]).toEqual(["O1", "F2"]);
  });
});

describe("rendering", () => {
  test("what is done now and what is planned stand in front of the sections", () => {
    const { summary } = mergeSummary(
      null,
      {
        ...noDelta,
        facts: [{ text: "the port is 8080", sources: ["msg_1"] }],
        current_task: "listen on 8080",
        current_plan: "change src/a.ts",
      },
      sources,
    );
    expect(rendered(summary, 1000).text).toBe(
      "Now: listen on 8080\nPlan: change src/a.ts\nFacts:\nF1 the port is 8080 (msg_1)",
    );
  });

  test("the cap takes outcomes first, then facts, and what people said last", () => {
    const { summary } = mergeSummary(
      null,
      {
        ...noDelta,
        facts: [
          { text: "a person said so", sources: ["msg_1"] },
          { text: "a tool said so", sources: ["msg_2"] },
        ],
        tool_outcomes: [{ tool: "run", text: "it went well", ok: true, sources: ["msg_2"] }],
      },
      sources,
    );
    expect([...rendered(summary, 1000).shown]).toEqual(["F1", "F2", "T1"]);
    expect([...rendered(summary, 150).shown]).toEqual(["F1", "F2"]);
    expect([...rendered(summary, 120).shown]).toEqual(["F1"]);
  });
});

describe("answers of summarizers", () => {
  test.each([
    [5, "the answer must be a JSON object"],
    [{ answer: 1 }, "the object must have some of: facts"],
    [{ facts: "many" }, "facts: expected list<dict>, got string"],
    [{ facts: ["x"] }, "facts[0]: expected dict, got string"],
    [{ facts: [{ text: 5 }] }, "facts[0].text: expected string, got int 5"],
    [
      { tool_outcomes: [{ tool: "t", text: "x", ok: "yes" }] },
      "tool_outcomes[0].ok: expected bool, got string",
    ],
    [{ facts: [{ text: "x", sources: "msg_1" }] }, "facts[0].sources: expected list<any>, got string"],
  ])("%j", (input, problem) => {
    const read = toJson(parseDelta(fromJson(input)));
    expect(read).toMatchObject({ ok: false, reason: expect.stringContaining(problem) });
  });

  test("control characters and tags of the runtime's wrappers are taken apart", () => {
    expect(cleanDelta("a\u0000b\n c</runtime_feedback>")).toBe("ab c</\u200bruntime_feedback>");
  });

  test("the last hundred are kept", async () => {
    const made = new Conversation("kept");
    made.task = made.append({ role: "user", content: "Do it." }, promptOrigin);
    for (let n = 0; n < 40; n++) made.append({ role: "assistant", content: filler(700, `t${n}`) });
    made.append({ role: "user", content: "go on" }, byPerson);
    const says = (): string => JSON.stringify({ facts: [{ text: "it goes on", sources: ["msg_3"] }] });
    const input = passInputFor(made, inputOf(ladderView(made), { budget: 6000 }), says, String);
    for (let n = 0; n < 100; n++) input.answers.set(`d${n}`, "x");
    const { end, calls } = await drivenPass(input, says);
    expect([end.asked, calls, input.answers.size]).toEqual(["good", 1, 100]);
    expect([input.answers.has("d0"), input.answers.has("d1")]).toEqual([false, true]);
    expect((await drivenPass(input, says)).calls).toBe(0);
  });
});

describe("anchors", () => {
  test("exact parts of what people say, none within another", () => {
    expect(
      exactParts("Use `KEY-4711` for src/out.md, at most 250 lines or 3 MB, see https://a.b/c?d=1."),
    ).toEqual(["KEY-4711", "https://a.b/c?d=1", "src/out.md", "250", "3 MB"]);
    expect(ungrounded("It has 12 lines", ["twelve  lines", "12"])).toEqual([]);
  });

  test("present, recoverable where the message is named, lost", () => {
    const anchors = [
      { rule: "entry" as const, text: "the  port", message: "F1" },
      { rule: "must" as const, text: "KEY", message: "msg_3" },
    ];
    expect(checkSummary("F1 the port KEY", anchors, 0.9)).toMatchObject({ accepted: true, missing: [] });
    expect(checkSummary("F1 the port, msg_3", anchors, 0.9)).toMatchObject({
      accepted: false,
      reason: "KEY is missing",
    });
    const tool = [{ rule: "tool" as const, text: "E42", message: "msg_4" }];
    expect(checkSummary("see msg_4", tool, 0.9).retention).toEqual({
      checked: 1,
      present: 0,
      recoverable: 1,
      lost: [],
    });
    expect(checkSummary("nothing", tool, 0.9)).toMatchObject({
      accepted: false,
      reason: "0 of 1 exact parts are kept",
    });
  });

  test("exact values: what must be stays, then the newest within 2 % of the budget", () => {
    const values = [
      { message: "msg_1", text: "MUST", must: true },
      { message: "msg_2", text: "old-old-old-old", must: false },
      { message: "msg_3", text: "new-new-new-new", must: false },
    ];
    expect(exactValues(values, 450).map(({ text }) => text)).toEqual(["MUST", "new-new-new-new"]);
    expect(exactValues(values, 20).map(({ text }) => text)).toEqual([]);
    expect(exactValues(values, 20, true).map(({ text }) => text)).toEqual(["MUST"]);
  });
});
