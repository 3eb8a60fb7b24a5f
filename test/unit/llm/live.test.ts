/** The adapters through the vendors' real SDKs, against a local server that speaks their wire protocols. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  createMockState,
  createModelClient,
  errorDict,
  type JsonObject,
  type ModelEvent,
  type ModelMessage,
  type ModelOutcome,
  type ModelRequest,
  type ModelTool,
} from "../../../src/model/llm/index.ts";
import {
  type ProviderServer,
  readCassette,
  type Scenario,
  startProviderServer,
  type Wire,
} from "../../support/provider-server/index.ts";

const anthropicKey = "sk-ant-api03-very-secret-value-0001";
const openaiKey = "sk-proj-very-secret-value-0002";

let server: ProviderServer;
let env: Map<string, string>;
beforeAll(async () => {
  server = await startProviderServer();
  env = new Map([
    ["ANTHROPIC_API_KEY", anthropicKey],
    ["OPENAI_API_KEY", openaiKey],
    ["ANTHROPIC_BASE_URL", server.url],
    ["OPENAI_BASE_URL", `${server.url}/v1`],
  ]);
});
afterAll(() => server.close());
beforeEach(() => {
  server.seen.length = 0;
});
afterEach(() => {
  const unused = server.pending();
  server.clear();
  expect(unused).toBe(0);
});

const routes: { wire: Wire; provider: string; model: string; api_mode?: string }[] = [
  { wire: "anthropic", provider: "anthropic", model: "claude-sonnet-4-6" },
  { wire: "chat", provider: "openai", model: "gpt-4o", api_mode: "chat" },
  { wire: "responses", provider: "openai", model: "gpt-4o", api_mode: "responses" },
];

const readFile: ModelTool = {
  name: "read_file",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

function user(content: string): ModelMessage {
  return { role: "user", content };
}

describe.each(routes)("$wire", ({ wire, provider, model, api_mode }) => {
  const base: ModelRequest = {
    provider,
    model,
    messages: [user("Hello")],
    ...(api_mode ? { api_mode } : {}),
  };

  async function call(
    scenario: Scenario,
    more: Partial<ModelRequest> = {},
    signal?: AbortSignal,
  ): Promise<{ outcome: ModelOutcome; events: ModelEvent[] }> {
    server.next(scenario);
    const client = createModelClient({ mock: createMockState(), env });
    const events: ModelEvent[] = [];
    const outcome = await client.stream(
      { ...base, ...more },
      { onEvent: (event) => events.push(event), ...(signal ? { signal } : {}) },
    );
    expect(server.seen[0]?.wire).toBe(wire);
    return { outcome, events };
  }

  async function failure(scenario: Scenario, more: Partial<ModelRequest> = {}, signal?: AbortSignal) {
    const { outcome, events } = await call(scenario, more, signal);
    if (outcome.ok) throw new Error(`expected a failure, got ${JSON.stringify(outcome.response)}`);
    expect(events.at(-1)).toEqual({ kind: "error", error: outcome.error });
    expect(events.filter((event) => event.kind === "error" || event.kind === "finish")).toHaveLength(1);
    return outcome;
  }

  async function success(scenario: Scenario, more: Partial<ModelRequest> = {}) {
    const { outcome, events } = await call(scenario, more);
    if (!outcome.ok) throw new Error(outcome.error.message);
    expect(events.at(-1)?.kind).toBe("finish");
    return { response: outcome.response, events };
  }

  it("streams text, with usage and cost", async () => {
    const text = "Grüße aus 東京 🎈, said the model.";
    const { response, events } = await success({
      kind: "answer",
      text,
      usage: { input: 1000, output: 500, cacheRead: 200 },
    });
    const deltas = events.filter((event) => event.kind === "text").map((event) => event.delta);
    expect(deltas.length).toBeGreaterThan(3);
    expect(deltas.join("")).toBe(text);
    expect(response.text).toBe(text);
    expect(response.stop_reason).toBe("end_turn");
    expect(response.usage).toMatchObject({ input_tokens: 1000, output_tokens: 500, cache_read_tokens: 200 });
    const expected =
      provider === "anthropic"
        ? (800 * 3 + 200 * 0.3 + 500 * 15) / 1e6
        : (800 * 2.5 + 200 * 1.25 + 500 * 10) / 1e6;
    expect(response.cost_usd).toBeCloseTo(expected, 10);
    expect(response.request_id).toBe("req_1");
  });

  it("gives the same without streaming", async () => {
    const scenario: Scenario = {
      kind: "answer",
      text: "Two calls.",
      calls: [{ id: "c1", name: "read_file", args: '{"path":"a"}' }],
      usage: { input: 10, output: 5, cacheRead: 4 },
    };
    const streamed = await success(scenario, { tools: [readFile] });
    const whole = await success(scenario, { tools: [readFile], stream: false });
    expect(server.seen[1]!.body.stream).toBe(false);
    expect(whole.response).toEqual(streamed.response);
  });

  it("puts parallel calls together from pieces", async () => {
    const calls = ["one.txt", "dir/two.txt", "drei ß.txt"].map((path, i) => ({
      id: `call_${i}`,
      name: "read_file",
      args: JSON.stringify({ path }),
    }));
    const { response, events } = await success(
      { kind: "answer", text: "Reading.", calls, piece: 3 },
      { tools: [readFile] },
    );
    expect(response.tool_calls.map((made) => [made.id, made.name, made.arguments])).toEqual(
      calls.map((made) => [made.id, "read_file", JSON.parse(made.args)]),
    );
    expect(response.stop_reason).toBe("tool_use");
    expect(response.blocks.map((block) => block.type)).toEqual([
      "output_text",
      "tool_call",
      "tool_call",
      "tool_call",
    ]);
    for (const [index, made] of calls.entries()) {
      const grown = events.filter((event) => event.kind === "tool_call_delta" && event.index === index);
      expect(grown.map((event) => (event.kind === "tool_call_delta" ? event.delta : "")).join("")).toBe(
        made.args,
      );
      expect(events.filter((event) => event.kind === "tool_call_end" && event.index === index)).toHaveLength(
        1,
      );
    }
  });

  it.each([1, 7, 64])("does not care where packets of %i bytes end", async (packet) => {
    const text = "Zwölf Boxkämpfer 🥊 jagen 維克多.";
    const args = JSON.stringify({ path: "naïve/🎈/file.txt" });
    const answer = { kind: "answer" as const, text, calls: [{ id: "c1", name: "read_file", args }] };
    const { response } = await success({ ...answer, packet, piece: 5 }, { tools: [readFile] });
    expect(response.text).toBe(text);
    expect(response.tool_calls).toMatchObject([{ raw_arguments: args, parse_error: null }]);
  });

  it("keeps malformed arguments as text", async () => {
    const { response } = await success(
      {
        kind: "answer",
        calls: [
          { id: "c1", name: "read_file", args: '{"path": "a", oops' },
          { id: "c2", name: "read_file", args: '["a"]' },
          { id: "c3", name: "read_file", args: "" },
          { id: "c4", name: "read_file", args: `{"path": ${"[".repeat(2000)}${"]".repeat(2000)}}` },
          { id: "c5", name: "read_file", args: `{"path": "${"[".repeat(2000)}"}` },
        ],
      },
      { tools: [readFile] },
    );
    const [broken, list, none, deep, text] = response.tool_calls;
    expect(deep).toMatchObject({
      arguments: null,
      parse_error: "the arguments are nested more than 1000 levels deep",
    });
    expect(text).toMatchObject({ parse_error: null });
    expect(broken).toMatchObject({ raw_arguments: '{"path": "a", oops', arguments: null });
    expect(broken!.parse_error).toMatch(/not valid JSON/);
    expect(list).toMatchObject({
      arguments: null,
      parse_error: "the arguments must be a JSON object, got a list",
    });
    expect(none).toMatchObject({ arguments: {}, parse_error: null });
  });

  it("takes events that are nothing of its protocol for a fault of the answer", async () => {
    const strange: unknown[] = [
      null,
      5,
      "text",
      [],
      {},
      { choices: [null] },
      { choices: "x" },
      { choices: [{ delta: { tool_calls: [null] } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, id: 5, function: { name: 7, arguments: 5 } }] } }] },
      { type: "content_block_start", index: 0, content_block: null },
      { type: "response.output_item.added", item: { type: "function_call", name: 5 } },
      { type: "response.output_text.delta", delta: { a: 1 }, logprobs: 5 },
      { error: "boom" },
      { error: 5 },
      { type: "error", error: "boom" },
    ];
    for (const data of strange) {
      const type = (data as { type?: string } | null)?.type;
      const { error } = await failure({ kind: "raw", events: [type ? { event: type, data } : { data }] });
      expect(["server_error", "transient_network", "generic"]).toContain(error.category);
      expect(error.message).not.toMatch(/Cannot read|is not a function|undefined|\[object/);
      server.seen.length = 0;
    }
  });

  it("sends a conversation with calls and answers back in the vendor's order", async () => {
    const messages: ModelMessage[] = [
      user("Read both"),
      {
        role: "assistant",
        content: "I read.",
        tool_calls: [
          { id: "c1", name: "read_file", arguments: { path: "a" } },
          { id: "c2", name: "read_file", arguments: '{"path": oops' },
        ],
      },
      { role: "tool", tool_call_id: "c1", name: "read_file", content: "A" },
      { role: "tool_result", tool_use_id: "c2", content: "broken arguments", is_error: true },
      user("Go on"),
    ];
    // The server refuses conversations that the vendor would refuse, so an answer is the proof.
    const { response } = await success(
      { kind: "answer", text: "Done." },
      { messages, system: "Be brief.", tools: [readFile] },
    );
    expect(response.text).toBe("Done.");
    expect(JSON.stringify(server.seen[0]!.body)).toContain("Be brief.");
  });

  it("401: auth, terminal, names the variable and hides the key", async () => {
    const key = provider === "anthropic" ? anthropicKey : openaiKey;
    const { error } = await failure({
      kind: "status",
      status: 401,
      body: { error: { message: `Incorrect API key provided: ${key}.`, type: "authentication_error" } },
    });
    expect(error).toMatchObject({
      category: "auth",
      kind: "terminal",
      reason: "auth_failure",
      status: 401,
      retryable: false,
      provider,
      model,
    });
    const name = provider === "anthropic" ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY";
    expect(error.message).toBe(
      `HTTP 401 from ${provider}: Incorrect API key provided: {{secret:${name}}}. (key from ${name})`,
    );
  });

  it.each([399, 499])("a key at character %s of words that are cut is hidden before they are", async (at) => {
    const key = provider === "anthropic" ? anthropicKey : openaiKey;
    // The cut would leave a part of it that no search finds.
    const said = `${"x".repeat(at - 10)} ${key}`;
    const { error } = await failure({ kind: "status", status: 400, body: { error: { message: said } } });
    expect(error.message).not.toContain(key.slice(0, 8));
  });

  it("429: rate limit with the server's waiting time", async () => {
    const { error } = await failure({
      kind: "status",
      status: 429,
      headers: { "retry-after": "1.5" },
      body: { error: { message: "Slow down", type: "rate_limit_error" } },
    });
    expect(errorDict(error)).toEqual({
      kind: "transient",
      reason: "rate_limit",
      category: "rate_limit",
      message: `HTTP 429 from ${provider}: Slow down`,
      address: expect.stringContaining(server.url) as string,
      retry_after_ms: 1500,
      provider,
      model,
      status: 429,
    });
    // Repeating is the caller's business: the SDK must not have done it.
    expect(server.seen).toHaveLength(1);
  });

  it("429 without quota is not worth repeating", async () => {
    const { error } = await failure({
      kind: "status",
      status: 429,
      headers: { "retry-after": "900" },
      body: { error: { message: "You exceeded your current quota", code: "insufficient_quota" } },
    });
    expect(error).toMatchObject({
      category: "rate_limit",
      reason: "quota",
      retryable: false,
      retry_after_ms: 60_000,
    });
  });

  it.each([
    [500, "server_error", "server_error"],
    [503, "overloaded", "server_error"],
    [529, "overloaded", "server_error"],
    [504, "timeout", "timeout"],
    [404, "not_found", "model_unavailable"],
    [418, "generic", "unknown"],
  ])("%i: %s", async (status, category, reason) => {
    const { error } = await failure({ kind: "status", status, body: { error: { message: "no" } } });
    expect(error).toMatchObject({ category, reason, status });
    expect(server.seen).toHaveLength(1);
  });

  it("400 over a full context window says so", async () => {
    const { error } = await failure({
      kind: "status",
      status: 400,
      body: {
        error: {
          message: "prompt is too long: 210000 tokens > 200000 maximum",
          type: "invalid_request_error",
        },
      },
    });
    expect(error).toMatchObject({ category: "generic", reason: "context_overflow", kind: "terminal" });
  });

  it("an HTML error page becomes one short line", async () => {
    const html = `<!DOCTYPE html><html><head><style>body{color:red}</style></head><body><h1>502 Bad Gateway</h1>${"<p>x</p>".repeat(3000)}</body></html>`;
    const { error } = await failure({ kind: "html", status: 502, html });
    expect(error).toMatchObject({ category: "server_error", status: 502 });
    expect(error.message).toContain("502 Bad Gateway");
    expect(error.message).not.toMatch(/<|\n|color/);
    expect(error.message.replace(/^HTTP 502 from \w+: /, "")).toHaveLength(500);
  });

  it.each([true, false])("HTML instead of an answer (stream: %s)", async (stream) => {
    const { error } = await failure(
      { kind: "html", html: "<html><body>Log in to the proxy</body></html>" },
      { stream },
    );
    expect(error.category).toBe("generic");
    expect(error.message).toMatch(
      /answered with text\/html.* instead of JSON: "Log in to the proxy"\. Is the address right\?/,
    );
  });

  it.each([
    ["cut", { cutAfter: 8 }],
    ["ended too early", { endAfter: 8 }],
  ])("a stream %s: what had arrived, and a transient network error", async (_how, broken) => {
    const text = "0123456789abcdefghijklmnopqrstuvwxyz";
    const { error, partial } = await failure({
      kind: "answer",
      text,
      usage: { input: 7, output: 9 },
      ...broken,
    });
    expect(error).toMatchObject({
      category: "transient_network",
      kind: "transient",
      reason: "network_error",
      retryable: true,
    });
    expect(text.startsWith(partial.text)).toBe(true);
    expect(partial.text.length).toBeGreaterThan(0);
    expect(partial.text.length).toBeLessThan(text.length);
  });

  it("a call cut in the middle of its arguments is never run", async () => {
    const calls = [{ id: "c1", name: "read_file", args: JSON.stringify({ path: "x".repeat(200) }) }];
    const { partial } = await failure({ kind: "answer", calls, cutAfter: 10 }, { tools: [readFile] });
    expect(partial.tool_calls).toEqual([]);
  });

  it("a dropped connection", async () => {
    const { error } = await failure({ kind: "drop" });
    expect(error).toMatchObject({ category: "transient_network", retryable: true });
  });

  it("a hang ends at the total time, and the server sees it", async () => {
    const { error } = await failure({ kind: "hang" }, { timeout_ms: 250 });
    expect(error).toMatchObject({ category: "timeout", kind: "transient", reason: "timeout" });
    expect(error.message).toBe(`${provider} did not finish within 250 ms (option \`timeout_ms\`)`);
    expect(await server.seen[0]!.hungUp).toBe(true);
  });

  it("silence in the middle ends at the idle time", async () => {
    const { error, partial } = await failure(
      { kind: "answer", text: "abcdefghijkl", hangAfter: 5 },
      { idle_timeout_ms: 250 },
    );
    expect(error.message).toBe(`${provider} sent nothing for 250 ms (option \`idle_timeout\`)`);
    expect(partial.text).not.toBe("");
    expect(await server.seen[0]!.hungUp).toBe(true);
  });

  it("a slow answer that keeps coming is not idle", async () => {
    const { response } = await success(
      { kind: "answer", text: "abcdefghijklmnop", paceMs: 25 },
      { idle_timeout_ms: 250 },
    );
    expect(response.text).toBe("abcdefghijklmnop");
  });

  it.each(["before the answer", "in the middle"])("cancelling %s aborts the request", async (when) => {
    const abort = new AbortController();
    const scenario: Scenario =
      when === "in the middle" ? { kind: "answer", text: "abcdefghijkl", hangAfter: 5 } : { kind: "hang" };
    // Not before the server has it, however busy the machine is.
    const seen = expect.poll(() => server.seen.length, { timeout: 60_000 }).toBe(1);
    const cancelled = seen.then(() => setTimeout(() => abort.abort(), 50));
    const [{ error }] = await Promise.all([failure(scenario, {}, abort.signal), cancelled]);
    expect(error).toMatchObject({ category: "cancelled", kind: "terminal", retryable: false });
    expect(await server.seen[0]!.hungUp).toBe(true);
  });

  it("an answer without anything in it", async () => {
    const { response } = await success({ kind: "answer", usage: { input: 5, output: 0 } });
    expect(response).toMatchObject({ text: "", tool_calls: [], blocks: [], stop_reason: "end_turn" });
  });

  it("a request and its outcome are plain JSON without the key", async () => {
    const { outcome, events } = await call({ kind: "answer", text: "Hi", usage: { input: 1, output: 1 } });
    expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
    expect(JSON.parse(JSON.stringify(events))).toEqual(events);
    const key = provider === "anthropic" ? anthropicKey : openaiKey;
    expect(JSON.stringify(server.seen[0]!.headers)).toContain(key);
    expect(JSON.stringify([outcome, events, server.seen[0]!.body])).not.toContain(key);
  });

  it("thinking arrives apart from the text and goes back sealed", async () => {
    const thinking = "Let me see …";
    const { response, events } = await success({
      kind: "answer",
      thinking,
      text: "42",
      usage: { input: 1, output: 9, reasoning: 7 },
    });
    expect(response).toMatchObject({ thinking, text: "42" });
    expect(response.blocks[0]).toEqual({ type: "reasoning", text: thinking, visibility: "private" });
    const deltas = events.filter((event) => event.kind === "thinking").map((event) => event.delta);
    expect(deltas.join("")).toBe(thinking);
    if (wire === "chat") return expect(response.reasoning).toEqual([]);
    server.seen.length = 0;
    const again: ModelMessage[] = [
      user("?"),
      { role: "assistant", content: "42", reasoning: response.reasoning },
      user("And?"),
    ];
    await success({ kind: "answer", text: "43" }, { messages: again });
    expect(JSON.stringify(server.seen[0]!.body)).toContain(wire === "anthropic" ? "signed-1" : "sealed-1");
  });

  it("other vendors' sealed reasoning is left out", async () => {
    const foreign = {
      protocol: wire === "anthropic" ? ("openai_responses" as const) : ("anthropic" as const),
      item: { type: "x", seal: "foreign" },
    };
    const messages: ModelMessage[] = [
      user("?"),
      { role: "assistant", content: "42", reasoning: [foreign] },
      user("And?"),
    ];
    await success({ kind: "answer", text: "43" }, { messages });
    expect(JSON.stringify(server.seen[0]!.body)).not.toContain("foreign");
  });

  it("says why it stopped", async () => {
    const cut = await success({ kind: "answer", text: "long", stop: "max_tokens" });
    expect(cut.response.stop_reason).toBe("max_tokens");
    const refused = await success({ kind: "answer", text: "no", stop: "refusal" });
    expect(refused.response.stop_reason).toBe("refusal");
  });

  it("overrides go into the body last, null takes a field out", async () => {
    await success(
      { kind: "answer", text: "x" },
      { temperature: 0.5, provider_overrides: { temperature: null, metadata: { a: "b" }, stream: false } },
    );
    expect(server.seen[0]!.body).toMatchObject({ metadata: { a: "b" } });
    expect(server.seen[0]!.body.temperature).toBeUndefined();
  });
});

describe("habits of single servers", () => {
  async function play(name: string, more: Partial<ModelRequest> = {}) {
    server.next(readCassette(name));
    const client = createModelClient({ mock: createMockState(), env });
    const [folder] = name.split("/");
    const api_mode = folder === "openai-responses" ? "responses" : "chat";
    const route =
      folder === "anthropic"
        ? { provider: "anthropic", model: "claude-sonnet-4-6" }
        : { provider: "openai", model: "gpt-4o", api_mode };
    return await client.stream({ ...route, messages: [user("?")], ...more });
  }

  it("numbers every call 0 and says `stop`", async () => {
    const outcome = await play("openai-chat/all-calls-index-zero");
    expect(outcome).toMatchObject({ ok: true, response: { stop_reason: "tool_use" } });
    if (!outcome.ok) return;
    expect(outcome.response.tool_calls.map((made) => [made.id, made.arguments])).toEqual([
      ["a1", { path: "a" }],
      ["b2", { path: "b" }],
    ]);
  });

  it("gives calls neither number nor id", async () => {
    const outcome = await play("openai-chat/no-index-no-id");
    expect(outcome).toMatchObject({
      ok: true,
      response: { tool_calls: [{ id: "call_1", name: "now", arguments: {} }] },
    });
  });

  it("calls reasoning otherwise and repeats usage", async () => {
    const outcome = await play("openai-chat/reasoning-field");
    expect(outcome).toMatchObject({
      ok: true,
      response: {
        thinking: "Let me see.",
        text: "42",
        usage: { input_tokens: 10, output_tokens: 3, cache_read_tokens: 8 },
      },
    });
  });

  it("reports an error in the middle of a stream", async () => {
    const outcome = await play("openai-chat/error-in-stream");
    expect(outcome).toMatchObject({
      ok: false,
      error: { category: "server_error", message: "openai: upstream overloaded [server_error]" },
      partial: { text: "Hal" },
    });
    const claude = await play("anthropic/overloaded-in-stream");
    expect(claude).toMatchObject({
      ok: false,
      error: { category: "overloaded", retryable: true },
      partial: { text: "Half", usage: { input_tokens: 12 } },
    });
    const failed = await play("openai-responses/failed");
    expect(failed).toMatchObject({
      ok: false,
      error: { category: "rate_limit", message: "openai: Rate limit reached [rate_limit_exceeded]" },
    });
  });

  it("sends broken JSON", async () => {
    const outcome = await play("openai-chat/not-json");
    expect(outcome).toMatchObject({ ok: false, error: { category: "server_error", retryable: true } });
  });

  it("hides its reasoning and adds parts from the future", async () => {
    const outcome = await play("anthropic/redacted-thinking");
    expect(outcome).toMatchObject({
      ok: true,
      response: {
        text: "Done.",
        reasoning: [{ protocol: "anthropic", item: { type: "redacted_thinking", data: "b3BhcXVl" } }],
        usage: { output_tokens: 9 },
      },
    });
  });

  const deferred: ModelRequest["tools"] = [
    { name: "now", description: "", parameters: { type: "object" } },
    {
      name: "forecast",
      description: "",
      parameters: { type: "object" },
      defer_loading: true,
      namespace: "sky",
    },
    { name: "radar", description: "", parameters: { type: "object" }, defer_loading: true, namespace: "sky" },
  ];

  it("searches its tools itself: anthropic", async () => {
    const search = { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" };
    const outcome = await play("anthropic/tool-search", { tools: deferred, provider_tools: [search] });
    expect(outcome).toMatchObject({
      ok: true,
      response: {
        blocks: [
          { type: "tool_search_query", id: "srvtoolu_1", query: { query: "weather" } },
          { type: "tool_search_result", tool_use_id: "srvtoolu_1", tool_names: ["forecast"] },
          { type: "tool_call", name: "forecast", arguments: { city: "Oslo" } },
        ],
      },
    });
    const sent = server.seen.at(-1)?.body as { tools: JsonObject[] };
    expect(sent.tools.map(({ name, defer_loading }) => [name, defer_loading])).toEqual([
      ["tool_search_tool_bm25", undefined],
      ["now", undefined],
      ["forecast", true],
      ["radar", true],
    ]);
    // What was found has to be seen again by the next call.
    if (!outcome.ok) return;
    const assistant = { role: "assistant", content: "", reasoning: outcome.response.reasoning };
    await play("anthropic/redacted-thinking", { messages: [user("?"), assistant, user("And?")] });
    const again = JSON.stringify(server.seen.at(-1)?.body);
    expect(again).toContain('"input":{"query":"weather"}');
    expect(again).toContain('"tool_name":"forecast"');
  });

  it("searches its tools itself: openai", async () => {
    const search = { type: "tool_search", mode: "hosted", namespaces: ["sky"] };
    const outcome = await play("openai-responses/tool-search", { tools: deferred, provider_tools: [search] });
    expect(outcome).toMatchObject({
      ok: true,
      response: {
        blocks: [
          { type: "tool_search_query", id: "tsc_1", query: { paths: ["weather"] } },
          { type: "tool_search_result", tool_use_id: "tso_1", tool_names: ["forecast"] },
          { type: "tool_call", name: "forecast", arguments: { city: "Oslo" } },
        ],
      },
    });
    const sent = server.seen.at(-1)?.body as { tools: JsonObject[] };
    expect(sent.tools).toMatchObject([
      { type: "tool_search", execution: "server" },
      { type: "function", name: "now" },
      {
        type: "namespace",
        name: "sky",
        tools: [{ name: "forecast", defer_loading: true }, { name: "radar" }],
      },
    ]);
    if (!outcome.ok) return;
    const assistant = { role: "assistant", content: "", reasoning: outcome.response.reasoning };
    expect(
      await play("openai-responses/refusal", { messages: [user("?"), assistant, user("And?")] }),
    ).toMatchObject({ ok: true });
    expect(JSON.stringify(server.seen.at(-1)?.body)).toContain('"type":"tool_search_output"');
  });

  it("without a search of the vendor's nothing is deferred", async () => {
    for (const cassette of [
      "anthropic/redacted-thinking",
      "openai-responses/refusal",
      "openai-chat/no-index-no-id",
    ]) {
      await play(cassette, { tools: deferred });
      expect(JSON.stringify(server.seen.at(-1)?.body)).not.toMatch(/defer_loading|namespace/);
    }
  });

  it("refuses", async () => {
    expect(await play("openai-responses/refusal")).toMatchObject({
      ok: true,
      response: { text: "I can't.", stop_reason: "refusal" },
    });
  });

  it("reports tokens but delivers nothing", async () => {
    server.next({ kind: "answer", usage: { input: 5, output: 12 } });
    const client = createModelClient({ mock: createMockState(), env });
    const outcome = await client.stream({
      provider: "openai",
      model: "gpt-4o",
      api_mode: "chat",
      messages: [user("?")],
    });
    expect(outcome).toMatchObject({ ok: false, error: { category: "server_error", retryable: true } });
    expect(!outcome.ok && outcome.error.message).toContain("delivered no content, reasoning, or tool calls");
  });

  it("answers with plain JSON where a stream was asked for", async () => {
    server.next({
      kind: "status",
      status: 200,
      body: {
        choices: [{ message: { content: "plain" }, finish_reason: "stop" }],
        usage: { prompt_tokens: 2, completion_tokens: 1 },
      },
    });
    const client = createModelClient({ mock: createMockState(), env });
    const outcome = await client.stream({
      provider: "local",
      model: "m",
      base_url: server.url,
      messages: [user("?")],
    });
    expect(outcome).toMatchObject({ ok: true, response: { text: "plain", cost_usd: 0 } });
    expect(server.seen[0]!.path).toBe("/v1/chat/completions");
    expect(server.seen[0]!.headers.authorization).toBeUndefined();
  });
});

describe("servers of one's own", () => {
  async function at(
    env: [string, string][],
    more: Partial<ModelRequest>,
    scenario: Scenario = { kind: "answer", text: "hi" },
  ) {
    server.next(scenario);
    const client = createModelClient({ mock: createMockState(), env: new Map(env) });
    const outcome = await client.stream({ provider: "openai", model: "m", messages: [user("?")], ...more });
    return { outcome, seen: server.seen[0] };
  }

  it("another address needs no key, and gets OpenAI's chat API", async () => {
    const { outcome, seen } = await at([], { base_url: `${server.url}/v1` });
    expect(outcome).toMatchObject({ ok: true, response: { text: "hi", cost_usd: null } });
    expect(seen).toMatchObject({ wire: "chat" });
    expect(seen!.headers.authorization).toBeUndefined();
    server.seen.length = 0;
    const claude = await at([], { provider: "anthropic", base_url: server.url });
    expect(claude.outcome.ok).toBe(true);
  });

  it("a refusal says that no key was sent", async () => {
    const { outcome } = await at(
      [],
      { base_url: `${server.url}/v1` },
      { kind: "status", status: 401, body: { error: { message: "who are you?" } } },
    );
    expect(outcome).toMatchObject({
      error: {
        category: "auth",
        message: "HTTP 401 from openai: who are you? (no key was sent: set OPENAI_API_KEY)",
      },
    });
  });

  it.each([
    ["ollama", "OLLAMA_HOST", "/v1/chat/completions"],
    ["llamacpp", "LLAMACPP_BASE_URL", "/v1/chat/completions"],
    ["together", "TOGETHER_AI_BASE_URL", "/chat/completions"],
    ["gemini", "GEMINI_BASE_URL", "/v1beta/openai/chat/completions"],
    ["anthropic", "ANTHROPIC_BASE_URL", "/v1/messages"],
  ])("%s: %s moves it", async (provider, name, path) => {
    const { outcome, seen } = await at([[name, `${server.url}/`]], { provider });
    expect(outcome.ok).toBe(true);
    expect(seen!.path).toBe(path);
  });

  it("an address without scheme, as Ollama writes it", async () => {
    const { outcome } = await at([["OLLAMA_HOST", server.url.replace("http://", "")]], {
      provider: "ollama",
    });
    expect(outcome.ok).toBe(true);
  });

  it("gemini's key goes into both headers that its gateways read", async () => {
    const { seen } = await at(
      [
        ["GEMINI_BASE_URL", server.url],
        ["GOOGLE_API_KEY", "g-key"],
      ],
      { provider: "gemini" },
    );
    expect(seen!.headers).toMatchObject({ "x-goog-api-key": "g-key", authorization: "Bearer g-key" });
  });

  it("OpenAI's headers from the environment stay with OpenAI", async () => {
    process.env.OPENAI_CUSTOM_HEADERS = "X-Team-Token: t-secret";
    process.env.OPENAI_ORG_ID = "org-secret";
    try {
      const { seen } = await at([], { provider: "local", base_url: server.url });
      expect(JSON.stringify(seen!.headers)).not.toContain("secret");
    } finally {
      delete process.env.OPENAI_CUSTOM_HEADERS;
      delete process.env.OPENAI_ORG_ID;
    }
  });

  it("nothing there: says where, and what else can be done", async () => {
    const gone = await startProviderServer();
    await gone.close();
    const client = createModelClient({ mock: createMockState(), env: new Map() });
    const call = (provider: string, base_url: string) =>
      client.stream({ provider, model: "m", base_url, messages: [user("?")] });
    const local = await call("ollama", gone.url);
    expect(local).toMatchObject({ ok: false, error: { category: "transient_network", retryable: false } });
    expect(!local.ok && local.error.address).toBe(`${gone.url}/v1`);
    expect(!local.ok && local.error.message).toContain(
      `ollama at ${gone.url}/v1: connection refused, no server is running there`,
    );
    const hosted = await call("openai", `${gone.url}/v1`);
    expect(!hosted.ok && hosted.error.message).toBe(
      `openai at ${gone.url}/v1: connection refused, nothing listens at this address`,
    );
    // Port 9 is one that fetch refuses by itself.
    const refused = await call("openai", "http://127.0.0.1:9/v1");
    expect(!refused.ok && refused.error.message).toBe(
      "openai at http://127.0.0.1:9/v1: cannot connect (bad port)",
    );
  });

  it("an address that is none", async () => {
    const client = createModelClient({ mock: createMockState(), env: new Map() });
    const outcome = await client.stream({
      provider: "openai",
      model: "m",
      base_url: "http://",
      messages: [user("?")],
    });
    expect(outcome).toMatchObject({
      ok: false,
      error: { category: "not_found", message: "provider `openai`: `http://` is no web address" },
    });
  });
});

describe("structured output", () => {
  const schema = {
    type: "object",
    properties: { name: { type: "string", minLength: 1 }, age: { type: "integer" } },
    required: ["name"],
  };
  const strict = {
    type: "object",
    properties: {
      name: { type: "string", description: "(minLength 1)" },
      age: { type: ["integer", "null"] },
    },
    required: ["name", "age"],
    additionalProperties: false,
  };

  async function ask(route: Partial<ModelRequest> & { provider: string; model: string }, scenario: Scenario) {
    server.next(scenario);
    const client = createModelClient({ mock: createMockState(), env });
    const outcome = await client.stream({
      messages: [user("?")],
      output_format: { kind: "json_schema", schema },
      ...route,
    });
    if (!outcome.ok) throw new Error(outcome.error.message);
    return { response: outcome.response, body: server.seen[0]!.body };
  }

  it("chat: response_format in strict form", async () => {
    const { response, body } = await ask(
      { provider: "openai", model: "gpt-4o", api_mode: "chat" },
      { kind: "answer", text: "{}" },
    );
    expect(body.response_format).toEqual({
      type: "json_schema",
      json_schema: { name: "answer", schema: strict, strict: true },
    });
    expect(response.strict_nulls).toBe(true);
  });

  it("responses: text.format in strict form", async () => {
    const { body } = await ask(
      { provider: "openai", model: "gpt-4o", api_mode: "responses" },
      { kind: "answer", text: "{}" },
    );
    expect(body.text).toEqual({
      format: { type: "json_schema", name: "answer", schema: strict, strict: true },
    });
  });

  it("newer Claude: the vendor's own format", async () => {
    const { body } = await ask(
      { provider: "anthropic", model: "claude-sonnet-4-6" },
      { kind: "answer", text: "{}" },
    );
    expect(body.output_config).toEqual({ format: { type: "json_schema", schema: strict } });
  });

  it("older Claude: a forced tool, whose input becomes the text", async () => {
    const args = '{"name": "Ada"}';
    const { response, body } = await ask(
      { provider: "anthropic", model: "claude-sonnet-4-20250514" },
      { kind: "answer", calls: [{ id: "t1", name: "json_answer", args }] },
    );
    expect(body.tool_choice).toEqual({ type: "tool", name: "json_answer" });
    expect(response).toMatchObject({
      text: args,
      tool_calls: [],
      stop_reason: "end_turn",
      strict_nulls: false,
    });
  });

  it("without support: words in the system text", async () => {
    const { body } = await ask(
      { provider: "local", model: "m", base_url: server.url, system: "Be brief." },
      { kind: "answer", text: "{}" },
    );
    expect(body.response_format).toEqual({ type: "json_object" });
    const [system] = body.messages as { content: string }[];
    expect(system!.content).toMatch(/^Be brief\.\n\nAnswer with a single JSON value/);
    expect(system!.content).toContain('"minLength":1');
  });
});
