import { describe, expect, it } from "vitest";
import { type RunEvent, runEvents } from "../../../../src/events/index.ts";
import {
  callBudgetFields,
  configureModels,
  modelCall,
  modelsOf,
  planCall,
  requestOf,
} from "../../../../src/model/index.ts";
import {
  emptyResponse,
  type ModelClient,
  type ModelEvent,
  type ModelRequest,
  type ModelResponse,
  parseTape,
  pushMock,
} from "../../../../src/model/llm/index.ts";
import { at, readRows } from "../../../../src/table/index.ts";
import { Dict, fromJson } from "../../../../src/values/index.ts";
import { testRun } from "../../../support/concurrent.ts";
import { createMemoryHost } from "../../../support/memory-host.ts";

const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  provider: "mock",
  model: "claude-sonnet-4-20250514",
  messages: [{ role: "user", content: "hello" }],
  max_tokens: 1000,
  ...more,
});

const live = { provider: "openai", model: "gpt-4o-mini" };

function mocked(entries: object[], run = testRun()) {
  const models = modelsOf(run.task);
  for (const entry of entries) pushMock(models.mock, entry);
  return { run, models };
}

describe("a call", () => {
  it("counts what it used", async () => {
    const { run, models } = mocked([
      { text: "a", input_tokens: 10, output_tokens: 5 },
      { text: "b", input_tokens: 1, output_tokens: 2 },
    ]);
    expect(await modelCall(run.task, request())).toMatchObject({
      ok: true,
      response: { text: "a" },
      attempts: 1,
      mocked: true,
    });
    await modelCall(run.task, request());
    expect(models.spending).toMatchObject({
      inputTokens: 11,
      outputTokens: 7,
      calls: 2,
      costUsd: 0,
      unpriced: 0,
    });
  });

  it("repeats transient failures, waiting as long as the server says", async () => {
    const { run, models } = mocked([
      { error: { category: "overloaded" } },
      { error: { category: "rate_limit", retry_after_ms: 1500 } },
      { text: "ok" },
    ]);
    const result = await modelCall(run.task, request(), { retries: 5, backoffMs: 100 });
    expect(result).toMatchObject({ ok: true, attempts: 3, durationMs: 1600 });
    expect(models.mock.calls).toHaveLength(3);
    expect(models.spending.calls).toBe(1);
  });

  it("gives terminal failures back at once", async () => {
    const { run, models } = mocked([{ error: { category: "auth", message: "bad key" } }]);
    const result = await modelCall(run.task, request(live), { retries: 5 });
    expect(result).toMatchObject({
      ok: false,
      attempts: 1,
      error: { category: "auth", message: "bad key", provider: "openai" },
    });
    expect(models.mock.calls).toHaveLength(1);
  });

  it("gives the last failure when its attempts are used up", async () => {
    const { run } = mocked([{ error: { category: "timeout" }, match: "*" }]);
    expect(await modelCall(run.task, request(), { retries: 2, backoffMs: 1 })).toMatchObject({
      ok: false,
      attempts: 3,
    });
  });

  it("plays a tape and tells of its end", async () => {
    const run = testRun();
    configureModels(run.runtime, { tape: parseTape('{"text": "one two"}\n', "t.jsonl") });
    const pieces: string[] = [];
    const onEvent = (event: ModelEvent): void => {
      if (event.kind === "text") pieces.push(event.delta);
    };
    expect(await modelCall(run.task, request(live), { onEvent })).toMatchObject({ ok: true, mocked: false });
    expect(pieces.join("")).toBe("one two");
    const end = await modelCall(run.task, request(live));
    expect(end).toMatchObject({ ok: false, error: { reason: "tape_ended" } });
  });

  it("shows visible text, tokens and cost to those who watch", async () => {
    const { run } = mocked([
      {
        text: "<assistant_prose>Hi</assistant_prose><tool_call>x({})</tool_call>",
        model: "gpt-4o-mini",
        input_tokens: 1000,
        output_tokens: 500,
      },
    ]);
    const events: RunEvent[] = [];
    run.runtime.state(runEvents).subscribe((event) => events.push(event));
    await modelCall(run.task, request(), { sessionId: "s", iteration: 3 });
    expect(events.map(({ type, session, turn, data }) => ({ type, session, turn, data }))).toMatchObject([
      { type: "message.delta", session: "s", turn: 3, data: { text: "Hi" } },
      {
        type: "usage",
        session: "s",
        turn: 3,
        data: {
          of: "turn",
          answer: { input: 1000, output: 500, cost_usd: 0.00045 },
          total: { input: 1000, output: 500, cost_usd: 0.00045 },
        },
      },
    ]);
  });
});

describe("rates (agents.md §1.8)", () => {
  const client: ModelClient = {
    stream: async () => ({ ok: true, response: emptyResponse("openai", "gpt-4o-mini") }),
  };

  it("lets calls that come too early wait for their turn", async () => {
    const run = testRun();
    configureModels(run.runtime, { client });
    const { rates } = modelsOf(run.task);
    rates.set("openai", 2);
    const begun: number[] = [];
    const one = async (): Promise<void> => {
      await modelCall(run.task, request(live));
      begun.push(run.host.clock.monotonic());
    };
    for (let i = 0; i < 5; i++) await one();
    expect(begun).toEqual([0, 0, 60_000, 60_000, 120_000]);
  });

  it("holds mock answers back for nothing", async () => {
    const { run, models } = mocked([{ text: "x", match: "*" }]);
    models.rates.set("mock", 1);
    for (let i = 0; i < 3; i++) await modelCall(run.task, request());
    expect(run.host.clock.monotonic()).toBe(0);
  });

  it("takes a limit from the environment", () => {
    const run = testRun(undefined, createMemoryHost({ env: { HARN_RATE_LIMIT_OPENAI: "7" } }));
    expect(modelsOf(run.task).rates.get("openai")).toBe(7);
  });
});

describe("budgets (agents.md §1.8)", () => {
  const limits = [
    ["max_input_tokens", 1, /projected input tokens \d+ would exceed max_input_tokens/],
    ["max_output_tokens", 10, /projected output tokens 1000 would exceed max_output_tokens/],
    ["max_cost_usd", 0.001, /projected cost .* would exceed max_cost_usd/],
    ["total_budget_usd", 0.001, /projected cost .* would exceed total_budget_usd/],
  ] as const;

  it.each(limits)("%s is checked before the call, also on the mock", async (limit, value, message) => {
    const { run, models } = mocked([{ text: "never" }]);
    const result = await modelCall(run.task, request(), {
      budget: readRows(fromJson({ [limit]: value }) as Dict, callBudgetFields, at("test")),
    });
    expect(result).toMatchObject({
      ok: false,
      attempts: 0,
      error: { category: "budget_exceeded", reason: "budget_exceeded", kind: "terminal" },
      budget: { limit, limit_value: value, projected_output_tokens: 1000 },
    });
    expect(!result.ok && result.error.message).toMatch(message);
    expect(models.mock.calls).toHaveLength(0);
    expect(models.mock.queue).toHaveLength(1);
  });

  it("refuses a dollar limit for a remote model without a price", async () => {
    const { run, models } = mocked([{ text: "never" }]);
    models.spending.limitUsd = 100;
    const result = await modelCall(run.task, request({ provider: "openai", model: "no-such-model" }));
    expect(!result.ok && result.error.message).toContain("the model has no price in the catalogue");
    expect(await modelCall(run.task, request({ provider: "ollama", model: "llama3.2" }))).toMatchObject({
      ok: true,
    });
  });

  it("counts the worst case of calls in flight", async () => {
    const run = testRun();
    const waiting: (() => void)[] = [];
    const client: ModelClient = {
      stream: async (asked) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return {
          ok: true,
          response: { ...emptyAnswer, model: asked.model, provider: asked.provider, cost_usd: 0.0001 },
        };
      },
    };
    configureModels(run.runtime, { client });
    const { spending } = modelsOf(run.task);
    spending.limitUsd = 0.001;
    const first = modelCall(run.task, request(live));
    const second = await modelCall(run.task, request(live));
    expect(second).toMatchObject({ ok: false, error: { category: "budget_exceeded" } });
    waiting[0]?.();
    expect(await first).toMatchObject({ ok: true });
    expect(spending.costUsd).toBe(0.0001);
    expect(spending.committedUsd).toBe(0.0001);
  });

  it("bounds the input by its bytes, whatever the script of writing", async () => {
    const { run } = mocked([{ text: "never" }]);
    const long = "漢".repeat(100_000);
    const result = await modelCall(
      run.task,
      request({ ...live, messages: [{ role: "user", content: long }] }),
      { budget: { ...callBudgetFields.usual, maxCostUsd: 0.04 } },
    );
    // 300,000 bytes at 0.15 dollars per million tokens.
    expect(!result.ok && result.budget?.projected_cost_usd).toBeGreaterThan(0.045);
  });
});

const emptyAnswer: ModelResponse = {
  ...emptyResponse("", ""),
  text: "x",
  tool_calls: [],
  thinking: null,
  thinking_summary: null,
  reasoning: [],
  blocks: [],
  logprobs: null,
  stop_reason: null,
  usage: {
    input_tokens: 10,
    output_tokens: 1,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
  },
  model: "",
  provider: "",
  request_id: null,
  cost_usd: null,
};

describe("options to a request (agents.md §1.1)", () => {
  const plan = (options: object) => {
    const run = testRun();
    return planCall(run.task, fromJson(options) as Dict);
  };
  const text = (options: object): string => {
    try {
      plan(options);
    } catch (error) {
      return String((error as { value: unknown }).value);
    }
    return "";
  };

  it("fills in the defaults", () => {
    const made = plan({ provider: "mock" });
    expect(made).toMatchObject({
      retries: null,
      backoffMs: 250,
      schemaRetries: 1,
      validation: "off",
      toolFormat: "native",
      wantsJson: false,
    });
    expect(made.base).toMatchObject({
      provider: "mock",
      model: "claude-sonnet-4-20250514",
      max_tokens: 16384,
      cache: false,
      stream: true,
    });
  });

  it("passes the knobs on", () => {
    const { base } = plan({
      provider: "mock",
      temperature: 0.5,
      top_p: 1,
      stop: ["x"],
      seed: 7,
      timeout: 1.5,
      tool_choice: { name: "t" },
    });
    expect(base).toMatchObject({
      temperature: 0.5,
      top_p: 1,
      stop: ["x"],
      seed: 7,
      timeout_ms: 1500,
      tool_choice: { name: "t" },
    });
  });

  it.each([
    [{ provider: "mock", thinking: true }, { mode: "enabled" }],
    [{ provider: "mock", thinking: false }, { mode: "disabled" }],
    [
      { provider: "mock", thinking: { budget_tokens: 100 } },
      { mode: "enabled", budget_tokens: 100 },
    ],
    [
      { provider: "openai", model: "o3", thinking: "high" },
      { mode: "effort", level: "high" },
    ],
    [
      { provider: "openai", model: "o3", reasoning_effort: "low" },
      { mode: "effort", level: "low" },
    ],
    [
      { provider: "anthropic", model: "claude-opus-4-7", thinking: { mode: "adaptive" } },
      { mode: "adaptive" },
    ],
  ])("reads thinking in %j", (options, thinking) => {
    expect(plan(options).base.thinking).toEqual(thinking);
  });

  it.each([
    [
      { thinking: "zz", provider: "mock" },
      'llm_call: thinking: expected "none", "minimal", "low", "medium", "high", "xhigh" or "max", got string "zz"',
    ],
    [{ tools: 5, provider: "mock" }, "llm_call: tools: expected dict | list, got int 5"],
    [{ budget: 5, provider: "mock" }, "llm_call: budget: expected dict, got int 5"],
    [{ max_tokens: "many", provider: "mock" }, 'llm_call: max_tokens: expected int, got string "many"'],
    [
      { response_format: "xml", provider: "mock" },
      'llm_call: response_format: expected "text", "json" or "json_object", got string "xml"',
    ],
    [{ provider: "opnai" }, "did you mean `openai`?"],
    [
      { provider: "openai", model: "gpt-4o", thinking: true },
      'option `thinking` with mode "enabled" is not supported by gpt-4o',
    ],
  ])("%j throws %s", (options, message) => {
    expect(text(options)).toContain(message);
  });

  it("gates what a model can't see, but never for the mock's queue", () => {
    const run = testRun();
    const messages = [{ role: "user", content: [{ type: "image" as const, url: "http://x/y.png" }] }];
    const asked = { messages, system: null };
    const blind = planCall(run.task, fromJson({ provider: "openai", model: "o3" }) as Dict);
    expect(() => requestOf(blind, asked)).toThrow(
      expect.objectContaining({ value: "option `vision` is not supported by o3 (openai)" }),
    );
    pushMock(modelsOf(run.task).mock, { text: "x" });
    const open = planCall(run.task, fromJson({ provider: "openai", model: "o3" }) as Dict);
    expect(requestOf(open, asked).messages).toBe(messages);
  });

  it("sends tools natively only in the native format", () => {
    const run = testRun();
    const options = {
      provider: "mock",
      tools: [{ name: "t", description: "d", parameters: { a: "int", b: { type: "bool", default: true } } }],
    };
    const made = planCall(run.task, fromJson(options) as Dict);
    const sent = requestOf(made, { messages: [], system: null });
    expect(sent.tools).toEqual([
      {
        name: "t",
        description: "d",
        parameters: {
          type: "object",
          properties: { a: { type: "integer" }, b: { type: "boolean", default: true } },
          required: ["a"],
        },
      },
    ]);
    const asText = planCall(run.task, fromJson({ ...options, tool_format: "text" }) as Dict);
    expect(requestOf(asText, { messages: [], system: null }).tools).toBeNull();
  });

  it("asks for JSON in the way the route can do it", () => {
    const schema = { type: "object", properties: { a: { type: "integer" } } };
    expect(plan({ provider: "openai", model: "gpt-4o", schema }).base.output_format).toEqual({
      kind: "json_schema",
      schema,
    });
    expect(plan({ provider: "ollama", model: "llama3.2", schema }).base.output_format).toEqual({
      kind: "json_object",
      schema,
    });
    expect(plan({ provider: "mock", response_format: "json" })).toMatchObject({
      wantsJson: true,
      schema: null,
    });
  });

  it("uses the host's defaults where a script names nothing", () => {
    const run = testRun();
    configureModels(run.runtime, { provider: "openai", model: "gpt-4o" });
    expect(planCall(run.task, new Dict()).base).toMatchObject({ provider: "openai", model: "gpt-4o" });
    expect(planCall(run.task, fromJson({ provider: "mock" }) as Dict).base.provider).toBe("mock");
  });
});
