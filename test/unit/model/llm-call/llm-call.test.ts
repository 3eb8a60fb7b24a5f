import { describe, expect, it } from "vitest";
import { runEvents } from "../../../../src/events/index.ts";
import type { Task } from "../../../../src/interp/index.ts";
import { configureModels, modelsOf } from "../../../../src/model/index.ts";
import { parseFixtures, parseTape } from "../../../../src/model/llm/index.ts";
import { Dict, display, List, type Pullable, type Value } from "../../../../src/values/index.ts";
import { callBuiltin, callForDict, thrownBy } from "../../../support/builtin-call.ts";
import { recordAndReplay, testRun } from "../../../support/concurrent.ts";
import { ScriptFunction } from "../../../support/script-function.ts";

const mock = { provider: "mock" };
const path = (value: Value | undefined, ...keys: (string | number)[]): Value | undefined => {
  let at: Value | undefined = value;
  for (const key of keys) {
    if (at instanceof Dict && typeof key === "string") at = at.get(key);
    else if (at instanceof List && typeof key === "number") at = at.at(key);
    else return undefined;
  }
  return at;
};
const shown = (value: Value | undefined): string => (value === undefined ? "(absent)" : display(value));

async function withMocks(...entries: object[]): Promise<Task> {
  const { task } = testRun();
  for (const entry of entries) await callBuiltin(task, "llm_mock", entry);
  return task;
}

describe("the result (agents.md §1.2)", () => {
  it("has what is always there", async () => {
    const task = await withMocks({ text: "hi", input_tokens: 7, output_tokens: 3, cache_read_tokens: 7 });
    const result = await callForDict(task, "llm_call", "q", "be brief", mock);
    expect(shown(result.without("transcript").without("usage"))).toBe(
      "{blocks: [{text: hi, type: output_text, visibility: public}], cache_creation_input_tokens: 0, cache_hit_ratio: 1.0, cache_read_tokens: 7, cache_savings_usd: 0.0, cache_write_tokens: 0, cost_usd: 0.0, input_tokens: 7, model: mock, native_tool_calls: [], output_tokens: 3, prose: hi, provider: mock, text: hi, visible_text: hi}",
    );
    expect(shown(result.get("usage"))).toContain("input_tokens: 7");
    expect(result.get("data")).toBeUndefined();
    const [asked] = (await callBuiltin(task, "llm_mock_calls")) as unknown as Value[];
    expect(shown(asked)).toContain("messages: [{content: q, role: user}]");
    expect(shown(asked)).toContain("system: be brief");
  });

  it("tells of thinking, stop reason and calls", async () => {
    const task = await withMocks({
      text: "t",
      thinking: "deep",
      stop_reason: "end_turn",
      tool_calls: [{ name: "x", arguments: { a: 1 } }],
    });
    const result = await callForDict(task, "llm_call", "q", null, mock);
    expect(shown(result.get("tool_calls"))).toBe(
      "[{arguments: {a: 1}, id: mock_call_1, name: x, type: tool_call}]",
    );
    expect(["thinking", "private_reasoning", "stop_reason"].map((key) => result.get(key))).toEqual([
      "deep",
      "deep",
      "end_turn",
    ]);
    expect(shown(path(result, "transcript", "messages", 1))).toBe(
      '{content: t, role: assistant, tool_calls: [{function: {arguments: {"a":1}, name: x}, id: mock_call_1, type: function}]}',
    );
    const events = path(result, "transcript", "events") as List;
    expect(events.toArray().map((event) => path(event, "kind"))).toEqual([
      "message",
      "message",
      "provider_payload",
      "private_reasoning",
    ]);
    expect(path(events, 2, "visibility")).toBe("internal");
    expect(path(result, "transcript", "state")).toBe("active");
  });

  it("reads text by the tagged grammar when there are tools", async () => {
    const tools = [{ name: "read", description: "", parameters: { p: "string" } }];
    const task = await withMocks(
      {
        text: "<assistant_prose>Look</assistant_prose><tool_call>read({p: 'x'})</tool_call><done>##DONE##</done>",
      },
      { text: "just words" },
      { text: "<tool_call>rad({})</tool_call>" },
    );
    const tagged = await callForDict(task, "llm_call", "q", null, { ...mock, tools, tool_format: "text" });
    expect(shown(tagged.get("tool_calls"))).toBe(
      "[{arguments: {p: x}, id: tc_0, name: read, type: tool_call}]",
    );
    expect(["visible_text", "prose", "done_marker"].map((key) => tagged.get(key))).toEqual([
      "Look",
      "Look",
      "##DONE##",
    ]);
    expect(tagged.get("canonical_text")).toContain("<tool_call>\nread({");
    const plain = await callForDict(task, "llm_call", "q", null, { ...mock, tools });
    expect(["visible_text", "prose", "text"].map((key) => plain.get(key))).toEqual([
      "",
      "just words",
      "just words",
    ]);
    expect(shown(plain.get("protocol_violations"))).toBe("[Stray text outside response tags]");
    const wrong = await callForDict(task, "llm_call", "q", null, { ...mock, tools });
    expect(shown(wrong.get("tool_parse_errors"))).toContain("Unknown tool 'rad'.");
    const calls = (await callBuiltin(task, "llm_mock_calls")) as List;
    expect(path(calls, 0, "tools")).toBeNull();
    expect(path(calls, 0, "system")).toContain("read({ p: string })");
    expect(shown(path(calls, 1, "tools", 0, "function", "parameters"))).toBe(
      "{additionalProperties: false, properties: {p: {type: string}}, required: [p], type: object}",
    );
  });

  it("takes messages, a transcript and content blocks", async () => {
    const task = await withMocks({ text: "a", match: "*" });
    await callBuiltin(task, "llm_call", [{ role: "user", content: "one" }], null, mock);
    await callBuiltin(task, "llm_call", "ignored", null, {
      ...mock,
      messages: [{ role: "user", content: [{ type: "text", text: "two" }] }],
    });
    await callBuiltin(task, "llm_call", "three", null, {
      ...mock,
      transcript: { messages: [{ role: "user", content: "before" }] },
    });
    const calls = (await callBuiltin(task, "llm_mock_calls")) as List;
    expect(calls.toArray().map((call) => shown(path(call, "messages")))).toEqual([
      "[{content: one, role: user}]",
      "[{content: [{text: two, type: text}], role: user}]",
      "[{content: before, role: user}, {content: three, role: user}]",
    ]);
    expect(await thrownBy(task, "llm_call", [{ content: "x" }], null, mock)).toBe(
      "llm_call: messages[0] has no role",
    );
    expect(
      await thrownBy(task, "llm_call", [{ role: "user", content: [{ type: "image" }] }], null, mock),
    ).toContain("exactly one of `url` and `base64`");
  });
});

describe("errors (agents.md §1.7)", () => {
  it("throws the dict of the spec", async () => {
    const task = await withMocks({
      error: { category: "rate_limit", message: "slow down", retry_after_ms: 1500 },
    });
    expect(shown(await thrownBy(task, "llm_call", "q", null, { provider: "openai", model: "gpt-4o" }))).toBe(
      "{category: rate_limit, kind: transient, message: slow down\nretry-after: 1.5\n, model: gpt-4o, provider: openai, reason: rate_limit, retry_after_ms: 1500}",
    );
  });

  it("never throws from the safe form", async () => {
    const task = await withMocks({ error: { category: "auth", message: "bad key" } }, { text: "fine" });
    const failed = await callForDict(task, "llm_call_safe", "q", null, mock);
    expect([failed.get("ok"), failed.get("response"), path(failed, "error", "category")]).toEqual([
      false,
      null,
      "auth",
    ]);
    const fine = await callForDict(task, "llm_call_safe", "q", null, mock);
    expect([fine.get("ok"), path(fine, "response", "text"), fine.get("error")]).toEqual([true, "fine", null]);
    const option = await callForDict(task, "llm_call_safe", "q", null, { ...mock, thinking: "zz" });
    expect([path(option, "error", "category"), option.get("ok")]).toEqual(["generic", false]);
  });

  it("carries the limit that a budget refused", async () => {
    const task = await withMocks({ text: "never" });
    const error = (await thrownBy(task, "llm_call", "q", null, {
      ...mock,
      budget: { max_output_tokens: 5 },
    })) as Dict;
    expect([error.get("category"), error.get("kind"), error.get("limit"), error.get("limit_value")]).toEqual([
      "budget_exceeded",
      "terminal",
      "max_output_tokens",
      5,
    ]);
    expect(((await callBuiltin(task, "llm_mock_calls")) as List).length).toBe(0);
  });

  it("reports an unknown option once, with a suggestion", async () => {
    const lines: string[] = [];
    const run = testRun();
    run.runtime.console.writeError = (text: string) => void lines.push(text);
    for (let i = 0; i < 3; i++)
      await callBuiltin(run.task, "llm_call", "q", null, {
        ...mock,
        temprature: 1,
        _note: 1,
      });
    expect(lines).toEqual(['warning: llm_call: unknown option "temprature", did you mean "temperature"?\n']);
  });
});

describe("JSON and schemas (agents.md §1.3, §1.4)", () => {
  const schema = {
    type: "object",
    properties: { a: { type: "integer" }, b: { type: "string", default: "x" } },
    required: ["a"],
  };
  const strict = { ...mock, schema, output_validation: "error" };

  it.each([
    ['{"a": 1}', "{a: 1}"],
    ['Here you are:\n```json\n{"a": [1, 2]}\n```\nDone.', "{a: [1, 2]}"],
    ['I think {not json} but {"a": "}"} is', "{a: }}"],
    ["the list [1, 2, 3].", "[1, 2, 3]"],
    ["nothing here", "(absent)"],
    ["", "(absent)"],
  ])("lifts JSON out of %j", async (text, data) => {
    const task = await withMocks({ text });
    const result = await callForDict(task, "llm_call", "q", null, { ...mock, response_format: "json" });
    expect(shown(result.get("data"))).toBe(data);
  });

  it("takes linear time on open brackets", async () => {
    const task = await withMocks({ text: "[".repeat(1_000_000) }, { text: '{"a": '.repeat(200_000) });
    // Quadratic work would take longer than the test may.
    for (let i = 0; i < 2; i++)
      expect(
        (await callForDict(task, "llm_call", "q", null, { ...mock, response_format: "json" })).get("data"),
      ).toBeUndefined();
  });

  it("fills in defaults", async () => {
    const task = await withMocks({ text: '{"a": 1}' });
    expect(shown((await callForDict(task, "llm_call", "q", null, strict)).get("data"))).toBe("{a: 1, b: x}");
  });

  it("asks again with the original messages, the answer that did not fit and one correction", async () => {
    const task = await withMocks({ text: "no" }, { text: '{"a": "one"}' }, { text: '{"a": 1}' });
    const result = await callForDict(task, "llm_call", "q", null, { ...strict, schema_retries: 2 });
    expect(shown(result.get("data"))).toBe("{a: 1, b: x}");
    const calls = (await callBuiltin(task, "llm_mock_calls")) as List;
    expect(calls.toArray().map((call) => (path(call, "messages") as List).length)).toEqual([1, 3, 3]);
    expect(shown(path(calls, 2, "messages", 1))).toBe('{content: {"a": "one"}, role: assistant}');
    const text = path(calls, 2, "messages", 2, "content") as string;
    expect(text).toContain("schema");
    expect(text).toContain("at a: expected type 'int', got 'string'");
    expect(text).toContain("Required top-level keys: a.");
    const trace = task.runtime
      .state(runEvents)
      .listed.filter((event) => event.get("type") === "schema_retry");
    expect(
      trace.map((event) => [
        event.get("type"),
        event.get("attempt"),
        event.get("nudge_used"),
        shown(event.get("errors")),
      ]),
    ).toEqual([
      ["schema_retry", 1, true, "[response did not contain parseable JSON]"],
      ["schema_retry", 2, true, "[at a: expected type 'int', got 'string']"],
    ]);
  });

  it("replays the same messages without a nudge, or with the caller's words", async () => {
    const task = await withMocks({ text: "no", match: "*" });
    await thrownBy(task, "llm_call", "q", null, { ...strict, schema_retry_nudge: false });
    await thrownBy(task, "llm_call", "q", null, { ...strict, schema_retry_nudge: "Bitte JSON." });
    const calls = (await callBuiltin(task, "llm_mock_calls")) as List;
    expect(shown(path(calls, 0, "messages"))).toBe(shown(path(calls, 1, "messages")));
    expect(path(calls, 3, "messages", 2, "content")).toMatch(/^Bitte JSON\.\n.*schema/s);
  });

  it("ends with the texts of the spec", async () => {
    const task = await withMocks({ text: "no", match: "*" });
    const unused = (await thrownBy(task, "llm_call", "q", null, { ...strict, schema_retries: 0 })) as Dict;
    expect(unused.get("message")).toBe(
      "LLM output failed schema validation: response did not contain parseable JSON (set `schema_retries: N` to let the model correct itself)",
    );
    const exhausted = (await thrownBy(task, "llm_call", "q", null, strict)) as Dict;
    expect(exhausted.get("message")).toContain("the schema_retries budget of 1 is exhausted");
    expect(exhausted.get("category")).toBe("schema_validation");
  });

  it("takes a model's 5 for a number", async () => {
    const task = await withMocks({ text: '{"a": 5}' }, { text: '{"a": 5}' });
    const number = { type: "object", properties: { a: { type: "number" } } };
    expect(
      shown((await callForDict(task, "llm_call", "q", null, { ...strict, schema: number })).get("data")),
    ).toBe("{a: 5}");
    const float = { type: "dict", properties: { a: { type: "float" } } };
    const error = (await thrownBy(task, "llm_call", "q", null, {
      ...strict,
      schema: float,
      schema_retries: 0,
    })) as Dict;
    expect(error.get("message")).toContain("at a: expected type 'float', got 'int'");
  });
});

describe("structured variants (agents.md §1.8)", () => {
  const schema = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };

  it("gives the data", async () => {
    const task = await withMocks({ text: "no" }, { text: '{"a": 1}' });
    expect(
      shown(await callBuiltin(task, "llm_call_structured", "q", schema, { ...mock, system: "sys" })),
    ).toBe("{a: 1}");
    const calls = (await callBuiltin(task, "llm_mock_calls")) as List;
    expect(path(calls, 0, "system")).toBe("sys");
    expect(await thrownBy(task, "llm_call_structured", "q")).toBe(
      "llm_call_structured: missing required `schema` argument",
    );
    expect(await thrownBy(task, "llm_call_structured", "q", 5)).toBe(
      "llm_call_structured: schema: expected dict (JSON Schema), got int 5",
    );
  });

  it("gives failures as data", async () => {
    const task = await withMocks({ text: '{"a": "x"}', match: "*" });
    const failed = await callForDict(task, "llm_call_structured_safe", "q", schema, { ...mock, retries: 0 });
    expect([failed.get("ok"), failed.get("data"), path(failed, "error", "category")]).toEqual([
      false,
      null,
      "schema_validation",
    ]);
    const result = await callForDict(task, "llm_call_structured_result", "q", schema, {
      ...mock,
      retries: 2,
    });
    expect(
      ["ok", "error", "error_category", "attempts", "repaired", "extracted_json", "raw_text"].map((key) =>
        result.get(key),
      ),
    ).toEqual([
      false,
      "at a: expected type 'int', got 'string'",
      "schema_validation",
      3,
      false,
      false,
      '{"a": "x"}',
    ]);
    const wrong = await callForDict(task, "llm_call_structured_result", "q", 5, mock);
    expect(["error", "error_category", "attempts"].map((key) => wrong.get(key))).toEqual([
      "llm_call_structured: schema: expected dict (JSON Schema), got int 5",
      "generic",
      0,
    ]);
  });

  it("repairs in one further call", async () => {
    const task = await withMocks(
      { text: "sorry" },
      { text: '```json\n{"a": 2}\n```' },
      { text: "sorry" },
      { text: "still not" },
    );
    const fixed = await callForDict(task, "llm_call_structured_result", "q", schema, {
      ...mock,
      retries: 0,
      repair: { model: "small" },
    });
    expect(["ok", "repaired", "attempts", "raw_text", "error"].map((key) => fixed.get(key))).toEqual([
      true,
      true,
      1,
      "sorry",
      "",
    ]);
    expect(shown(fixed.get("data"))).toBe("{a: 2}");
    const failed = await callForDict(task, "llm_call_structured_result", "q", schema, {
      ...mock,
      retries: 0,
      repair: {},
    });
    expect([failed.get("ok"), failed.get("error_category")]).toEqual([false, "repair_failed"]);
  });

  it("tells of a transport failure", async () => {
    const task = await withMocks({ error: { category: "auth", message: "bad" } });
    const result = await callForDict(task, "llm_call_structured_result", "q", schema, mock);
    expect(["ok", "error", "error_category", "attempts"].map((key) => result.get(key))).toEqual([
      false,
      "bad",
      "auth",
      0,
    ]);
  });

  it("completes", async () => {
    const { task } = testRun();
    expect((await callForDict(task, "llm_completion", "abc", null, null, mock)).get("text")).toBe(
      "Mock completion after 3 chars",
    );
    expect((await callForDict(task, "llm_completion", "abc", "de", null, mock)).get("text")).toBe(
      "Mock completion after 3 chars before 2 chars",
    );
  });
});

describe("structural experiments (agents.md §1.9)", () => {
  const ask = async (experiment: unknown, prompt = "one\n\ntwo\n\nthree", system: string | null = "sys") => {
    const task = await withMocks({ text: "x" });
    const result = await callForDict(
      task,
      "llm_call",
      prompt,
      system,
      Dict.of({ provider: "mock", structural_experiment: experiment as Value }),
    );
    const call = path((await callBuiltin(task, "llm_mock_calls")) as List, 0);
    const texts = (path(call, "messages") as List).toArray().map((message) => path(message, "content"));
    return {
      texts,
      system: path(call, "system"),
      label: path(
        result,
        "transcript",
        "events",
        texts.length + 1,
        "metadata",
        "structural_experiment",
        "label",
      ),
    };
  };

  it("changes the prompt in the named way", async () => {
    const permuted = await ask("prompt_order_permutation(seed: 7)");
    expect(String(permuted.texts[0]).split("\n\n").sort()).toEqual(["one", "three", "two"]);
    expect(permuted.texts[0]).not.toBe("one\n\ntwo\n\nthree");
    expect(permuted.label).toBe("prompt_order_permutation(seed: 7)");
    expect((await ask("prompt_order_permutation(seed: 7)")).texts).toEqual(permuted.texts);
    expect(await ask("doubled_prompt", "q")).toEqual({
      texts: ["q", "q", "q"],
      system: "sys",
      label: "doubled_prompt",
    });
    expect(await ask("inverted_system", "q")).toMatchObject({ texts: ["sys"], system: "q" });
    expect((await ask("chain_of_draft", "q")).texts[0]).toMatch(/^q\n\n.*<draft>/s);
    const closure = new ScriptFunction(["ctx"], (_task, [ctx]) =>
      Dict.of({ system: `${path(ctx, "system")}!` }),
    );
    expect(await ask(closure, "q")).toMatchObject({ texts: ["q"], system: "sys!", label: "custom" });
  });

  it("refuses what it does not know", async () => {
    const { task } = testRun();
    const text = (experiment: unknown) =>
      thrownBy(task, "llm_call", "q", null, { ...mock, structural_experiment: experiment });
    expect(await text("x")).toBe("unknown structural experiment `x`");
    expect(await text({ args: {} })).toBe("structural_experiment: dict form requires `name` or `transform`");
    expect(await text(5)).toBe(
      "llm_call: structural_experiment: expected string | dict | closure | bool, got int 5",
    );
  });
});

describe("streams, money, catalogue", () => {
  const drain = async (task: Task, stream: Pullable): Promise<Value[]> => {
    const pieces: Value[] = [];
    for (;;) {
      const piece = await stream.next(task);
      if (piece === undefined) return pieces;
      pieces.push(piece);
    }
  };

  it("streams text", async () => {
    const task = await withMocks({ text: "one two" });
    const stream = (await callBuiltin(task, "llm_stream", "q", null, mock)) as Pullable;
    expect((await drain(task, stream)).join("")).toBe("one two");
    expect(await stream.next(task)).toBeUndefined();
    const run = testRun();
    configureModels(run.runtime, { tape: parseTape('{"text": "a b c"}\n', "t") });
    const live = (await callBuiltin(run.task, "llm_stream", "q", null, {
      provider: "openai",
      model: "gpt-4o",
    })) as Pullable;
    expect(await drain(run.task, live)).toEqual(["a ", "b ", "c"]);
  });

  it("raises what the call failed with at the end of the stream", async () => {
    const task = await withMocks({ error: { category: "auth", message: "bad" } });
    const stream = (await callBuiltin(task, "llm_stream", "q", null, mock)) as Pullable;
    await expect(drain(task, stream)).rejects.toMatchObject({ kind: "thrown" });
  });

  it("counts money", async () => {
    const task = await withMocks({ text: "x", model: "gpt-4o-mini", input_tokens: 1000, output_tokens: 500 });
    expect(shown(await callBuiltin(task, "llm_cost", "gpt-4o-mini", 1000, 500))).toBe("0.00045");
    expect(shown(await callBuiltin(task, "llm_cost", "nobody-knows", 1000, 500))).toBe("0.0");
    expect(await callBuiltin(task, "llm_budget_remaining")).toBeNull();
    await callBuiltin(task, "llm_budget", 1);
    await callBuiltin(task, "llm_call", "q", null, mock);
    expect(shown(await callBuiltin(task, "llm_session_cost"))).toBe(
      "{call_count: 1, input_tokens: 1000, output_tokens: 500, total_cost: 0.00045}",
    );
    expect(shown(await callBuiltin(task, "llm_usage"))).toBe(
      "{call_count: 1, input_tokens: 1000, output_tokens: 500, total_calls: 1, total_duration_ms: 0}",
    );
    expect(shown(await callBuiltin(task, "llm_budget_remaining"))).toBe("0.99955");
    await callBuiltin(task, "llm_budget", null);
    expect(await callBuiltin(task, "llm_budget_remaining")).toBeNull();
    expect(await thrownBy(task, "llm_budget", "x")).toContain("llm_budget: expected a non-negative number");
  });

  it("answers about models", async () => {
    const { task } = testRun();
    expect(shown(await callBuiltin(task, "llm_pick_model", "frontier"))).toMatch(
      /provider: anthropic, tier: frontier/,
    );
    expect(shown(await callBuiltin(task, "llm_resolve_model", "local:gemma-4-e4b-it"))).toMatch(
      /id: gemma-4-e4b-it, provider: ollama/,
    );
    expect(
      path(await callBuiltin(task, "llm_model_info", "mid"), "catalog", "pricing", "input_per_mtok"),
    ).toMatchObject({ value: 0.15 });
    expect(path(await callBuiltin(task, "llm_model_info", "ollama:qwen3:30b-a3b"), "tool_format")).toBe(
      "text",
    );
    expect(await callBuiltin(task, "llm_model_tier", "Qwen3.5-9B")).toBe("small");
    expect(await callBuiltin(task, "llm_infer_provider", "meta-llama/x")).toBe("openrouter");
    expect(((await callBuiltin(task, "llm_providers")) as List).length).toBeGreaterThan(6);
    expect(shown(await callBuiltin(task, "llm_available_providers"))).toContain("ollama");
    expect(
      ((await callBuiltin(task, "llm_known_models")) as List).toArray().filter((name) => name === "mid"),
    ).toHaveLength(1);
    expect(path(await callBuiltin(task, "llm_config", "anthropic"), "auth_style")).toBe("header");
    expect(
      path(await callBuiltin(task, "provider_capabilities", "openai", "gpt-4o"), "vision_supported"),
    ).toBe(true);
    expect(await thrownBy(task, "provider_capabilities", "")).toBe(
      "provider_capabilities: provider name is required",
    );
  });

  it("keeps scopes of the mock apart", async () => {
    const task = await withMocks({ text: "outer" });
    await callBuiltin(task, "llm_mock_push_scope");
    await callBuiltin(task, "llm_mock", { text: "inner" });
    expect((await callForDict(task, "llm_call", "q", null, mock)).get("text")).toBe("inner");
    await callBuiltin(task, "llm_mock_pop_scope");
    expect((await callForDict(task, "llm_call", "q", null, mock)).get("text")).toBe("outer");
    expect(await thrownBy(task, "llm_mock_pop_scope")).toBe("llm_mock_pop_scope: no scope to pop");
    expect(await thrownBy(task, "llm_mock", 5)).toBe("llm_mock: expected a dict argument");
    await callBuiltin(task, "llm_mock_clear");
    expect(((await callBuiltin(task, "llm_mock_calls")) as List).length).toBe(0);
  });
});

describe("record and replay (docs/journal.md)", () => {
  it("gives taped answers again without the tape", async () => {
    const { recorded, replayed } = await recordAndReplay(async (task) => {
      if (task.runtime.effects.mode !== "replay")
        configureModels(task.runtime, {
          tape: parseTape(
            '{"text": "a b"}\n{"text": "c", "error": {"category": "overloaded", "message": "busy"}}\n{"text": "d"}\n',
            "t",
          ),
          provider: "openai",
          model: "gpt-4o",
        });
      task.write(`${(await callForDict(task, "llm_call", "q")).get("text")}\n`);
      const stats = await callForDict(task, "llm_call", "q", null, { llm_retries: 2, llm_backoff_ms: 10 });
      task.write(`${stats.get("text")} ${shown(await callBuiltin(task, "llm_usage"))}\n`);
      return null;
    });
    expect(recorded.output).toContain("a b\nd {call_count: 2");
    expect(replayed).toEqual(recorded);
  });

  it("does mock answers again, fixtures of the command line included", async () => {
    const { recorded, replayed } = await recordAndReplay(async (task) => {
      if (task.runtime.effects.mode !== "replay")
        configureModels(task.runtime, { fixtures: parseFixtures('{"text": "from file"}\n', "f") });
      await callBuiltin(task, "llm_mock", { text: "from queue" });
      for (let i = 0; i < 3; i++) {
        const result = await callForDict(task, "llm_call_safe", "q", null, {
          provider: "openai",
          model: "gpt-4o",
        });
        task.write(`${shown(result.get("ok"))} ${shown(path(result, "response", "text"))}\n`);
      }
      task.write(
        `${((await callBuiltin(task, "llm_mock_calls")) as List).length} ${modelsOf(task).mock.queue.length}\n`,
      );
      return null;
    });
    expect(recorded.output).toBe("true from file\ntrue from queue\nfalse (absent)\n3 0\n");
    expect(replayed).toEqual(recorded);
  });

  it("streams the same pieces", async () => {
    const { recorded, replayed } = await recordAndReplay(async (task) => {
      if (task.runtime.effects.mode !== "replay")
        configureModels(task.runtime, {
          tape: parseTape('{"text": "a b c"}\n', "t"),
          provider: "openai",
          model: "gpt-4o",
        });
      const stream = (await callBuiltin(task, "llm_stream", "q")) as Pullable;
      for (let piece = await stream.next(task); piece !== undefined; piece = await stream.next(task))
        task.write(`[${display(piece)}]`);
      return null;
    });
    expect(recorded.output).toBe("[a ][b ][c]");
    expect(replayed).toEqual(recorded);
  });
});
