/** Fixture files, recordings and tapes: agents.md §2.3. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createMockState,
  createModelClient,
  emptyResponse,
  fixtureLine,
  loadFixtures,
  loadTape,
  type ModelEvent,
  type ModelRequest,
  makeModelError,
  openRecording,
  parseFixtures,
  parseTape,
  pushMock,
} from "../../../src/model/llm/index.ts";
import { type ProviderServer, startProviderServer } from "../../support/provider-server/index.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("llm-files");

const env = new Map<string, string>();
let folder: string;
beforeAll(() => {
  folder = freshFolder();
});

function request(prompt: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    provider: "anthropic",
    model: "claude-sonnet-4-6",
    messages: [{ role: "user", content: prompt }],
    ...more,
  };
}

describe("--llm-mock", () => {
  it("answers before the queue, for every provider; both spellings of arguments", async () => {
    const mock = createMockState();
    mock.fixtures = parseFixtures(
      '\uFEFF{"text":"one","tool_calls":[{"name":"f","args":{"a":1}},{"name":"g","arguments":{"b":2}}]}\r\n\n{"text":"two","match":"*two*"}\n',
      "m.jsonl",
    );
    pushMock(mock, { text: "queued" });
    const client = createModelClient({ mock, env });
    expect(await client.stream(request("x"))).toMatchObject({
      response: { text: "one", tool_calls: [{ arguments: { a: 1 } }, { arguments: { b: 2 } }] },
    });
    expect(await client.stream(request("two"))).toMatchObject({ response: { text: "two" } });
    expect(await client.stream(request("x"))).toMatchObject({ response: { text: "queued" } });
  });

  it("tells of keys that mean nothing, each once with its line and what was meant", () => {
    const told: string[] = [];
    const text = [
      '{"txet":"x"}',
      '{"txet":"y","_note":"mine","usage":{"input_tokens":1,"output_tokens":2}}',
      '{"tool_calls":[{"name":"f","argments":{}},{"name":"g","argments":{}}]}',
      '{"error":{"category":"rate_limit","retry_after":1},"speed":3}',
    ].join("\n");
    const entries = parseFixtures(text, "m.jsonl", (warning) => told.push(warning));
    expect(entries).toHaveLength(4);
    expect(told).toEqual([
      'warning: m.jsonl:1: unknown key `txet`; did you mean "text"?\n',
      "warning: m.jsonl:2: unknown key `usage`; write input_tokens, output_tokens into the line itself\n",
      'warning: m.jsonl:3: unknown key `tool_calls[0].argments`; did you mean "arguments"?\n',
      'warning: m.jsonl:4: unknown key `error.retry_after`; did you mean "retry_after_ms"?\n',
      "warning: m.jsonl:4: unknown key `speed`; it has no effect\n",
    ]);
    parseTape('{"tape":1,"title":"t"}\n{"txet":"x"}', "t.jsonl", (warning) => told.push(warning));
    expect(told.at(-1)).toBe('warning: t.jsonl:2: unknown key `txet`; did you mean "text"?\n');
  });

  it("warns of values of a wrong type, and refuses a call without the name of a tool", () => {
    const told: string[] = [];
    const text = ['{"text":5,"match":["x"],"input_tokens":"100"}', '{"text":null,"stop_reason":null}'].join(
      "\n",
    );
    expect(parseFixtures(text, "m.jsonl", (warning) => told.push(warning))).toHaveLength(2);
    expect(told).toEqual([
      'warning: m.jsonl:1: `input_tokens`: expected int, got string "100"; it has no effect\n',
      "warning: m.jsonl:1: `match`: expected string, got list; it has no effect\n",
      "warning: m.jsonl:1: `text`: expected string, got int 5; it has no effect\n",
    ]);
    for (const call of ['{"arguments":{}}', '{"name":""}', '{"name":3}', '"step"', "null"])
      expect(() => parseFixtures(`{"tool_calls":[{"name":"a"},${call}]}`, "m.jsonl")).toThrow(
        "m.jsonl:1: tool_calls[1] must be {name, arguments?}, with the name of a tool",
      );
  });

  it("has nothing to tell of what a recording writes", () => {
    const told: string[] = [];
    const outcome = {
      ok: false,
      error: makeModelError({ category: "timeout", message: "m", provider: "p", model: "m" }),
      partial: emptyResponse("p", "m"),
    } as const;
    parseFixtures(fixtureLine(outcome), "m.jsonl", (warning) => told.push(warning));
    expect(told).toEqual([]);
  });

  it("does not improvise when nothing fits", async () => {
    const mock = createMockState();
    mock.fixtures = [];
    const client = createModelClient({ mock, env });
    const outcome = await client.stream(request("p".repeat(300), { provider: "mock" }));
    expect(outcome).toMatchObject({
      ok: false,
      error: {
        category: "generic",
        message: `No --llm-mock fixture matched prompt: "${"p".repeat(200)}…" (call 1 (mock, claude-sonnet-4-6))`,
      },
    });
  });

  it("may hold malformed arguments as text", async () => {
    const mock = createMockState();
    mock.fixtures = parseFixtures('{"tool_calls":[{"name":"f","args":"{oops"}]}', "m.jsonl");
    const outcome = await createModelClient({ mock, env }).stream(request("x"));
    expect(outcome).toMatchObject({
      response: { tool_calls: [{ raw_arguments: "{oops", arguments: null }] },
    });
  });

  it.each([
    ['{"text":"a"}\n{"text":', /^m\.jsonl:2: not valid JSON/],
    ["[1]", "m.jsonl:1: expected a JSON object with an answer"],
    ['\n\n"x"', "m.jsonl:3: expected a JSON object with an answer"],
    ['{"error":{"category":"bogus"}}', "m.jsonl:1: unknown error category `bogus`"],
  ])("names file and line: %j", (text, message) => {
    expect(() => parseFixtures(text, "m.jsonl")).toThrow(message);
  });

  it("says why a file cannot be read", () => {
    expect(() => loadFixtures(join(folder, "none.jsonl"))).toThrow(
      /--llm-mock: cannot read .*none\.jsonl: no such file or folder/,
    );
    expect(() => loadFixtures(folder)).toThrow(/it is a folder/);
  });
});

describe("--llm-mock-record", () => {
  let server: ProviderServer;
  beforeAll(async () => {
    server = await startProviderServer();
  });
  afterAll(() => server.close());

  it("records live answers that play again, errors too, without the key", async () => {
    const key = "sk-ant-secret-0123456789";
    const live = new Map([
      ["ANTHROPIC_API_KEY", key],
      ["ANTHROPIC_BASE_URL", server.url],
    ]);
    const path = join(folder, "recorded.jsonl");
    const recording = openRecording(path);
    const recorder = createModelClient({ mock: createMockState(), env: live, recording });
    server.next(
      {
        kind: "answer",
        text: `The key is ${key}.`,
        thinking: "hm",
        calls: [{ id: "c9", name: "f", args: '{"a":[1,2]}' }],
        usage: { input: 100, output: 20, cacheRead: 10 },
      },
      { kind: "answer", calls: [{ id: "c1", name: "f", args: "{oops" }] },
      {
        kind: "status",
        status: 429,
        headers: { "retry-after": "3" },
        body: { error: { message: `no more for ${key}` } },
      },
    );
    const first = [];
    for (const prompt of ["a", "b", "c"]) first.push(await recorder.stream(request(prompt)));

    const text = readFileSync(path, "utf8");
    expect(text).not.toContain(key);
    expect(text.trim().split("\n")).toHaveLength(3);
    expect(JSON.parse(text.split("\n")[0]!)).toMatchObject({
      cache_read_tokens: 10,
      cache_write_tokens: 0,
      cache_creation_input_tokens: 0,
      tool_calls: [{ name: "f", args: { a: [1, 2] } }],
    });

    const mock = createMockState();
    mock.fixtures = loadFixtures(path);
    const player = createModelClient({ mock, env });
    const [one, two, three] = [
      await player.stream(request("a")),
      await player.stream(request("b")),
      await player.stream(request("c")),
    ];
    expect(one).toMatchObject({
      ok: true,
      response: {
        text: "The key is {{secret:ANTHROPIC_API_KEY}}.",
        thinking: "hm",
        model: "claude-sonnet-4-6",
        provider: "anthropic",
        stop_reason: "tool_use",
      },
    });
    if (one.ok && first[0]!.ok) {
      expect(one.response.usage).toEqual(first[0]!.response.usage);
      expect(one.response.cost_usd).toBe(first[0]!.response.cost_usd);
    }
    expect(two).toMatchObject({ response: { tool_calls: [{ raw_arguments: "{oops", arguments: null }] } });
    if (!three.ok && !first[2]!.ok) expect(three.error).toEqual(first[2]!.error);
    else throw new Error("expected failures");
  });

  it("finds an unwritable path before the run", () => {
    expect(() => openRecording(join(folder, "no", "such", "x.jsonl"))).toThrow(
      /--llm-mock-record: cannot write .*x\.jsonl: no such file or folder/,
    );
    mkdirSync(join(folder, "dir"), { recursive: true });
    expect(() => openRecording(join(folder, "dir"))).toThrow(/it is a folder/);
  });
});

describe("tape", () => {
  it("in any order gives the first answer that fits, as often as it is asked", async () => {
    const tape = parseTape(
      '{"tape":1,"order":"any"}\n{"match":"*France*","text":"Paris"}\n{"match":"*Japan*","text":"Tokyo"}',
      "t.jsonl",
    );
    const client = createModelClient({ mock: createMockState(), env, tape });
    const said = async (content: string) => {
      const outcome = await client.stream(request(content));
      return outcome.ok ? outcome.response.text : outcome.error;
    };
    expect([await said("Japan?"), await said("France?"), await said("Japan?")]).toEqual([
      "Tokyo",
      "Paris",
      "Tokyo",
    ]);
    expect(await said("Peru?")).toMatchObject({
      reason: "tape_mismatch",
      message: expect.stringContaining("none of its 2 answers is for what is asked"),
    });
    expect(() => parseTape('{"tape":1,"order":"random"}\n{"text":"x"}', "t.jsonl")).toThrow(
      't.jsonl:1: order must be "calls" or "any"; got "random"',
    );
  });

  const tapeText = [
    '{"tape":1,"title":"Audit"}',
    '{"text":"First I  look.","thinking":"hm","tool_calls":[{"name":"list","args":{}},{"id":"own","name":"list","args":{}}],"input_tokens":1000,"output_tokens":500,"model":"gpt-4o-mini","provider":"openai"}',
    '{"text":"Done.","match":"*listing*"}',
  ].join("\n");

  it("plays in order, streams, and shows what it cost", async () => {
    const tape = parseTape(tapeText, "t.jsonl");
    const client = createModelClient({ mock: createMockState(), env, tape });
    const events: ModelEvent[] = [];
    const first = await client.stream(request("go"), { onEvent: (event) => events.push(event) });
    expect(first).toMatchObject({
      response: {
        text: "First I  look.",
        cost_usd: 0.00045,
        provider: "openai",
        model: "gpt-4o-mini",
        tool_calls: [{ id: "tape_call_1_1" }, { id: "own" }],
      },
    });
    const deltas = events.filter((event) => event.kind === "text").map((event) => event.delta);
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join("")).toBe("First I  look.");
    expect(tape.title).toBe("Audit");
    expect(await client.stream(request("the listing"))).toMatchObject({ response: { text: "Done." } });
  });

  it("its head names the model of answers that name none", async () => {
    const tape = parseTape(
      '{"tape":1,"provider":"openai","model":"gpt-4o-mini"}\n{"text":"x","input_tokens":1000,"output_tokens":500}',
      "t.jsonl",
    );
    const client = createModelClient({ mock: createMockState(), env, tape });
    expect(await client.stream(request("go"))).toMatchObject({
      response: { model: "gpt-4o-mini", cost_usd: 0.00045 },
    });
  });

  it("ends with one clear error", async () => {
    const tape = parseTape('{"text":"only"}', "examples/t.jsonl");
    const client = createModelClient({ mock: createMockState(), env, tape });
    await client.stream(request("a"));
    const outcome = await client.stream(request("b"));
    expect(outcome).toMatchObject({
      ok: false,
      error: { category: "generic", kind: "terminal", reason: "tape_ended", retryable: false },
    });
    if (outcome.ok) return;
    expect(outcome.error.message).toMatch(
      /^tape examples\/t\.jsonl ends early: turn 2 was asked for, but the tape holds 1 answer\. /,
    );
    expect(outcome.error.message).toContain("--llm-mock-record");
    expect(outcome.error.message).toContain("OPENAI_API_KEY");
  });

  it("notices that the conversation is another one", async () => {
    const tape = parseTape(tapeText, "t.jsonl");
    const client = createModelClient({ mock: createMockState(), env, tape });
    await client.stream(request("go"));
    const outcome = await client.stream(request("something else"));
    expect(outcome).toMatchObject({ ok: false, error: { reason: "tape_mismatch" } });
    expect(!outcome.ok && outcome.error.message).toContain(
      'turn 2 does not fit: the answer was taped for messages like "*listing*"',
    );
  });

  it("can be cancelled while it plays slowly", async () => {
    const tape = parseTape(JSON.stringify({ text: "word ".repeat(1000) }), "t.jsonl");
    const client = createModelClient({ mock: createMockState(), env, tape, tapeOptions: { paceMs: 5 } });
    const abort = new AbortController();
    const onEvent = (event: ModelEvent) => {
      if (event.kind === "text") abort.abort();
    };
    expect(await client.stream(request("go"), { signal: abort.signal, onEvent })).toMatchObject({
      ok: false,
      error: { category: "cancelled" },
    });
  });

  it("gives calls that run side by side their answers in the order of asking", async () => {
    const tape = parseTape('{"text":"1 a b"}\n{"text":"2"}', "t.jsonl");
    const client = createModelClient({ mock: createMockState(), env, tape, tapeOptions: { paceMs: 1 } });
    const both = await Promise.all([client.stream(request("x")), client.stream(request("y"))]);
    expect(both).toMatchObject([{ response: { text: "1 a b" } }, { response: { text: "2" } }]);
  });

  it.each([
    ["", "t.jsonl: the tape holds no answers"],
    ['{"tape":1}', "t.jsonl: the tape holds no answers"],
    ['{"tape":7}\n{"text":"x"}', "t.jsonl:1: tape format 7 is not known (this version reads 1)"],
    ["nonsense", /^t\.jsonl:1: not valid JSON/],
  ])("refuses %j", (text, message) => {
    expect(() => parseTape(text, "t.jsonl")).toThrow(message);
  });

  it("is read from a file", () => {
    const path = join(folder, "tape.jsonl");
    writeFileSync(path, tapeText);
    expect(loadTape(path).entries).toHaveLength(2);
    expect(() => loadTape(join(folder, "none.jsonl"))).toThrow(
      /tape: cannot read .*none\.jsonl: no such file or folder/,
    );
  });
});

it("lines that nest too deep are named", () => {
  const deep = `{"tape":${"[".repeat(30_000)}${"]".repeat(30_000)}}`;
  expect(() => parseTape(deep, "t.jsonl")).toThrow("t.jsonl:1: is nested more than 1000 levels deep");
  expect(parseTape(`{"text":${JSON.stringify(`${"[".repeat(2000)}\\"`)}}`, "t.jsonl").entries).toHaveLength(
    1,
  );
});
