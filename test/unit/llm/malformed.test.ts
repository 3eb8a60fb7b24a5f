/** Streams that break their protocol: an answer or a `ModelError`, never an error of the runtime, never `[object Object]`. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createMockState,
  createModelClient,
  type ModelEvent,
  type ModelOutcome,
  type ModelRequest,
} from "../../../src/model/llm/index.ts";
import {
  type ProviderServer,
  startProviderServer,
  type WireEvent,
} from "../../support/provider-server/index.ts";

let server: ProviderServer;
beforeAll(async () => {
  server = await startProviderServer();
});
afterAll(() => server.close());

const routes = {
  anthropic: { provider: "anthropic", model: "claude-sonnet-4-6" },
  chat: { provider: "openai", model: "gpt-4o", api_mode: "chat" },
  responses: { provider: "openai", model: "gpt-4o", api_mode: "responses" },
} as const;
type Wire = keyof typeof routes;

async function answer(
  wire: Wire,
  events: WireEvent[],
): Promise<{ outcome: ModelOutcome; seen: ModelEvent[] }> {
  server.next({ kind: "raw", events });
  return await ask(wire, {});
}

async function ask(
  wire: Wire,
  more: Partial<ModelRequest>,
): Promise<{ outcome: ModelOutcome; seen: ModelEvent[] }> {
  const client = createModelClient({
    mock: createMockState(),
    env: new Map([
      ["ANTHROPIC_API_KEY", "k"],
      ["OPENAI_API_KEY", "k"],
      ["ANTHROPIC_BASE_URL", server.url],
      ["OPENAI_BASE_URL", `${server.url}/v1`],
    ]),
  });
  const seen: ModelEvent[] = [];
  const outcome = await client.stream(
    { ...routes[wire], messages: [{ role: "user", content: "?" }], ...more },
    { onEvent: (event) => seen.push(event) },
  );
  return { outcome, seen };
}

/** Events as each vendor frames them. */
const claude = (...data: { type: string; [name: string]: unknown }[]): WireEvent[] =>
  [
    {
      type: "message_start",
      message: { id: "m", role: "assistant", content: [], usage: { input_tokens: 1 } },
    },
    ...data,
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ].map((one) => ({ event: one.type, data: one }));
const toolUse = (index: number, id: unknown, name: unknown, input: unknown = {}) => ({
  type: "content_block_start",
  index,
  content_block: { type: "tool_use", id, name, input },
});
const json = (index: number, partial_json: unknown) => ({
  type: "content_block_delta",
  index,
  delta: { type: "input_json_delta", partial_json },
});
const chunk = (delta: unknown, finish_reason: unknown = null): WireEvent => ({
  data: { id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] },
});
const done: WireEvent = { data: "[DONE]" };

describe("two calls at one place", () => {
  const both = [
    ["a", "one", '{"x":1}'],
    ["b", "two", '{"y":2}'],
  ];
  const calls = (outcome: ModelOutcome) =>
    outcome.ok
      ? outcome.response.tool_calls.map(({ id, name, raw_arguments }) => [id, name, raw_arguments])
      : outcome;

  it("anthropic: the one that begins ends the one before it", async () => {
    const { outcome } = await answer(
      "anthropic",
      claude(toolUse(0, "a", "one"), json(0, '{"x":1}'), toolUse(0, "b", "two"), json(0, '{"y":2}'), {
        type: "content_block_stop",
        index: 0,
      }),
    );
    expect(calls(outcome)).toEqual(both);
  });

  it("anthropic: a stop that comes twice, or for nothing, changes nothing", async () => {
    const stop = { type: "content_block_stop", index: 0 };
    const { outcome } = await answer(
      "anthropic",
      claude(toolUse(0, "a", "one"), json(0, '{"x":1}'), stop, stop, { ...stop, index: 7 }, json(9, "{}")),
    );
    expect(calls(outcome)).toEqual([both[0]]);
  });

  it("responses: the same", async () => {
    const item = (call_id: string, name: string) => ({
      data: {
        type: "response.output_item.added",
        output_index: 0,
        item: { type: "function_call", id: `i${call_id}`, call_id, name, arguments: "" },
      },
    });
    const args = (delta: string) => ({
      data: { type: "response.function_call_arguments.delta", output_index: 0, delta },
    });
    const { outcome } = await answer("responses", [
      item("a", "one"),
      args('{"x":1}'),
      item("b", "two"),
      args('{"y":2}'),
      { data: { type: "response.completed", response: { id: "r", status: "completed" } } },
    ]);
    expect(calls(outcome)).toEqual(both);
  });

  it("calls with one id get ids of their own", async () => {
    const call = (index: number) => ({ index, id: "same", function: { name: "t", arguments: "{}" } });
    const { outcome } = await answer("chat", [
      chunk({ tool_calls: [call(0)] }),
      chunk({ tool_calls: [call(1)] }),
      chunk({}, "tool_calls"),
      done,
    ]);
    expect(outcome.ok && outcome.response.tool_calls.map(({ id }) => id)).toEqual(["same", "same_2"]);
  });

  it("a name that comes late is waited for; one that never comes is a fault", async () => {
    const part = (fn: object) => chunk({ tool_calls: [{ index: 0, id: "a", function: fn }] });
    const late = await answer("chat", [
      part({ arguments: '{"x"' }),
      part({ name: "one", arguments: ":1}" }),
      chunk({}, "tool_calls"),
      done,
    ]);
    expect(calls(late.outcome)).toEqual([both[0]]);
    const never = await answer("chat", [part({ arguments: "{}" }), chunk({}, "tool_calls"), done]);
    expect(never.outcome).toMatchObject({ ok: false, error: { category: "server_error" } });
  });
});

describe("what is no text", () => {
  const strange: readonly unknown[] = [{ a: 1 }, 7, true, [{ a: 1 }], { text: { text: 5 } }];
  it.each(strange)("%j in a text is a fault of the answer", async (value) => {
    const all = [
      await answer(
        "anthropic",
        claude(
          { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
          { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: value } },
        ),
      ),
      await answer("chat", [chunk({ content: value }), chunk({}, "stop"), done]),
      await answer("responses", [
        { data: { type: "response.output_text.delta", output_index: 0, delta: value } },
        { data: { type: "response.completed", response: { id: "r", status: "completed" } } },
      ]),
    ];
    for (const { outcome, seen } of all) {
      expect(JSON.stringify([outcome, seen])).not.toContain("[object Object]");
      expect(outcome).toMatchObject({ ok: false, error: { category: "server_error" } });
      if (!outcome.ok) expect(outcome.error.message).toMatch(/sent what is no answer in its protocol/);
    }
  });

  it("arguments that come as an object are read", async () => {
    const { outcome } = await answer("anthropic", claude(toolUse(0, "a", "one"), json(0, { x: 1 })));
    expect(outcome.ok && outcome.response.tool_calls[0]?.arguments).toEqual({ x: 1 });
  });
});

/** Every place of a good stream, one after the other, filled with something else. */
describe("a stream with one wrong value", () => {
  const good: { readonly [W in Wire]: WireEvent[] } = {
    anthropic: claude(
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "hm" } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "s" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "hi" } },
      { type: "content_block_stop", index: 1 },
      toolUse(2, "a", "one"),
      json(2, '{"x":1}'),
      { type: "content_block_stop", index: 2 },
    ),
    chat: [
      chunk({ role: "assistant", reasoning_content: "hm" }),
      chunk({ content: "hi" }),
      chunk({ tool_calls: [{ index: 0, id: "a", function: { name: "one", arguments: '{"x":1}' } }] }),
      chunk({}, "tool_calls"),
      { data: { id: "c", choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } } },
      done,
    ],
    responses: [
      { data: { type: "response.created", response: { id: "r" } } },
      { data: { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "hm" } },
      {
        data: {
          type: "response.output_item.done",
          output_index: 0,
          item: { type: "reasoning", encrypted_content: "z" },
        },
      },
      { data: { type: "response.output_text.delta", output_index: 1, delta: "hi" } },
      {
        data: {
          type: "response.output_item.added",
          output_index: 2,
          item: { type: "function_call", id: "i", call_id: "a", name: "one", arguments: "" },
        },
      },
      { data: { type: "response.function_call_arguments.delta", output_index: 2, delta: '{"x":1}' } },
      { data: { type: "response.function_call_arguments.done", output_index: 2, arguments: '{"x":1}' } },
      {
        data: {
          type: "response.completed",
          response: { id: "r", status: "completed", usage: { input_tokens: 1, output_tokens: 2 } },
        },
      },
    ],
  };
  const wrong: readonly unknown[] = [null, {}, [], 7, "?", true, { type: "x", text: {} }];

  function* spoilt(value: unknown): Generator<unknown> {
    if (typeof value !== "object" || value === null) return;
    for (const key of Object.keys(value)) {
      const of = value as Record<string, unknown>;
      for (const bad of wrong)
        yield Array.isArray(value) ? value.with(Number(key), bad) : { ...of, [key]: bad };
      for (const inner of spoilt(of[key]))
        yield Array.isArray(value) ? value.with(Number(key), inner) : { ...of, [key]: inner };
    }
  }

  it.each(Object.keys(good) as Wire[])("%s: an answer or an error that names the provider", async (wire) => {
    const events = good[wire];
    const whole = await answer(wire, events);
    expect(whole.outcome).toMatchObject({ ok: true, response: { text: "hi", thinking: "hm" } });
    let tried = 0;
    for (const [at, event] of events.entries()) {
      for (const data of spoilt(event.data)) {
        const { outcome, seen } = await answer(wire, events.with(at, { ...event, data }));
        tried++;
        const text = JSON.stringify([outcome, seen]);
        expect(text, JSON.stringify(data)).not.toMatch(/\[object Object\]|undefined/);
        expect(seen.filter(({ kind }) => kind === "finish" || kind === "error")).toHaveLength(1);
        if (outcome.ok) for (const call of outcome.response.tool_calls) expect(call?.name).toMatch(/./);
      }
    }
    expect(tried).toBeGreaterThan(100);
  });
});

describe("arguments that are no JSON", () => {
  it.each(["chat", "responses", "anthropic"] as const)(
    "%s: go back as JSON that holds them",
    async (wire) => {
      server.seen.length = 0;
      server.next({ kind: "answer", text: "ok" });
      const raw = '{"path": "a';
      await ask(wire, {
        messages: [
          { role: "user", content: "?" },
          { role: "assistant", content: "", tool_calls: [{ id: "a", name: "one", arguments: raw }] },
          { role: "tool", tool_call_id: "a", content: "the arguments are not valid JSON" },
          {
            role: "assistant",
            content: "",
            tool_calls: [{ id: "b", name: "one", arguments: '{"path":"b"}' }],
          },
          { role: "tool", tool_call_id: "b", content: "fine" },
        ],
      });
      const sent: unknown[] = [];
      JSON.stringify(server.seen[0]?.body, (name, part: unknown) => {
        if (name === "arguments") sent.push(JSON.parse(part as string));
        if (name === "input" && !Array.isArray(part)) sent.push(part);
        return part;
      });
      expect(sent).toEqual([{ malformed_arguments: raw }, { path: "b" }]);
    },
  );
});

it.each([1e308, 1e13, Number.NaN, -5])("a count of %s tokens is none, and is estimated", async (count) => {
  const usage = { prompt_tokens: count, completion_tokens: count };
  server.next({
    kind: "raw",
    events: [chunk({ content: "abcd" }), chunk({}, "stop"), { data: { id: "c", choices: [], usage } }, done],
  });
  const { outcome } = await ask("chat", { messages: [{ role: "user", content: "x".repeat(4000) }] });
  if (!outcome.ok) throw new Error(outcome.error.message);
  expect(outcome.response.usage).toMatchObject({ estimated: true, output_tokens: 1 });
  expect(outcome.response.usage.input_tokens).toBeLessThan(10_000);
  expect(outcome.response.cost_usd).toBeLessThan(1);
});

describe("a server that counts nothing", () => {
  it.each(["chat", "anthropic", "responses"] as const)("%s: usage and cost are estimated", async (wire) => {
    const text = "four words of text. ".repeat(50);
    const events: { readonly [W in Wire]: WireEvent[] } = {
      chat: [chunk({ content: text }), chunk({}, "stop"), done],
      anthropic: claude(
        { type: "content_block_start", index: 0, content_block: { type: "text", text } },
        { type: "content_block_stop", index: 0 },
      ).map(({ event, data }) => ({
        event: event as string,
        data: JSON.parse(JSON.stringify(data, (key, part: unknown) => (key === "usage" ? undefined : part))),
      })),
      responses: [
        { data: { type: "response.output_text.delta", output_index: 0, delta: text } },
        { data: { type: "response.completed", response: { id: "r", status: "completed" } } },
      ],
    };
    server.next({ kind: "raw", events: events[wire] });
    const { outcome } = await ask(wire, { messages: [{ role: "user", content: "x".repeat(4000) }] });
    if (!outcome.ok) throw new Error(outcome.error.message);
    const { usage, cost_usd } = outcome.response;
    expect(usage).toMatchObject({ estimated: true, output_tokens: text.length / 4 });
    expect(usage.input_tokens).toBeGreaterThanOrEqual(1000);
    expect(cost_usd).toBeGreaterThan(0);
  });
});
