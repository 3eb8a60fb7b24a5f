/** The mock provider: agents.md §2. */
import { describe, expect, it } from "vitest";
import {
  addScriptedMock,
  clearMocks,
  createMockState,
  createModelClient,
  errorDict,
  type MockState,
  type ModelEvent,
  type ModelOutcome,
  type ModelRequest,
  type ModelTool,
  popMockScope,
  pushMock,
  pushMockScope,
} from "../../../src/model/llm/index.ts";

const env = new Map<string, string>();

function ask(state: MockState, prompt: string, more: Partial<ModelRequest> = {}): Promise<ModelOutcome> {
  const client = createModelClient({ mock: state, env });
  return client.stream({
    provider: "mock",
    model: "some-model",
    messages: [{ role: "user", content: prompt }],
    ...more,
  });
}

async function text(state: MockState, prompt: string, more: Partial<ModelRequest> = {}): Promise<string> {
  const outcome = await ask(state, prompt, more);
  return outcome.ok ? outcome.response.text : `error: ${outcome.error.message}`;
}

async function thrown(entry: object, more: Partial<ModelRequest> = {}) {
  const state = createMockState();
  pushMock(state, entry);
  const outcome = await ask(state, "q", more);
  if (outcome.ok) throw new Error("expected a failure");
  return errorDict(outcome.error);
}

const lookup: ModelTool = {
  name: "lookup",
  description: "Looks up.",
  parameters: {
    type: "object",
    properties: {
      key: { type: "string" },
      depth: { type: "integer" },
      factor: { type: "number" },
      deep: { type: "boolean" },
      tags: { type: "array" },
      where: { type: "object" },
      hint: { type: "string" },
    },
    required: ["key", "depth", "factor", "deep", "tags", "where"],
  },
};

describe("queue", () => {
  it("gives entries in order, then improvises", async () => {
    const state = createMockState();
    pushMock(state, { text: "one" });
    pushMock(state, { text: "two" });
    expect([await text(state, "a"), await text(state, "b"), await text(state, "c")]).toEqual([
      "one",
      "two",
      "Mock response to 1-word prompt: c",
    ]);
  });

  it("takes entries without a pattern first, wherever they stand; patterns stay", async () => {
    const state = createMockState();
    pushMock(state, { text: "pattern", match: "*needle*" });
    pushMock(state, { text: "plain" });
    expect(await text(state, "a needle")).toBe("plain");
    expect(await text(state, "a needle")).toBe("pattern");
    expect(await text(state, "a needle")).toBe("pattern");
    expect(await text(state, "hay")).toBe("Mock response to 1-word prompt: hay");
  });

  it("consume_match uses a pattern up", async () => {
    const state = createMockState();
    pushMock(state, { text: "once", match: "*x*", consume_match: true });
    pushMock(state, { text: "always", match: "*x*" });
    expect([await text(state, "x"), await text(state, "x"), await text(state, "x")]).toEqual([
      "once",
      "always",
      "always",
    ]);
  });

  it.each([
    ["foo", false],
    ["user*", false],
    ["*foo*", true],
    ["a foo b\nuser", true],
    ["a*b\nuser", true],
    ["*foo*foo*", false],
    ["a foo b*user*r", false],
    ["*", true],
  ])("compares %j with every string of the messages", async (match, fits) => {
    const state = createMockState();
    pushMock(state, { text: "hit", match });
    expect((await text(state, "a foo b", { system: "the system text is no part of it" })) === "hit").toBe(
      fits,
    );
  });

  it("looks into blocks, calls and results; the system text is not part of it", async () => {
    const state = createMockState();
    pushMock(state, { text: "hit", match: "*deep*" });
    const nested = [
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "1", name: "t", arguments: { a: [{ b: "deep" }] } }],
      },
    ];
    expect(await text(state, "", { messages: nested })).toBe("hit");
    expect(await text(state, "no", { system: "deep" })).not.toBe("hit");
  });

  it("answers for any provider, without its key, while something is queued", async () => {
    const state = createMockState();
    pushMock(state, { text: "mine", match: "*never*" });
    const outcome = await ask(state, "hello", { provider: "openai", model: "gpt-4o" });
    expect(outcome).toMatchObject({ ok: false, error: { category: "generic", retryable: false } });
    if (!outcome.ok)
      expect(outcome.error.message).toMatch(/^no mock answer fits call 1 \(openai, gpt-4o\): "hello/);
    clearMocks(state);
    expect(await ask(state, "hello", { provider: "openai", model: "gpt-4o" })).toMatchObject({
      ok: false,
      error: { category: "auth" },
    });
  });

  it("never goes live once a program has written answers, unless it says so", async () => {
    const state = createMockState();
    addScriptedMock(state, { text: "mine" });
    const route = { provider: "openai", model: "gpt-4o" };
    expect(await ask(state, "one", route)).toMatchObject({ ok: true, response: { text: "mine" } });
    expect(await ask(state, "two", route)).toMatchObject({ ok: false, error: { category: "generic" } });
    clearMocks(state);
    expect(await ask(state, "three", route)).toMatchObject({ ok: false, error: { category: "generic" } });
    expect(await ask(state, "four", { provider: "mock" })).toMatchObject({ ok: true });
    state.passthrough = true;
    // Without a key: it has left the mock.
    expect(await ask(state, "five", route)).toMatchObject({ ok: false, error: { category: "auth" } });
    addScriptedMock(state, { text: "for six", match: "*six*" });
    expect(await ask(state, "seven", route)).toMatchObject({ ok: false, error: { category: "auth" } });
    expect(await ask(state, "six", route)).toMatchObject({ ok: true, response: { text: "for six" } });
  });

  it("remembers what each call asked, and counts what it adds, while the caller's list grows", async () => {
    const state = createMockState();
    const messages: ModelRequest["messages"] = [];
    const counts: number[] = [];
    for (const content of ["one", "two", "three"]) {
      messages.push({ role: "user", content });
      pushMock(state, { text: "ok" });
      const outcome = await ask(state, "", { messages });
      counts.push(outcome.ok ? outcome.response.usage.input_tokens : -1);
    }
    const asked = state.calls.map((call) => (call.messages as { content: string }[]).map((m) => m.content));
    expect(asked).toEqual([["one"], ["one", "two"], ["one", "two", "three"]]);
    // Another list of the same length, and one that begins differently, are counted for themselves.
    for (const other of [["one", "two", "3"], ["x"]]) {
      pushMock(state, { text: "ok" });
      const outcome = await ask(state, "", {
        messages: other.map((content) => ({ role: "user" as const, content })),
      });
      counts.push(outcome.ok ? outcome.response.usage.input_tokens : -1);
    }
    const fresh = createMockState();
    const alone: number[] = [];
    for (const list of [["one"], ["one", "two"], ["one", "two", "three"], ["one", "two", "3"], ["x"]]) {
      fresh.counted = createMockState().counted;
      pushMock(fresh, { text: "ok" });
      const outcome = await ask(fresh, "", {
        messages: list.map((content) => ({ role: "user" as const, content })),
      });
      alone.push(outcome.ok ? outcome.response.usage.input_tokens : -1);
    }
    expect(counts).toEqual(alone);
  });

  it("stays within this machine while calls are disabled", async () => {
    const text =
      "LLM calls are disabled by HARN_LLM_CALLS_DISABLED; provider `openai` would make a real LLM request";
    const call = (state: MockState, value: string, provider = "openai") =>
      createModelClient({
        mock: state,
        env: new Map([
          ["HARN_LLM_CALLS_DISABLED", value],
          ["OPENAI_API_KEY", "sk-x"],
          ["OPENAI_BASE_URL", "http://127.0.0.1:9/v1"],
        ]),
      }).stream({ provider, model: "gpt-4o", messages: [{ role: "user", content: "hi" }] });
    for (const value of ["1", "true", "YES", "On"])
      expect(await call(createMockState(), value)).toMatchObject({
        ok: false,
        error: { message: text, retryable: false, category: "generic" },
      });
    for (const value of ["", "0"])
      expect(await call(createMockState(), value)).toMatchObject({
        ok: false,
        error: { category: "transient_network" },
      });
    expect(await call(createMockState(), "1", "mock")).toMatchObject({ ok: true });
    const dry = createMockState();
    addScriptedMock(dry, { text: "only" });
    expect(await call(dry, "1")).toMatchObject({ ok: true, response: { text: "only" } });
    expect(await call(dry, "1")).toMatchObject({ ok: false, error: { message: text } });
  });
});

describe("answers", () => {
  it("fills in what an entry leaves out", async () => {
    const state = createMockState();
    pushMock(state, {
      text: "A",
      tool_calls: [
        { id: "mine", name: "f", arguments: { x: 1 } },
        { name: "g", args: { y: 2 } },
      ],
    });
    const outcome = await ask(state, "q");
    expect(outcome).toMatchObject({
      ok: true,
      response: {
        text: "A",
        provider: "mock",
        model: "mock",
        stop_reason: null,
        cost_usd: 0,
        // `q`, a line break, `user`
        usage: { input_tokens: 6, output_tokens: 30 },
        tool_calls: [
          { id: "mine", name: "f", arguments: { x: 1 } },
          { id: "mock_call_2", name: "g", arguments: {} },
        ],
      },
    });
    if (outcome.ok)
      expect(outcome.response.blocks.map((block) => block.type)).toEqual([
        "output_text",
        "tool_call",
        "tool_call",
      ]);
  });

  it("gives back what an entry says, and ignores wrong types and unknown fields", async () => {
    const state = createMockState();
    const blocks = [{ type: "output_text", text: "verbatim" }];
    pushMock(state, {
      text: "A",
      input_tokens: 1,
      output_tokens: 2,
      cache_creation_input_tokens: 3,
      thinking: "hm",
      thinking_summary: "h",
      stop_reason: "length",
      model: "gpt-4o",
      provider: "openai",
      blocks,
      logprobs: [1],
      colour: "red",
    });
    pushMock(state, { text: 5, input_tokens: "many", tool_calls: "none", match: 7 });
    expect(await ask(state, "q")).toMatchObject({
      response: {
        thinking: "hm",
        thinking_summary: "h",
        stop_reason: "length",
        model: "gpt-4o",
        provider: "openai",
        blocks,
        logprobs: [1],
        usage: { input_tokens: 1, output_tokens: 2, cache_write_tokens: 3 },
      },
    });
    expect(await ask(state, "q")).toMatchObject({
      response: { text: "", tool_calls: [], usage: { input_tokens: 6 } },
    });
  });

  it("tells the same story in events", async () => {
    const state = createMockState();
    pushMock(state, { text: "A", thinking: "t", tool_calls: [{ name: "f", arguments: {} }] });
    const events: ModelEvent[] = [];
    await createModelClient({ mock: state, env }).stream(
      { provider: "mock", model: "m", messages: [] },
      { onEvent: (event) => events.push(event) },
    );
    expect(events.map((event) => event.kind)).toEqual([
      "start",
      "thinking",
      "text",
      "tool_call_start",
      "tool_call_delta",
      "tool_call_end",
      "usage",
      "finish",
    ]);
  });

  it("plays a prompt cache", async () => {
    const state = createMockState();
    const first = await ask(state, "q", { cache: true });
    const second = await ask(state, "q", { cache: true });
    const other = await ask(state, "r", { cache: true });
    expect(first).toMatchObject({
      response: { usage: { input_tokens: 1, cache_write_tokens: 1, cache_read_tokens: 0 } },
    });
    expect(second).toMatchObject({ response: { usage: { cache_write_tokens: 0, cache_read_tokens: 1 } } });
    expect(other).toMatchObject({ response: { usage: { cache_write_tokens: 1 } } });
    clearMocks(state);
    expect(await ask(state, "q", { cache: true })).toMatchObject({
      response: { usage: { cache_write_tokens: 1 } },
    });
  });
});

describe("default answers", () => {
  it("names words and the first 100 characters", async () => {
    const long = `${"é".repeat(99)}🎈🎈 end`;
    expect(await text(createMockState(), long)).toBe(`Mock response to 2-word prompt: ${"é".repeat(99)}🎈`);
  });

  it("speaks of the last message that says something", async () => {
    const messages = [
      { role: "user", content: "first" },
      { role: "user", content: [{ type: "text" as const, text: "second here" }] },
      { role: "user", content: "  " },
    ];
    expect(await text(createMockState(), "", { messages })).toBe(
      "Mock response to 2-word prompt: second here",
    );
  });

  it("has nothing to say to a blank prompt", async () => {
    expect(await ask(createMockState(), " ")).toMatchObject({
      response: { text: "Mock LLM response", usage: { input_tokens: 0, output_tokens: 30 } },
    });
  });

  it("ends tagged-text loops, and no others", async () => {
    expect(await text(createMockState(), "hi", { system: "End with <done>##DONE##</done>." })).toBe(
      "<assistant_prose>Mock response to 1-word prompt: hi</assistant_prose>\n<done>##DONE##</done>",
    );
    expect(await text(createMockState(), "hi", { system: "End with ##DONE##." })).toBe(
      "Mock response to 1-word prompt: hi",
    );
  });

  it("calls the first native tool with placeholders", async () => {
    const waiting = { ...lookup, name: "agent_await_resumption" };
    const outcome = await ask(createMockState(), "go", { tools: [waiting, lookup] });
    expect(outcome).toMatchObject({
      response: {
        text: "",
        usage: { input_tokens: 2, output_tokens: 20 },
        tool_calls: [
          {
            id: "mock_call_1",
            name: "lookup",
            arguments: { key: "", depth: 0, factor: 0, deep: false, tags: [], where: {} },
          },
        ],
      },
    });
    // The raw text keeps floats apart from ints.
    expect(outcome.ok && outcome.response.tool_calls[0]!.raw_arguments).toContain('"factor":0.0');
  });

  it("completes", async () => {
    const state = createMockState();
    expect(await text(state, "abc", { completion: { prefix: "abc", suffix: null } })).toBe(
      "Mock completion after 3 chars",
    );
    expect(await text(state, "abc", { completion: { prefix: "abc", suffix: "de" } })).toBe(
      "Mock completion after 3 chars before 2 chars",
    );
  });
});

describe("errors", () => {
  it("by category alone", async () => {
    expect(
      await thrown({ error: { category: "rate_limit" } }, { provider: "anthropic", model: "claude-x" }),
    ).toEqual({
      kind: "transient",
      reason: "rate_limit",
      category: "rate_limit",
      message: "",
      provider: "anthropic",
      model: "claude-x",
    });
    expect(await thrown({ error: { category: "auth", message: "bad key" } })).toMatchObject({
      kind: "terminal",
      reason: "auth_failure",
      message: "bad key",
    });
  });

  it("a waiting time joins the message of a category alone", async () => {
    const dict = await thrown({ error: { category: "rate_limit", message: "slow", retry_after_ms: 1500 } });
    expect(dict).toMatchObject({ message: "slow\nretry-after: 1.5\n", retry_after_ms: 1500 });
  });

  it.each([
    [
      { status: 503 },
      { category: "overloaded", message: "HTTP 503 mock LLM error", status: 503, reason: "server_error" },
    ],
    [
      { status: 429, kind: "transient", reason: "rate_limit" },
      { category: "rate_limit", message: "HTTP 429 mock LLM error (transient/rate_limit)" },
    ],
    [
      { kind: "terminal" },
      { category: "generic", reason: "unknown", message: "mock LLM error (terminal)", kind: "terminal" },
    ],
    [{ reason: "auth_failure" }, { category: "auth", kind: "terminal", reason: "auth_failure" }],
    [
      { category: "generic", kind: "transient", reason: "odd" },
      { category: "generic", kind: "transient", reason: "odd" },
    ],
    [{ category: "generic", message: "maximum context length is 10" }, { reason: "context_overflow" }],
  ])("%j", async (error, expected) => {
    expect(await thrown({ error })).toMatchObject(expected);
  });

  it.each([
    [
      { error: {} },
      "llm_mock: error.category is required unless error.status, error.kind, or error.reason is set",
    ],
    [{ error: { category: "bogus" } }, "llm_mock: unknown error category `bogus`"],
    [
      { error: { category: "schema_stream_aborted" } },
      "llm_mock: unknown error category `schema_stream_aborted`",
    ],
    [{ error: { kind: "odd" } }, "llm_mock: unknown error kind `odd`"],
    [{ error: "auth" }, "llm_mock: error must be a dict"],
    ["text", "llm_mock: expected a dict argument"],
    [[], "llm_mock: expected a dict argument"],
  ])("refuses %j", (entry, message) => {
    const state = createMockState();
    expect(() => pushMock(state, entry)).toThrow(message);
    expect(state.queue).toEqual([]);
  });
});

describe("recorded calls", () => {
  it("hold what was sent, also when it failed", async () => {
    const state = createMockState();
    pushMock(state, { error: { category: "timeout" } });
    await ask(state, "q", {
      system: "S",
      tool_choice: "required",
      thinking: { mode: "adaptive" },
      tools: [lookup],
    });
    await ask(state, "r");
    expect(state.calls).toMatchObject([
      {
        messages: [{ role: "user", content: "q" }],
        system: "S",
        tool_choice: "required",
        thinking: { mode: "adaptive" },
        output_format: { kind: "text" },
        provider_tools: null,
        api_mode: null,
      },
      {
        messages: [{ role: "user", content: "r" }],
        system: null,
        tools: null,
        tool_choice: null,
        thinking: { mode: "disabled" },
      },
    ]);
    expect(state.calls[0]!.tools).toEqual([
      {
        type: "function",
        function: {
          name: "lookup",
          description: "Looks up.",
          parameters: { ...lookup.parameters, additionalProperties: false },
        },
      },
    ]);
  });

  it("show tools in the shape of the route", async () => {
    const state = createMockState();
    pushMock(state, { text: "x", match: "*" });
    const deferred = { ...lookup, defer_loading: true, namespace: "files" };
    await ask(state, "q", { provider: "anthropic", tools: [deferred] });
    await ask(state, "q", {
      provider: "openai",
      tools: [deferred],
      provider_tools: [{ type: "tool_search", mode: "hosted" }],
    });
    expect(state.calls[0]!.tools).toEqual([
      {
        name: "lookup",
        description: "Looks up.",
        input_schema: { ...lookup.parameters, additionalProperties: false },
        defer_loading: true,
      },
    ]);
    expect(state.calls[1]!.tools).toMatchObject([
      { type: "tool_search", mode: "hosted" },
      { type: "function", defer_loading: true, namespace: "files" },
    ]);
  });

  it("are not changed by what the caller does to its list later", async () => {
    const state = createMockState();
    const messages = [{ role: "user", content: "q" }];
    await ask(state, "", { messages });
    messages.push({ role: "user", content: "later" });
    expect(state.calls[0]!.messages).toHaveLength(1);
  });
});

describe("scopes", () => {
  it("save and restore queue, calls and prompt cache", async () => {
    const state = createMockState();
    pushMock(state, { text: "outer" });
    await ask(state, "seen", { cache: true, provider: "mock" });
    pushMock(state, { text: "outer" });
    pushMockScope(state);
    expect(state).toMatchObject({ queue: [], calls: [] });
    expect(await ask(state, "seen", { cache: true })).toMatchObject({
      response: { usage: { cache_read_tokens: 0 } },
    });
    pushMock(state, { text: "inner" });
    popMockScope(state);
    expect(state.calls).toHaveLength(1);
    expect(await text(state, "x")).toBe("outer");
    expect(() => popMockScope(state)).toThrow("llm_mock_pop_scope: no scope to pop");
  });

  it("two runtimes know nothing of each other", async () => {
    const [one, two] = [createMockState(), createMockState()];
    pushMock(one, { text: "one" });
    await ask(two, "x");
    expect([one.queue.length, one.calls.length, two.queue.length, two.calls.length]).toEqual([1, 0, 0, 1]);
  });
});
