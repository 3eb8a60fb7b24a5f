/** What answers carry besides text and calls, and vendors want to see again: it goes back as it came, to whom it came from. */
import { describe, expect, it } from "vitest";
import { modelCall, planCall, requestOf } from "../../../src/model/index.ts";
import {
  createMockState,
  createModelClient,
  type ModelMessage,
  type ModelRequest,
  type ModelResponse,
} from "../../../src/model/llm/index.ts";
import { Dict } from "../../../src/values/index.ts";
import { testRun } from "../../support/concurrent.ts";
import { createMemoryHost } from "../../support/memory-host.ts";
import { providerServerForTests, type WireEvent } from "../../support/provider-server/index.ts";

const server = await providerServerForTests();

const variables = (): Record<string, string> => ({
  DEEPSEEK_API_KEY: "k",
  DEEPSEEK_BASE_URL: `${server.url}/v1`,
  GEMINI_API_KEY: "k",
  GEMINI_BASE_URL: `${server.url}/v1`,
  OPENROUTER_API_KEY: "k",
  OPENROUTER_BASE_URL: `${server.url}/v1`,
  OPENAI_API_KEY: "k",
  OPENAI_BASE_URL: `${server.url}/v1`,
  ANTHROPIC_API_KEY: "k",
  ANTHROPIC_BASE_URL: server.url,
});

async function ask(request: ModelRequest, events: WireEvent[]): Promise<ModelResponse> {
  server.next({ kind: "raw", events });
  const client = createModelClient({ mock: createMockState(), env: new Map(Object.entries(variables())) });
  const outcome = await client.stream(request);
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.response;
}

const chunk = (delta: unknown, finish_reason: unknown = null): WireEvent => ({
  data: { id: "c", choices: [{ index: 0, delta, finish_reason }] },
});
const done: WireEvent = { data: "[DONE]" };
const call = { index: 0, id: "a", function: { name: "look", arguments: "{}" } };
const user: ModelMessage = { role: "user", content: "?" };

/** The assistant message of a turn, as it went out in the next. */
async function nextTurn(
  provider: string,
  events: WireEvent[],
  other = provider,
): Promise<Record<string, unknown>> {
  const request = { provider, model: "m", messages: [user], api_mode: "chat" };
  const { text, tool_calls, reasoning } = await ask(request, events);
  const calls = tool_calls.map(({ id, name, raw_arguments }) => ({ id, name, arguments: raw_arguments }));
  const messages: ModelMessage[] = [
    user,
    { role: "assistant", content: text, tool_calls: calls, reasoning },
    ...calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "seen" })),
    ...(calls.length === 0 ? [user] : []),
  ];
  await ask({ ...request, provider: other, messages }, [chunk({ content: "ok" }), chunk({}, "stop"), done]);
  return (server.seen[1]?.body.messages as Record<string, unknown>[] | undefined)?.[1] ?? {};
}

describe("chat", () => {
  const thinking = [chunk({ reasoning_content: "I should " }), chunk({ reasoning_content: "look." })];
  const calling = [chunk({ tool_calls: [call] }), chunk({}, "tool_calls"), done];

  it("reasoning_content goes back with the calls", async () => {
    expect(await nextTurn("deepseek", [...thinking, ...calling])).toMatchObject({
      reasoning_content: "I should look.",
      tool_calls: [{ id: "a" }],
    });
  });
  it("DeepSeek gets the field with every call, be it empty", async () => {
    expect(await nextTurn("deepseek", calling)).toMatchObject({ reasoning_content: "" });
  });
  it("a text alone goes back without it", async () => {
    const events = [...thinking, chunk({ content: "hi" }), chunk({}, "stop"), done];
    expect(await nextTurn("deepseek", events)).toEqual({ role: "assistant", content: "hi" });
  });
  it("no other vendor gets it", async () => {
    expect(await nextTurn("deepseek", [...thinking, ...calling], "openai")).not.toHaveProperty(
      "reasoning_content",
    );
    expect(await nextTurn("openai", calling)).not.toHaveProperty("reasoning_content");
  });
  it("Gemini's signatures stay on their calls", async () => {
    const extra_content = { google: { thought_signature: "sig" } };
    const events = [chunk({ tool_calls: [{ ...call, extra_content }] }), chunk({}, "tool_calls"), done];
    expect(await nextTurn("gemini", events)).toMatchObject({ tool_calls: [{ id: "a", extra_content }] });
  });
  it("OpenRouter's details go back whole", async () => {
    const piece = (text: string) =>
      chunk({
        reasoning: text,
        reasoning_details: [{ type: "reasoning.text", index: 0, text, signature: null }],
      });
    const sealed = chunk({ reasoning_details: [{ type: "reasoning.encrypted", index: 1, data: "z" }] });
    const message = await nextTurn("openrouter", [piece("one "), piece("two"), sealed, ...calling]);
    expect(message).toMatchObject({
      reasoning_details: [
        { type: "reasoning.text", text: "one two" },
        { type: "reasoning.encrypted", data: "z" },
      ],
    });
  });
});

const claude = (stop: string, blocks: { type: string; [name: string]: unknown }[]): WireEvent[] =>
  [
    { type: "message_start", message: { id: "m", usage: { input_tokens: 10 } } },
    ...blocks.flatMap((content_block, index) => [
      { type: "content_block_start", index, content_block },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason: stop }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ].map((data) => ({ event: data.type, data }));
const search = [
  { type: "text", text: "I search." },
  { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "x" } },
  { type: "web_search_tool_result", tool_use_id: "s1", content: [{ type: "web_search_result", url: "u" }] },
];

describe("tools that the vendor runs", () => {
  it("anthropic: whatever they are called, they go back in their place", async () => {
    const request = { provider: "anthropic", model: "claude-sonnet-4-6", messages: [user] };
    const blocks = [
      ...search,
      { type: "some_new_tool_result", tool_use_id: "s1" },
      { type: "text", text: "Found." },
    ];
    const { text, reasoning, blocks: shown } = await ask(request, claude("end_turn", blocks));
    expect(text).toBe("I search.Found.");
    expect(shown.map(({ type }) => type)).toEqual([
      "server_tool_use",
      "web_search_tool_result",
      "some_new_tool_result",
      "output_text",
    ]);
    const messages = [user, { role: "assistant", content: text, reasoning }, user];
    await ask({ ...request, messages }, claude("end_turn", [{ type: "text", text: "ok" }]));
    const sent = server.seen.at(-1)?.body.messages as { content: unknown }[];
    expect(sent[1]?.content).toEqual(blocks);
  });

  it("responses: items of other kinds go back", async () => {
    const item = { type: "web_search_call", id: "ws", status: "completed", action: { type: "search" } };
    const request = { provider: "openai", model: "gpt-5", api_mode: "responses", messages: [user] };
    const { reasoning } = await ask(request, [
      { data: { type: "response.output_item.done", output_index: 0, item } },
      { data: { type: "response.output_text.delta", output_index: 1, delta: "hi" } },
      { data: { type: "response.completed", response: { id: "r", status: "completed" } } },
    ]);
    expect(reasoning).toEqual([{ protocol: "openai_responses", item }]);
  });
});

describe("a paused turn", () => {
  const run = () => testRun(undefined, createMemoryHost({ env: variables() }));
  const options = Dict.of({ provider: "anthropic", model: "claude-sonnet-4-6" });

  it("is continued with what was said, and is one answer", async () => {
    server.next(
      { kind: "raw", events: claude("pause_turn", search) },
      { kind: "raw", events: claude("pause_turn", [{ type: "text", text: " Still." }]) },
      { kind: "raw", events: claude("end_turn", [{ type: "text", text: " Found." }]) },
    );
    const { task } = run();
    const plan = planCall(task, options);
    const result = await modelCall(task, requestOf(plan, { messages: [user], system: null }));
    expect(result).toMatchObject({
      ok: true,
      attempts: 3,
      response: {
        text: "I search. Still. Found.",
        stop_reason: "end_turn",
        usage: { input_tokens: 30, output_tokens: 15 },
      },
    });
    const sent = server.seen.map(({ body }) => body.messages as { role: string; content: unknown }[]);
    expect(sent.map((messages) => messages.length)).toEqual([1, 2, 2]);
    expect(sent[2]?.[1]).toEqual({
      role: "assistant",
      content: [...search, { type: "text", text: " Still." }],
    });
    expect(result.ok && result.response.reasoning.map(({ item }) => item.type)).toEqual([
      "text",
      "server_tool_use",
      "web_search_tool_result",
      "text",
      "text",
    ]);
  });

  it("is bounded", async () => {
    for (let i = 0; i < 11; i++) server.next({ kind: "raw", events: claude("pause_turn", search) });
    const { task } = run();
    const plan = planCall(task, options);
    const result = await modelCall(task, requestOf(plan, { messages: [user], system: null }));
    expect(result).toMatchObject({ ok: true, attempts: 11, response: { stop_reason: "pause_turn" } });
  });
});
