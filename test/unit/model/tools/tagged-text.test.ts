import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTaggedText } from "../../../../src/model/tools/tagged-text.ts";
import { createVisibleStream } from "../../../../src/model/tools/visible-stream.ts";
import { cleanVisibleText } from "../../../../src/model/tools/visible-text.ts";

const parse = (text: string) => parseTaggedText(text, { toolNames: ["read", "write"] });
const calls = (text: string) => parse(text).calls.map(({ name, arguments: args }) => [name, args]);
const one = (literal: string) => parse(`<tool_call>read(${literal})</tool_call>`);

describe("well-formed answers (agents.md §7.2)", () => {
  it("reads blocks in order", () => {
    const answer = parse(
      '<assistant_prose>Looking.</assistant_prose>\n<tool_call>read({ path: "a.txt" })</tool_call>\n<tool_call>write({ path: "b" })</tool_call>\n<done>##DONE##</done>',
    );
    expect(answer.calls).toEqual([
      { id: "tc_0", name: "read", arguments: { path: "a.txt" }, rawArguments: '{"path":"a.txt"}' },
      { id: "tc_1", name: "write", arguments: { path: "b" }, rawArguments: '{"path":"b"}' },
    ]);
    expect(answer).toMatchObject({ prose: "Looking.", doneMarker: "##DONE##", errors: [], violations: [] });
    expect(answer.canonical).toBe(
      '<assistant_prose>Looking.</assistant_prose>\n<tool_call>\nread({\n  "path": "a.txt"\n})\n</tool_call>\n<tool_call>\nwrite({\n  "path": "b"\n})\n</tool_call>\n<done>##DONE##</done>',
    );
  });

  it("joins several responses by a blank line and prefers them to prose", () => {
    const answer = parse(
      "<assistant_prose>x</assistant_prose><user_response>a</user_response><userresponse>b</userresponse>",
    );
    expect(answer.prose).toBe("a\n\nb");
    expect(answer.visibleText).toBe("x\n\na\n\nb");
  });

  it("re-reads its own canonical text to the same calls", () => {
    const first = parse("<tool_call>read({a: 'x\\ny', b: [1, 2.5,], c: {d: null}})</tool_call> and more");
    const again = parse(first.canonical);
    expect(again.calls).toEqual(first.calls);
    expect(again.canonical).toBe(first.canonical);
  });
});

describe("argument literals", () => {
  it.each([
    ["{}", {}],
    ["{ a: 1, 'b': 2, \"c\": 3, `d`: 4 }", { a: 1, b: 2, c: 3, d: 4 }],
    ["{a: 'it\\'s', b: \"q\\\"\", c: `t ${x}`}", { a: "it's", b: 'q"', c: "t ${x}" }],
    ["{a: [1, 2, 3,], b: {c: true,},}", { a: [1, 2, 3], b: { c: true } }],
    ["{a: undefined, b: None, c: True, d: nil}", { a: null, b: null, c: true, d: null }],
    ["{a: -1.5e3, b: .5, c: 5., d: 0x1F, e: +7, f: 1_000}", { a: -1500, b: 0.5, c: 5, d: 31, e: 7, f: 1000 }],
    ["{ // first\n a: 1, /* second */ b: 2 }", { a: 1, b: 2 }],
    ['{"__proto__": {"x": 1}}', JSON.parse('{"__proto__": {"x": 1}}')],
    ["{content-type: 'x'}", { "content-type": "x" }],
    ["{a: '\\u00e4\\x41\\u{1F600}'}", { a: "äA😀" }],
    ["{a: 'line one\nline two'}", { a: "line one\nline two" }],
  ])("%s", (literal, value) => {
    expect(one(literal).errors).toEqual([]);
    expect(one(literal).calls[0]?.arguments).toEqual(value);
  });

  it("keeps heredocs verbatim", () => {
    const text = "{ path: 'f', body: <<END\n  \"x\" </tool_call> \\n\n\n  ENDING\nEND\n, last: 1 }";
    expect(one(text).calls[0]?.arguments).toEqual({
      path: "f",
      body: '  "x" </tool_call> \\n\n\n  ENDING',
      last: 1,
    });
    expect(one("{a: <<E\nE\n}").calls[0]?.arguments).toEqual({ a: "" });
    expect(one("{a: <<E\r\nx\r\nE\r\n}").calls[0]?.arguments).toEqual({ a: "x" });
  });

  it("keeps the form of numbers in the raw text", () => {
    expect(one("{a: 5.0, b: 12345678901234567890}").calls[0]?.rawArguments).toBe(
      '{"a":5.0,"b":12345678901234567890}',
    );
  });

  it.each([
    ['{a: "x}', "unterminated string literal"],
    ["{a: <<E\nx\n}", "unterminated heredoc <<E"],
    ["{a: word}", "unexpected word `word`; strings need quotes"],
    ["{a 1}", "expected `:` after a key"],
    ["{a: 1 b: 2}", "expected `,` or `}`"],
    ["{a: 1.2.3}", "invalid number"],
    [`{a: ${"[".repeat(300)}${"]".repeat(300)}}`, "nested deeper than 200"],
  ])("%s is told", (literal, reason) => {
    const [error] = one(literal).errors;
    expect(error).toContain("TOOL CALL PARSE ERROR: `read(...)` — ");
    expect(error).toContain(reason);
  });
});

describe("recovery", () => {
  it.each([
    ['{"name": "read", "arguments": {"a": 1}}'],
    ['{"name": "read", "args": {"a": 1}}'],
    ['{"name": "read", "parameters": "{\\"a\\": 1}"}'],
    ['{"type": "function", "function": {"name": "read", "arguments": {"a": 1}}}'],
    ['```json\n{"name": "read", "arguments": {"a": 1}}\n```'],
    ["```\nread({a: 1})\n```"],
    ['<read>{"a": 1}</read>'],
    ["<function=read><parameter=a>1</parameter></function>"],
    ['<invoke name="read"><parameter name="a">1</parameter></invoke>'],
    ["<think>hm</think>read({a: 1})"],
    ["call: read({a: 1});"],
    ["Let me see. read({a: 1})"],
  ])("inside a block: %s", (body) => {
    const answer = parse(`<tool_call>${body}</tool_call>`);
    expect(answer.errors).toEqual([]);
    expect(answer.calls.map((call) => [call.name, call.arguments])).toEqual([["read", { a: 1 }]]);
  });

  it.each([
    ["read({a: 1})"],
    ["  call: read({a: 1})"],
    ["text before\nread({a: 1})\ntext behind"],
    ["```python\nread({a: 1})\n```"],
    ["<read({a: 1})>"],
    ["<function=read><parameter=a>1</parameter></function>"],
    ['<function_calls><invoke name="read"><parameter name="a">1</parameter></invoke></function_calls>'],
  ])("outside of a block, with a violation: %s", (text) => {
    expect(calls(text)).toEqual([["read", { a: 1 }]]);
    expect(parse(text).violations).toContain("read: emitted as bare text outside <tool_call> tags");
  });

  it("keeps narration as prose", () => {
    expect(parse("<tool_call>First I look. read({a: 1}) That is it.</tool_call>").prose).toBe(
      "First I look.\n\nThat is it.",
    );
  });

  it("passes over reasoning with calls in it", () => {
    expect(
      calls(
        "<think>read({a: 0}) or <tool_call>read({a: 9})</tool_call></think>\n<tool_call>read({a: 1})</tool_call>",
      ),
    ).toEqual([["read", { a: 1 }]]);
    expect(calls('<tool_call>read({a: "<think>x</think>"})</tool_call>')).toEqual([
      ["read", { a: "<think>x</think>" }],
    ]);
  });

  it("accepts a complete call in a block that is not closed", () => {
    expect(calls("<tool_call>read({a: 1})")).toEqual([["read", { a: 1 }]]);
    expect(calls("<tool_call>read({a: 1})\n<tool_call>write({b: 2})</tool_call>")).toEqual([
      ["read", { a: 1 }],
      ["write", { b: 2 }],
    ]);
  });

  it("accepts prose that is not closed at the end", () => {
    expect(parse("<user_response>All done")).toMatchObject({ prose: "All done", violations: [] });
  });

  it("ignores closing tags without their opening", () => {
    expect(parse("</tool_call></assistant_prose><user_response>x</user_response>").violations).toEqual([]);
  });
});

describe("errors and violations", () => {
  it.each([
    ["<tool_call>read({a: 'x", "TOOL CALL TRUNCATED:"],
    ["<tool_call>", "TOOL CALL TRUNCATED:"],
    ["<tool_call>nothing</tool_call>", "<tool_call> body did not contain a bare `name({ ... })` expression"],
    ["<tool_call>read()</tool_call>", "Tool 'read' must be called with an object literal argument"],
    ['<tool_call>read("a")</tool_call>', "Tool 'read' must be called with an object literal argument"],
    ["<tool_call>read({}) write({})</tool_call>", "emit one call per <tool_call> block"],
    [
      "<tool_call>rade({})</tool_call>",
      "Unknown tool 'rade'. Did you mean 'read'? Tool calls must be one of: [ledger, load_skill, read, write]",
    ],
  ])("%s", (text, error) => {
    const answer = parse(text);
    expect(answer.calls).toEqual([]);
    expect(answer.errors).toHaveLength(1);
    expect(answer.errors[0]).toContain(error);
  });

  it("keeps what can be read beside what can't", () => {
    const answer = parse("<tool_call>read({a: }</tool_call><tool_call>write({b: 1})</tool_call>");
    expect(answer.calls.map((call) => call.name)).toEqual(["write"]);
    expect(answer.errors).toHaveLength(1);
  });

  it("tells stray text, unknown tags and an empty done apart", () => {
    expect(parse("Hello.").violations).toEqual(["Stray text outside response tags"]);
    expect(parse("Hello.")).toMatchObject({
      prose: "",
      visibleText: "",
      canonical: "Hello.",
      recognised: false,
    });
    expect(parse("<answer>x</answer>").violations).toEqual([
      "Stray text outside response tags",
      "Unknown top-level tag <answer>",
    ]);
    expect(parse("<done> </done>")).toMatchObject({
      violations: ["<done> block is empty"],
      doneMarker: null,
    });
  });

  it("takes a name inside a sentence for text", () => {
    expect(parse("I would use read({a: 1}) here.")).toMatchObject({
      calls: [],
      violations: ["Stray text outside response tags"],
    });
  });

  it("lists no more than twenty errors", () => {
    const { errors } = parse("<tool_call>x</tool_call>".repeat(100));
    expect(errors).toHaveLength(21);
    expect(errors.at(-1)).toBe("… and 80 more like these");
  });
});

describe("any input", () => {
  const pieces = fc.constantFrom(
    "<tool_call>",
    "</tool_call>",
    "read(",
    "read({",
    "{",
    "}",
    ")",
    "<<A\n",
    "A\n",
    '"',
    "'",
    "`",
    "\\",
    "<think>",
    "</think>",
    "<done>",
    "</done>",
    "<user_response>",
    '<invoke name="read">',
    "</invoke>",
    "<function=read>",
    "\n",
    " ",
    "a",
    "1.",
    ":",
    ",",
    "/*",
    "//",
    "```",
    "😀",
  );

  it("never throws, and gives arguments that are objects", () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
        for (const call of parse(parts.join("")).calls)
          expect(JSON.parse(call.rawArguments)).toEqual(call.arguments);
      }),
      { numRuns: 400 },
    );
  });

  it.each([
    "<tool_call>x",
    "<tool_call><think>",
    "<read>",
    'read({a: "\n',
    "<tool_call>f({a: <<B",
    "<done>x</done>",
    '<tool_call>{"a":',
    "\n  read({a: /*",
    "<",
  ])("takes linear time on a megabyte of %j", (garbage) => {
    // Quadratic work would take hours here: the test would not end in its time.
    expect(() => parse(garbage.repeat(Math.ceil(1_000_000 / garbage.length)))).not.toThrow();
  });
});

describe("what a person sees", () => {
  it("shows prose only", () => {
    expect(
      cleanVisibleText(
        "<assistant_prose>Hi.</assistant_prose>\n<tool_call>read({})</tool_call>\n<think>no</think>\n<user_response>Done.</user_response>\n<done>##DONE##</done>",
      ),
    ).toBe("Done.");
    expect(cleanVisibleText("FIN")).toBe("FIN");
    expect(cleanVisibleText("a < b and <i>c</i>")).toBe("a < b and <i>c</i>");
  });

  // agents.md §1.2, rule by rule.
  it.each([
    ["a<think>b</think>c", "ac"],
    ["a<think>b", "a"],
    ["a\n<tool_result name='x'>\nb\n</tool_result>\nc", "a\n\nc"],
    ["a\n[result of look]\nb\n[end of look result]\nc", "a\n\nc"],
    ["the [result of the vote] is in", "the [result of the vote] is in"],
    ["see [1] and [end of line]", "see [1] and [end of line]"],
    ["Recovered. ##DONE##", "Recovered. ##DONE##"],
    ["Recovered.\n  ##DONE## \nMore.", "Recovered.\nMore."],
    ["DONE", ""],
    ["All\nPLAN_READY", "All"],
    ["NOT DONE\nDONE now\nALL_DONE", "NOT DONE\nDONE now\nALL_DONE"],
    ["x\nFIN\ny", "x\nFIN\ny"],
    [
      "<assistant_prose>a</assistant_prose>\n<user_response>b</user_response>c<user_response>d</user_response>",
      "b\n\nd",
    ],
    ["<assistant_prose>a</assistant_prose> b", "a b"],
    ["<user_response>open", "open"],
    ["a\n\n\n\nb\n", "a\n\nb"],
  ])("%j is shown as %j", (text, shown) => {
    expect(cleanVisibleText(text)).toBe(shown);
  });

  it("shows nothing of a stream that it would have to take back", () => {
    const shown = (...pieces: string[]): string[] => {
      const stream = createVisibleStream();
      return [...pieces.map((piece) => stream.push(piece)), stream.end()];
    };
    expect(shown("Work\n##DO", "NE##")).toEqual(["Work\n", "", ""]);
    expect(shown("Work\n##DO", "NE## it", "!")).toEqual(["Work\n", "##DONE## it", "!", ""]);
    expect(shown("DO", "NE")).toEqual(["", "", ""]);
    expect(shown("a [resu", "lt of x]b[end ", "of x result]c")).toEqual(["a ", "", "c", ""]);
    expect(shown("a [result of x]", "b")).toEqual(["a ", "", "[result of x]b"]);
    expect(shown("a<thi", "nk>b</thi", "nk>c")).toEqual(["a", "", "c", ""]);
    expect(shown("<user_response>a</user_response>b", "<user_response>c</user_response>")).toEqual([
      "a",
      "\n\nc",
      "",
    ]);
  });

  it.each(["[result of a]", "[result of ", "[", "\nDONE", "<tool_result x"])(
    "takes linear time on a megabyte of %j",
    (part) => {
      const text = part.repeat(1_000_000 / part.length);
      // Quadratic work would not end in the time of the test.
      expect(cleanVisibleText(text).length).toBeLessThanOrEqual(text.length);
      const stream = createVisibleStream();
      for (let at = 0; at < text.length; at += 1000) stream.push(text.slice(at, at + 1000));
      stream.end();
    },
  );

  it("is the same however the text is cut into pieces", () => {
    const text =
      "a <b> <assistant_prose>x < y</assistant_prose><tool_call>read({a: '<'})</tool_call> <done>##DONE##</done> z [1] [result of q]r\n[end of q result]\nDONE\nDONE! <tool_result a='b'>c</tool_result>[result of never] <";
    const whole = createVisibleStream();
    const expected = whole.push(text) + whole.end();
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 }), (sizes) => {
        const stream = createVisibleStream();
        let shown = "";
        let at = 0;
        for (let i = 0; at < text.length; i++) {
          const size = sizes[i % sizes.length] as number;
          shown += stream.push(text.slice(at, at + size));
          at += size;
        }
        expect(shown + stream.end()).toBe(expected);
      }),
    );
  });
});
