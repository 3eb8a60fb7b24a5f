/** What goes over the wire: options of a request in each vendor's words (agents.md §1.5, §1.6). */
import { describe, expect, it } from "vitest";
import { createMockState, createModelClient, type ModelRequest } from "../../../src/model/llm/index.ts";
import { providerServerForTests } from "../../support/provider-server/index.ts";

const server = await providerServerForTests();

const tool = { name: "t", description: "T.", parameters: { type: "object", properties: {} } };

async function sent(request: Partial<ModelRequest> & { provider: string; model: string }) {
  server.next({ kind: "answer", text: "ok", usage: { input: 1, output: 1 } });
  const base_url = request.provider === "openai" ? `${server.url}/v1` : server.url;
  const client = createModelClient({ mock: createMockState(), env: new Map() });
  const outcome = await client.stream({ base_url, messages: [{ role: "user", content: "hi" }], ...request });
  if (!outcome.ok) throw new Error(outcome.error.message);
  return server.seen[0]!;
}

/** Undefined in the expectation means: not sent. */
function expectBody(body: Record<string, unknown>, expected: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(expected)) expect(body[name], name).toEqual(value);
}

const sonnet = { provider: "anthropic", model: "claude-sonnet-4-6" };
const oldSonnet = { provider: "anthropic", model: "claude-sonnet-4-20250514" };
const newOpus = { provider: "anthropic", model: "claude-opus-5-5" };
const newSonnet = { provider: "anthropic", model: "claude-sonnet-5" };
const chat = { provider: "openai", model: "gpt-4o", api_mode: "chat" };
const responses = { provider: "openai", model: "gpt-4o", api_mode: "responses" };

describe("anthropic", () => {
  it.each<[string, Partial<ModelRequest> & { provider: string; model: string }, Record<string, unknown>]>([
    [
      "a limit is always sent",
      sonnet,
      {
        max_tokens: 16_384,
        thinking: undefined,
        temperature: undefined,
        tools: undefined,
        tool_choice: undefined,
      },
    ],
    [
      "no more than the model may write",
      { provider: "anthropic", model: "claude-3-haiku-20240307", max_tokens: 16_384 },
      { max_tokens: 4096 },
    ],
    [
      "sampling",
      { ...oldSonnet, temperature: 0, top_p: 0.9, top_k: 5, stop: ["END"] },
      { temperature: 0, top_p: 0.9, top_k: 5, stop_sequences: ["END"] },
    ],
    [
      "no sampling on models that refuse it",
      { ...newOpus, temperature: 0, top_k: 5 },
      { temperature: undefined, top_k: undefined },
    ],
    [
      "thinking with a budget",
      { ...oldSonnet, temperature: 0.5, thinking: { mode: "enabled", budget_tokens: 2000 } },
      { thinking: { type: "enabled", budget_tokens: 2000 }, temperature: undefined },
    ],
    [
      "thinking without one",
      { ...oldSonnet, thinking: { mode: "enabled" } },
      { thinking: { type: "enabled", budget_tokens: 4096 } },
    ],
    [
      "a budget below the vendor's least",
      { ...oldSonnet, thinking: { mode: "enabled", budget_tokens: 5 } },
      { thinking: { type: "enabled", budget_tokens: 1024 } },
    ],
    [
      "a budget above the limit",
      { ...oldSonnet, max_tokens: 3000, thinking: { mode: "enabled", budget_tokens: 9000 } },
      { thinking: { type: "enabled", budget_tokens: 2999 } },
    ],
    [
      "no room to think",
      { ...oldSonnet, max_tokens: 500, thinking: { mode: "enabled" } },
      { thinking: undefined },
    ],
    [
      "effort as a budget",
      { ...oldSonnet, max_tokens: 20_000, thinking: { mode: "effort", level: "high" } },
      { thinking: { type: "enabled", budget_tokens: 16_384 }, output_config: undefined },
    ],
    [
      "effort on adaptive models",
      { ...sonnet, thinking: { mode: "effort", level: "high" } },
      { thinking: { type: "adaptive" }, output_config: { effort: "high" } },
    ],
    [
      "enabled on adaptive models",
      { ...sonnet, thinking: { mode: "enabled", budget_tokens: 2000 } },
      { thinking: { type: "adaptive" } },
    ],
    [
      "disabled is the default of older models",
      { ...sonnet, thinking: { mode: "disabled" } },
      { thinking: undefined },
    ],
    [
      "disabled is said to models that think by default",
      { ...newSonnet, thinking: { mode: "disabled" } },
      { thinking: { type: "disabled" } },
    ],
    [
      "disabled is kept from models that always think",
      { ...newOpus, thinking: { mode: "disabled" } },
      { thinking: undefined },
    ],
    [
      "tool choice: required",
      { ...sonnet, tools: [tool], tool_choice: "required" },
      { tool_choice: { type: "any" } },
    ],
    [
      "tool choice: by name",
      { ...sonnet, tools: [tool], tool_choice: { name: "t" } },
      { tool_choice: { type: "tool", name: "t" } },
    ],
    [
      "tool choice: none",
      { ...sonnet, tools: [tool], tool_choice: "none" },
      { tool_choice: { type: "none" } },
    ],
    [
      "a thinking model chooses itself",
      { ...sonnet, tools: [tool], tool_choice: "required", thinking: { mode: "adaptive" } },
      { tool_choice: { type: "auto" } },
    ],
    [
      "prefill where it is taken",
      { ...oldSonnet, prefill: "{ " },
      {
        messages: [
          { role: "user", content: [{ type: "text", text: "hi" }] },
          { role: "assistant", content: [{ type: "text", text: "{" }] },
        ],
      },
    ],
    [
      "prefill where it is refused",
      { ...sonnet, prefill: "{" },
      { messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }] },
    ],
  ])("%s", async (_what, request, expected) => {
    expectBody((await sent(request)).body, expected);
  });

  it("beta features go into the header", async () => {
    const { headers } = await sent({
      ...oldSonnet,
      interleaved_thinking: true,
      anthropic_beta_features: ["x-1"],
    });
    expect(headers["anthropic-beta"]).toBe("x-1,interleaved-thinking-2025-05-14");
    server.seen.length = 0;
    const opus = await sent({
      provider: "anthropic",
      model: "claude-opus-4-6",
      thinking: { mode: "enabled" },
    });
    expect(opus.headers["anthropic-beta"]).toBe("interleaved-thinking-2025-05-14");
  });

  it("caching marks system, tools and the newest message", async () => {
    const { body } = await sent({ ...sonnet, system: "S", tools: [tool], cache: true });
    const mark = { cache_control: { type: "ephemeral" } };
    expectBody(body, {
      system: [{ type: "text", text: "S", ...mark }],
      messages: [{ role: "user", content: [{ type: "text", text: "hi", ...mark }] }],
    });
    expect(body.tools).toMatchObject([{ name: "t", ...mark }]);
  });

  it("system messages: first ones join the system text, later ones stay in place", async () => {
    const messages = [
      { role: "system", content: "One." },
      { role: "user", content: "a" },
      { role: "system", content: "Two." },
    ];
    const { body } = await sent({ ...sonnet, system: "Zero.", messages });
    expectBody(body, {
      system: "Zero.\n\nOne.",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "<system>\nTwo.\n</system>" },
          ],
        },
      ],
    });
  });

  it("pictures and documents", async () => {
    const content = [
      { type: "image" as const, url: "http://x/y.png" },
      { type: "image" as const, base64: "QUJD", media_type: "image/jpeg" },
      { type: "pdf" as const, base64: "QUJD" },
      { type: "text" as const, text: "?" },
    ];
    const { body } = await sent({ ...sonnet, messages: [{ role: "user", content }] });
    expect((body.messages as { content: unknown }[])[0]!.content).toEqual([
      { type: "image", source: { type: "url", url: "http://x/y.png" } },
      { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "QUJD" } },
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: "QUJD" } },
      { type: "text", text: "?" },
    ]);
  });
});

describe("openai", () => {
  it.each<[string, Partial<ModelRequest> & { provider: string; model: string }, Record<string, unknown>]>([
    [
      "chat: the newer name of the limit",
      { ...chat, max_tokens: 10 },
      { max_completion_tokens: 10, max_tokens: undefined, stream_options: { include_usage: true } },
    ],
    [
      "compatible: the older one, and top_k",
      { provider: "local", model: "m", max_tokens: 10, top_k: 4 },
      { max_tokens: 10, max_completion_tokens: undefined, top_k: 4 },
    ],
    [
      "chat: knobs",
      {
        ...chat,
        temperature: 0,
        top_p: 1,
        seed: 7,
        stop: ["x"],
        frequency_penalty: 0.5,
        presence_penalty: -0.5,
        logprobs: true,
        top_logprobs: 2,
      },
      {
        temperature: 0,
        top_p: 1,
        seed: 7,
        stop: ["x"],
        frequency_penalty: 0.5,
        presence_penalty: -0.5,
        logprobs: true,
        top_logprobs: 2,
      },
    ],
    [
      "chat: effort, and no sampling for reasoning models",
      {
        provider: "openai",
        model: "o3",
        api_mode: "chat",
        temperature: 0.5,
        thinking: { mode: "effort", level: "low" },
      },
      { reasoning_effort: "low", temperature: undefined },
    ],
    [
      "chat: tool choice by name",
      { ...chat, tools: [tool], tool_choice: { name: "t" } },
      { tool_choice: { type: "function", function: { name: "t" } } },
    ],
    [
      "responses: limit and system text",
      { ...responses, max_tokens: 10, system: "S" },
      { max_output_tokens: 10, instructions: "S", store: false, input: [{ role: "user", content: "hi" }] },
    ],
    [
      "responses: effort, sealed reasoning asked for",
      { provider: "openai", model: "o3", api_mode: "responses", thinking: { mode: "effort", level: "low" } },
      { reasoning: { effort: "low" }, include: ["reasoning.encrypted_content"] },
    ],
    [
      "responses: tool choice by name",
      { ...responses, tools: [tool], tool_choice: { name: "t" } },
      { tool_choice: { type: "function", name: "t" } },
    ],
    [
      "responses: json mode",
      { ...responses, output_format: { kind: "json_object" } },
      { text: { format: { type: "json_object" } } },
    ],
    [
      "openrouter: effort",
      { provider: "openrouter", model: "x/y", thinking: { mode: "effort", level: "low" } },
      { reasoning: { effort: "low" } },
    ],
    [
      "openrouter: budget",
      { provider: "openrouter", model: "x/y", thinking: { mode: "enabled", budget_tokens: 9 } },
      { reasoning: { max_tokens: 9 } },
    ],
    [
      "openrouter: off",
      { provider: "openrouter", model: "x/y", thinking: { mode: "disabled" } },
      { reasoning: { enabled: false } },
    ],
    [
      "together",
      { provider: "together", model: "q", thinking: { mode: "enabled" } },
      { reasoning: { enabled: true } },
    ],
    [
      "qwen on a local server: /no_think once",
      { provider: "ollama", model: "qwen3:8b", system: "S", thinking: { mode: "disabled" } },
      {
        messages: [
          { role: "system", content: "/no_think\nS" },
          { role: "user", content: "hi" },
        ],
      },
    ],
    [
      "qwen: not twice",
      { provider: "ollama", model: "qwen3:8b", system: "/no_think x", thinking: { mode: "disabled" } },
      {
        messages: [
          { role: "system", content: "/no_think x" },
          { role: "user", content: "hi" },
        ],
      },
    ],
    [
      "others think as they like",
      { provider: "ollama", model: "llama3.2", system: "S", thinking: { mode: "disabled" } },
      {
        messages: [
          { role: "system", content: "S" },
          { role: "user", content: "hi" },
        ],
      },
    ],
    [
      "prefill on a local server",
      { provider: "local", model: "m", prefill: "{" },
      {
        messages: [
          { role: "user", content: "hi" },
          { role: "assistant", content: "{" },
        ],
      },
    ],
    ["prefill at the vendor", { ...chat, prefill: "{" }, { messages: [{ role: "user", content: "hi" }] }],
  ])("%s", async (_what, request, expected) => {
    expectBody((await sent(request)).body, expected);
  });

  it("which API: what the address and the options allow", async () => {
    expect((await sent({ provider: "openai", model: "gpt-4o" })).wire).toBe("chat");
    server.seen.length = 0;
    expect((await sent({ provider: "openai", model: "gpt-4o", api_mode: "responses" })).wire).toBe(
      "responses",
    );
  });

  it("tools are not strict, or optional parameters would be refused", async () => {
    const { body } = await sent({ ...responses, tools: [tool] });
    expect(body.tools).toEqual([
      {
        type: "function",
        name: "t",
        description: "T.",
        parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
        strict: false,
      },
    ]);
  });

  it("pictures, sound and documents", async () => {
    const content = [
      { type: "image" as const, url: "http://x/y.png", detail: "low" },
      { type: "audio" as const, base64: "QUJD", media_type: "audio/wav" },
      { type: "pdf" as const, base64: "QUJD", name: "a.pdf" },
    ];
    const { body } = await sent({ ...chat, messages: [{ role: "user", content }] });
    expect((body.messages as { content: unknown }[])[0]!.content).toEqual([
      { type: "image_url", image_url: { url: "http://x/y.png", detail: "low" } },
      { type: "input_audio", input_audio: { data: "QUJD", format: "wav" } },
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,QUJD" } },
    ]);
  });
});

describe("content that a route cannot take", () => {
  it.each([
    [
      "anthropic",
      "claude-sonnet-4-6",
      { type: "audio" as const, base64: "QUJD", media_type: "audio/wav" },
      'anthropic takes no content block of type "audio"',
    ],
    [
      "ollama",
      "llava",
      { type: "image" as const, url: "http://x/y.png" },
      "ollama takes images as base64 only, not by url",
    ],
    [
      "openai",
      "gpt-4o",
      { type: "pdf" as const, url: "http://x/y.pdf" },
      "openai takes documents as base64 only, not by url",
    ],
  ])("%s %s", async (provider, model, block, message) => {
    const client = createModelClient({ mock: createMockState(), env: new Map() });
    const base_url = provider === "openai" ? `${server.url}/v1` : server.url;
    const outcome = await client.stream({
      provider,
      model,
      base_url,
      messages: [{ role: "user", content: [block] }],
    });
    expect(outcome).toMatchObject({ ok: false, error: { category: "generic", kind: "terminal", message } });
    expect(server.seen).toEqual([]);
  });
});

describe("the vendor's faster service", () => {
  const million = { input: 1_000_000, output: 1 };
  async function answer(request: Partial<ModelRequest> & { provider: string; model: string }) {
    server.next({ kind: "answer", text: "ok", usage: million });
    const base_url = request.provider === "openai" ? `${server.url}/v1` : server.url;
    const client = createModelClient({ mock: createMockState(), env: new Map() });
    const outcome = await client.stream({
      base_url,
      messages: [{ role: "user", content: "hi" }],
      ...request,
    });
    if (!outcome.ok) throw new Error(outcome.error.message);
    const { body, headers } = server.seen.at(-1)!;
    return { body, headers, cost: outcome.response.cost_usd };
  }
  it.each(["chat", "responses"])("is OpenAI's priority processing (%s), at its price", async (api_mode) => {
    const usual = await answer({ provider: "openai", model: "gpt-5", api_mode });
    const fast = await answer({ provider: "openai", model: "gpt-5", api_mode, fast: true });
    expect([usual.body.service_tier, fast.body.service_tier]).toEqual([undefined, "priority"]);
    expect(usual.cost).toBeCloseTo(1.25, 3);
    expect(fast.cost).toBeCloseTo(2.5, 3);
  });
  it("is Anthropic's fast mode, with its beta feature and price", async () => {
    const fast = await answer({ provider: "anthropic", model: "claude-opus-5", fast: true });
    expect(fast.body.speed).toBe("fast");
    expect(fast.headers["anthropic-beta"]).toBe("fast-mode-2026-02-01");
    expect(fast.cost).toBeCloseTo(10, 3);
  });
});
