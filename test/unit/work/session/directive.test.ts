/** The directive in an answer: found wherever models put it, read as far as it can be. */
import { describe, expect, it } from "vitest";
import { parseDirective } from "../../../../src/work/session/run/directive.ts";
import { splitDirective } from "../../../../src/work/session/run/directive-block.ts";

const fence = "```";
const read = (answer: string) =>
  parseDirective(splitDirective(answer), {
    now: Date.UTC(2026, 0, 1),
    run: 3,
    checkUse: ({ name }) => (name === "known" ? undefined : `no ${name}`),
  });

describe("splitDirective", () => {
  it.each([
    ["nothing", "Hello.", "Hello.", undefined],
    ["a block at the end", `Hello.\n\n${fence}directive\n{}\n${fence}`, "Hello.", "{}"],
    [
      "none with text behind it",
      `A\n${fence}directive\n{}\n${fence}\nB`,
      `A\n${fence}directive\n{}\n${fence}\nB`,
      undefined,
    ],
    [
      "none that is quoted in another block",
      `A\n${fence}md\n${fence}directive\n{}\n${fence}\n${fence}`,
      `A\n${fence}md\n${fence}directive\n{}\n${fence}\n${fence}`,
      undefined,
    ],
    [
      "what claims to be done behind it",
      `A\n${fence}directive\n{}\n${fence}\n\n<done>##DONE##</done>\n##DONE##\n`,
      "A\n\n<done>##DONE##</done>\n##DONE##",
      "{}",
    ],
    ["a longer fence", `A\n${fence}\`directive\n${fence}\n${fence}\`\n`, "A", fence],
    ["tildes, blanks, another word", "A\n~~~ Loop-Directive \n{}\n~~~", "A", "{}"],
    ["Windows line ends", `A\r\n${fence}directive\r\n{}\r\n${fence}\r\n`, "A", "{}\r"],
    [
      "a tag behind it",
      `<user_response>A\n${fence}directive\n{}\n${fence}</user_response>`,
      "<user_response>A",
      "{}",
    ],
    ["no end", `A\n${fence}directive\n{"a": 1`, "A", '{"a": 1'],
    [
      "the last of two",
      `${fence}directive\n1\n${fence}\nA\n${fence}directive\n2\n${fence}`,
      `${fence}directive\n1\n${fence}\nA`,
      "2",
    ],
    ["an unmarked one", `A\n${fence}json\n{"next": "sleep"}\n${fence}\n\n`, "A", '{"next": "sleep"}'],
    [
      "other JSON",
      `A\n${fence}json\n{"price": 1}\n${fence}`,
      `A\n${fence}json\n{"price": 1}\n${fence}`,
      undefined,
    ],
    ["other code", `A\n${fence}js\nnext\n${fence}`, `A\n${fence}js\nnext\n${fence}`, undefined],
    ["an empty answer", "", "", undefined],
    ["only fences", `${fence}\n${fence}`, `${fence}\n${fence}`, undefined],
  ])("finds %s", (_what, answer, text, block) => {
    expect(splitDirective(answer)).toMatchObject({ text, block });
  });

  it("takes no longer than the answer is long", () => {
    const many = `${fence}directive\n`.repeat(50_000);
    expect(splitDirective(many).text).toBe("");
    expect(splitDirective(`${fence}\n`.repeat(50_001)).block).toBe(undefined);
  });
});

describe("readDirective", () => {
  const block = (json: string) => read(`A\n${fence}directive\n${json}\n${fence}`);

  it("reads every key, in either spelling", () => {
    const { directive, problems } = block(
      JSON.stringify({
        summary: " s ",
        next: "continue",
        queued_wakes: [{ after: "1h30m", reason: "r" }],
        learnings: ["l", { text: "m", promote: true }],
        custom_tool: { name: "known" },
      }),
    );
    expect(problems).toEqual([]);
    expect(directive).toEqual({
      summary: "s",
      next: "continue",
      wakes: [{ key: "run-3-1", due: Date.UTC(2026, 0, 1) + 5_400_000, reason: "r" }],
      learnings: [
        { text: "l", promote: false },
        { text: "m", promote: true },
      ],
      uses: [{ name: "known", input: {} }],
    });
  });

  it.each([
    ["", /it is empty/],
    ["{", /it is no JSON/],
    ["nil", /it is no JSON/],
    ["[]", /one JSON object/],
    ["null", /one JSON object/],
    ['{"__proto__": {"next": "continue"}}', /no key `__proto__`/],
    ['{"constructor": 1}', /no key `constructor`/],
    ['{"next": 1}', /`next` must be/],
    [`{"summary": "${"x".repeat(16_001)}"}`, /16001 characters; at most 16000/],
    [`{"summary": "${"x".repeat(250_000)}"}`, /too long/],
    ['{"customTool": {"name": "other"}}', /no other/],
    ['{"queuedWakes": [{"after": "1e99d", "reason": "r"}]}', /`after` must be/],
    ['{"queuedWakes": [{"after": "999999999999d", "reason": "r"}]}', /more than a year/],
    ['{"queuedWakes": [{"after": "0s", "reason": "r"}]}', /not in the future/],
    ['{"queuedWakes": [{"after": "1..5h", "reason": "r"}]}', /`after` must be/],
    [`{"queuedWakes": [{"after": "1h", "reason": "${"r".repeat(501)}"}]}`, /at most 500/],
    [`${"[".repeat(5000)}${"]".repeat(5000)}`, /one JSON object/],
  ])("says what is wrong with %.60s", (json, problem) => {
    const { directive, problems } = block(json);
    expect(problems.join("\n")).toMatch(problem);
    expect(directive).toMatchObject({ next: "sleep", wakes: [], uses: [] });
  });

  it("takes the first of too many, and one wake a key", () => {
    const wakes = Array.from({ length: 9 }, (_, at) => ({ after: "1h", reason: "r", key: `k${at % 3}` }));
    const { directive, problems } = block(
      JSON.stringify({ queuedWakes: wakes, learnings: Array(11).fill("l") }),
    );
    expect(directive.wakes.map(({ key }) => key)).toEqual(["k0", "k1", "k2"]);
    expect(directive.learnings).toHaveLength(10);
    expect(problems).toEqual([
      "`queuedWakes` has 9 entries; the first 8 are taken",
      "`learnings` has 11 entries; the first 10 are taken",
    ]);
  });
});
