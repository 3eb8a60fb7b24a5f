/** `agent_loop` against the mock: modes, completion, statuses, the result's shape (agents.md §10). */
import { describe, expect, test } from "vitest";
import { loadAgentLoop } from "../../../../src/skills/index.ts";
import { thrown } from "../../../../src/values/index.ts";
import { agentRun, fn, options, type Plain, raw, tool } from "../../../support/agent-run.ts";

const call = (name: string, args: object = {}): object => ({ tool_calls: [{ name, arguments: args }] });
const echo = tool("echo", (args) => `echoed ${args.x ?? ""}`);
const lastUser = (request: Plain): string =>
  request.messages.findLast((m: Plain) => m.role === "user").content;

describe("without loop_until_done", () => {
  test("a text answer ends it", async () => {
    const run = agentRun();
    run.mock("hello there");
    const result = await run.loop("hi");
    expect(result).toMatchObject({
      status: "done",
      stop_reason: "natural",
      text: "hello there",
      visible_text: "hello there",
      error: null,
    });
    expect(result.llm).toMatchObject({ iterations: 1, output_tokens: 30 });
    expect(result.tools).toEqual({ calls: [], successful: [], rejected: [], mode: "text" });
    expect(run.calls()[0]).toMatchObject({ system: null, messages: [{ role: "user", content: "hi" }] });
  });

  test("done even at max_iterations: 1; a line with the bare sentinel is taken out of visible_text only", async () => {
    const run = agentRun();
    run.mock("fine\n##DONE##");
    const result = await run.loop("hi", { max_iterations: 1 });
    expect(result).toMatchObject({
      status: "done",
      text: "fine\n##DONE##",
      visible_text: "fine",
      answer: "fine",
    });
    const again = agentRun();
    again.mock("fine ##DONE##");
    const inLine = { visible_text: "fine ##DONE##", answer: "fine" };
    expect(await again.loop("hi", { max_iterations: 1 })).toMatchObject(inLine);
  });

  test("a custom bare sentinel stays visible", async () => {
    const run = agentRun();
    run.mock("all FIN");
    expect(await run.loop("hi", { loop_until_done: true, done_sentinel: "FIN" })).toMatchObject({
      stop_reason: "sentinel",
      visible_text: "all FIN",
    });
  });

  test("a tool turn that uses up the limit is budget_exhausted", async () => {
    const run = agentRun();
    run.mock(call("echo", { x: "1" }));
    const result = await run.loop("hi", { tools: [echo], max_iterations: 1 });
    expect(result).toMatchObject({
      status: "budget_exhausted",
      stop_reason: "max_iterations",
      acp_stop_reason: "max_turn_requests",
    });
    expect(result.tools).toMatchObject({ calls: ["echo"], successful: ["echo"], rejected: [] });
  });
});

describe("native loops", () => {
  const native = { tools: [echo], tool_format: "native", loop_until_done: true };

  test("complete on final text, with the tools' results in between", async () => {
    const run = agentRun();
    run.mock(call("echo", { x: "a" }), "the end");
    const result = await run.loop("go", native);
    expect(result).toMatchObject({ status: "done", stop_reason: "natural", text: "the end" });
    expect(result.llm.iterations).toBe(2);
    const [first, second] = run.calls();
    expect(first.tools[0].function.name).toBe("echo");
    expect(first.system).toContain("IMPORTANT: You MUST keep working until the task is complete.");
    expect(first.system).not.toContain("DONE");
    expect(second.messages.map((m: Plain) => m.role)).toEqual(["user", "assistant", "tool"]);
    expect(second.messages[2]).toMatchObject({ tool_call_id: "mock_call_1", name: "echo" });
    expect(second.messages[2].content).toContain("echoed a");
  });

  test("unscripted, the mock calls the first tool until the limit", async () => {
    const run = agentRun();
    const result = await run.loop("go", { ...native, max_iterations: 3 });
    expect(result).toMatchObject({ status: "budget_exhausted", stop_reason: "max_iterations" });
    expect(result.llm.iterations).toBe(3);
  });

  test("an explicit sentinel is waited for", async () => {
    const run = agentRun();
    run.mock("not yet", "now FIN");
    const result = await run.loop("go", { ...native, done_sentinel: "FIN" });
    expect(result).toMatchObject({ status: "done", stop_reason: "sentinel" });
    expect(lastUser(run.calls()[1])).toContain('<runtime_feedback kind="nudge">');
  });

  test("text-mode calls are the fallback: allow, allow_once, reject", async () => {
    const text = '<tool_call>echo({ x: "t" })</tool_call>';
    const outcomes: unknown[] = [];
    for (const policy of ["allow", "allow_once", "reject"]) {
      const run = agentRun();
      run.mock(text, text, "done");
      const result = await run.loop("go", { ...native, native_tool_fallback: policy });
      const { native_text_tool_fallbacks: all, native_text_tool_fallback_rejections: no } = result.trace;
      outcomes.push([
        policy,
        result.status,
        result.tools.successful.length,
        result.trace.tool_executions,
        all,
        no,
      ]);
      if (policy === "reject") expect(lastUser(run.calls()[1])).toContain("native_tool_contract");
    }
    expect(outcomes).toEqual([
      ["allow", "done", 1, 2, 2, 0],
      ["allow_once", "done", 1, 1, 2, 1],
      ["reject", "done", 0, 0, 2, 2],
    ]);
  });
});

describe("tagged text loops", () => {
  const text = { tools: [echo], loop_until_done: true };

  test("run tagged calls and end with the done block", async () => {
    const run = agentRun();
    run.mock(
      '<assistant_prose>I look</assistant_prose>\n<tool_call>echo({ x: "q" })</tool_call>',
      "<user_response>It is q.</user_response>\n<done>##DONE##</done>",
    );
    const result = await run.loop("go", text);
    expect(result).toMatchObject({
      status: "done",
      stop_reason: "sentinel",
      visible_text: "I look\nIt is q.",
    });
    const [first, second] = run.calls();
    expect(first.tools).toBeNull();
    expect(first.system).toContain("<done>##DONE##</done>");
    expect(first.system).toContain("echo({ x?: string })");
    expect(second.messages.map((m: Plain) => m.role)).toEqual(["user", "assistant", "user"]);
    expect(second.messages[2].content).toContain("[result of echo]\nechoed q\n[end of echo result]");
  });

  test("unscripted, the mock ends at once because the contract names <done>", async () => {
    const run = agentRun();
    expect(await run.loop("go", text)).toMatchObject({
      status: "done",
      stop_reason: "sentinel",
      llm: { iterations: 1 },
    });
  });

  test("native calls of the mock count in text loops too", async () => {
    const run = agentRun();
    run.mock(call("echo", { x: "n" }), "<done>##DONE##</done>");
    const result = await run.loop("go", text);
    expect(result.tools.successful).toEqual(["echo"]);
    expect(run.calls()[1].messages[1].content).toContain("<tool_call>\necho({");
  });

  test("broken calls are explained, unknown ones too, and the loop goes on", async () => {
    const run = agentRun();
    run.mock("<tool_call>echo(</tool_call>", "<tool_call>ecko({})</tool_call>", "<done>##DONE##</done>");
    const result = await run.loop("go", text);
    expect(result.status).toBe("done");
    expect(lastUser(run.calls()[1])).toContain("parse_guidance");
    expect(lastUser(run.calls()[2])).toContain("Did you mean 'echo'?");
  });

  test("require_action_or_yield: text alone is no completion even with a judge; nudges ask for a call", async () => {
    const run = agentRun();
    run.mock("thinking", "<done>##DONE##</done>", '{"verdict":"done"}');
    const result = await run.loop("go", {
      ...text,
      done_judge: true,
      turn_policy: { require_action_or_yield: true, allow_done_sentinel: false },
    });
    expect(result.status).toBe("done");
    const nudge = lastUser(run.calls()[1]);
    expect(nudge).toContain("calling a tool");
    expect(nudge).not.toContain("DONE");
  });
});

describe("no-tool sentinel loops", () => {
  test("wait for the bare sentinel; prompt and nudges never say <done>", async () => {
    const run = agentRun();
    run.mock("one", "two", "##DONE##");
    const result = await run.loop("go", { loop_until_done: true });
    expect(result).toMatchObject({ status: "done", stop_reason: "sentinel", text: "onetwo##DONE##" });
    const [first, second] = run.calls();
    for (const said of [first.system, lastUser(second)]) {
      expect(said).toContain("##DONE##");
      expect(said).not.toContain("<done>");
    }
  });

  test("unscripted ones run into their limits", async () => {
    expect(await agentRun().loop("go", { loop_until_done: true, max_iterations: 3 })).toMatchObject({
      status: "budget_exhausted",
      llm: { iterations: 3 },
    });
    const stuck = await agentRun().loop("go", { loop_until_done: true, max_nudges: 1 });
    expect(stuck).toMatchObject({ status: "stuck", stop_reason: "max_nudges", llm: { iterations: 2 } });
    expect(await agentRun().loop("go", { loop_until_done: true, max_nudges: 0 })).toMatchObject({
      status: "stuck",
      llm: { iterations: 1 },
    });
    expect(
      await agentRun().loop("go", { loop_until_done: true, max_nudges: 1, max_iterations: 1 }),
    ).toMatchObject({ status: "budget_exhausted" });
  });

  test("persistent is the old name; nudge replaces the text; done_sentinel: nil never completes", async () => {
    const run = agentRun();
    run.mock("x", "##DONE##");
    await run.loop("go", { persistent: true, nudge: "Keep at it." });
    expect(lastUser(run.calls()[1])).toContain("Keep at it.");
    const never = agentRun();
    never.mock("##DONE##");
    expect(
      await never.loop("go", { loop_until_done: true, done_sentinel: null, max_iterations: 2 }),
    ).toMatchObject({ status: "budget_exhausted" });
  });
});

describe("tools", () => {
  test("failures are told to the model and counted as rejected; unknown tools too", async () => {
    const run = agentRun();
    run.mock(
      { tool_calls: [{ name: "broken" }, { name: "nope" }, { name: "echo", arguments: { x: "1" } }] },
      "ok",
    );
    const failing = tool("broken", () => Promise.reject(thrown("no disk")));
    const result = await run.loop("go", { tools: [failing, echo], tool_format: "native" });
    expect(result.status).toBe("done");
    expect(result.tools).toMatchObject({
      calls: ["broken", "nope", "echo"],
      successful: ["echo"],
      rejected: ["broken", "nope"],
    });
    const texts = run
      .calls()[1]
      .messages.filter((m: Plain) => m.role === "tool")
      .map((m: Plain) => m.content);
    expect(texts[0]).toContain("Thrown: no disk");
    expect(texts[1]).toContain("Tool 'nope' is not available in the current environment.");
    expect(texts[2]).toContain("echoed 1");
  });

  test("duplicate ids, malformed JSON and missing arguments each get their answer", async () => {
    const run = agentRun();
    const strict = tool("need", () => "got", { parameters: { path: { type: "string" } } });
    run.mock(
      {
        tool_calls: [
          { name: "need", arguments: {} },
          { name: "need", arguments: { path: "p" } },
        ],
      },
      "ok",
    );
    const result = await run.loop("go", { tools: [strict], tool_format: "native" });
    const texts = run.calls()[1].messages.filter((m: Plain) => m.role === "tool");
    expect(texts[0].content).toContain("missing required parameter(s): path");
    expect(texts[1].content).toContain("got");
    expect(new Set(texts.map((m: Plain) => m.tool_call_id)).size).toBe(2);
    expect(result.tools.successful).toEqual(["need"]);
  });

  test("stop_after_successful_tools ends after the turn; require_successful_tools fails a loop without them", async () => {
    const run = agentRun();
    run.mock(call("echo"), "never asked");
    expect(
      await run.loop("go", { tools: [echo], loop_until_done: true, stop_after_successful_tools: ["echo"] }),
    ).toMatchObject({ status: "done", stop_reason: "natural", llm: { iterations: 1 } });
    const missing = agentRun();
    missing.mock("bye", "bye again");
    const result = await missing.loop("go", {
      tools: [echo],
      tool_format: "native",
      max_iterations: 2,
      require_successful_tools: ["write", ["a", "b"]],
    });
    expect(result).toMatchObject({
      status: "failed",
      final_status: "failed",
      stop_reason: "missing_required_tools",
      missing_required_tools: ["write", "a|b"],
      error: "Required tools did not succeed: write, a|b",
      error_envelope: { schema_version: 1, kind: "missing_required_tools", missing: ["write", "a|b"] },
    });
    expect(lastUser(missing.calls()[1])).toContain("Required tool(s) have not succeeded yet: write, a|b.");
    const met = agentRun();
    met.mock(call("echo"), "now text");
    expect(
      await met.loop("go", {
        tools: [echo],
        tool_format: "text",
        loop_until_done: true,
        require_successful_tools: ["echo"],
      }),
    ).toMatchObject({ status: "done", stop_reason: "required_tools_satisfied" });
  });

  test("max_concurrent_tools: results stay in emitted order", async () => {
    const run = agentRun();
    const order: string[] = [];
    const slow = tool("slow", async (args) => {
      for (let n = 0; n < (args.x === "a" ? 20 : 1); n++) await null;
      order.push(args.x);
      return args.x;
    });
    run.mock({ tool_calls: ["a", "b"].map((x) => ({ name: "slow", arguments: { x } })) }, "ok");
    await run.loop("go", { tools: [slow], tool_format: "native", max_concurrent_tools: 2 });
    const texts = run
      .calls()[1]
      .messages.filter((m: Plain) => m.role === "tool")
      .map((m: Plain) => m.content);
    expect(order).toEqual(["b", "a"]);
    expect(texts[0]).toContain("\na\n");
  });

  test("tool_retries repeats a failed handler", async () => {
    const run = agentRun();
    let tries = 0;
    const flaky = tool("flaky", () => {
      if (++tries < 3) throw thrown("again");
      return "fine";
    });
    run.mock(call("flaky"), "ok");
    const result = await run.loop("go", {
      tools: [flaky],
      tool_format: "native",
      tool_retries: 2,
      tool_backoff_ms: 1,
    });
    expect([tries, result.tools.successful]).toEqual([3, ["flaky"]]);
  });

  test("the progress tool tells subscribers", async () => {
    const run = agentRun();
    const seen: Plain[] = [];
    run.builtin(
      "agent_subscribe",
      "s",
      fn((event) => void seen.push(event)),
    );
    run.mock(call("agent_progress", { message: "half way" }), "ok");
    await run.loop("go", { session_id: "s", tools: [echo], tool_format: "native", progress_tool: true });
    expect(seen.find((event) => event.type === "progress_reported")).toMatchObject({
      message: "half way",
      replace: true,
    });
    expect(run.calls()[0].system).toContain("agent_progress");
  });
});

describe("providers that fail", () => {
  test("provider_error with the structured error; the failed call is not counted", async () => {
    const run = agentRun();
    run.mock(call("echo"), { error: { category: "auth", message: "bad key" } });
    const result = await run.loop("go", { tools: [echo], tool_format: "native" });
    expect(result).toMatchObject({
      status: "provider_error",
      stop_reason: "provider_error",
      acp_stop_reason: "end_turn",
      llm: { iterations: 1 },
      error: {
        category: "auth",
        kind: "terminal",
        reason: "auth_failure",
        message: "bad key",
        phase: "llm_call",
        tool_format: "native",
        after_tool_result: true,
      },
    });
  });

  test("transient failures are repeated llm_retries times inside one iteration", async () => {
    const run = agentRun();
    const busy = { error: { category: "overloaded", message: "busy" } };
    run.mock(busy, busy, "at last");
    expect(await run.loop("go", { llm_backoff_ms: 1 })).toMatchObject({
      status: "done",
      llm: { iterations: 1 },
    });
    const no = agentRun();
    no.mock(busy, "unused");
    expect(await no.loop("go", { llm_retries: 0 })).toMatchObject({
      status: "provider_error",
      error: { category: "overloaded" },
    });
  });

  test("consecutive_failures lets a loop survive some, then breaks the circuit", async () => {
    const run = agentRun();
    const fail = { error: { category: "server_error", message: "500" } };
    run.mock(fail, "fine");
    const budget = { mode: "fixed", max: 5, consecutive_failures: { max: 2 } };
    expect(await run.loop("go", { llm_retries: 0, iteration_budget: budget })).toMatchObject({
      status: "done",
    });
    const broken = agentRun();
    broken.mock(fail, fail, "unused");
    expect(await broken.loop("go", { llm_retries: 0, iteration_budget: budget })).toMatchObject({
      status: "budget_exhausted",
      stop_reason: "circuit_breaker",
    });
  });

  test("a schema is checked, retried, and read into data", async () => {
    const run = agentRun();
    const schema = { type: "object", properties: { a: { type: "int" } }, required: ["a"] };
    run.mock('{"a": "x"}', '{"a": 3}');
    expect(await run.loop("go", { schema, output_validation: "error", schema_retries: 1 })).toMatchObject({
      status: "done",
      data: { a: 3 },
      llm: { iterations: 1 },
    });
    const bad = agentRun();
    bad.mock("no", "no");
    expect(await bad.loop("go", { schema, output_validation: "error", schema_retries: 1 })).toMatchObject({
      status: "provider_error",
      error: { category: "schema_validation" },
    });
  });
});

describe("money and other limits", () => {
  test("the per-call budget is checked before the call", async () => {
    const run = agentRun();
    const result = await run.loop("go", { budget: { max_input_tokens: 1 } });
    expect(result).toMatchObject({
      status: "budget_exhausted",
      stop_reason: "budget_exhausted",
      llm: { iterations: 0 },
      error: { category: "budget_exceeded", limit: "max_input_tokens", phase: "llm_call" },
    });
    expect(run.calls()).toEqual([]);
  });

  test("a dollar limit with an unpriced remote model is refused before the first call", async () => {
    const run = agentRun();
    run.mock("never");
    const result = await run.loop("go", {
      provider: "openai",
      model: "some-new-model",
      iteration_budget: { mode: "fixed", max: 3, total_cost_usd: 0.5 },
    });
    expect(result).toMatchObject({ status: "budget_exhausted", llm: { iterations: 0 } });
    expect(run.calls()).toEqual([]);
  });

  test("limits on tool calls and tokens stop before they are passed", async () => {
    const run = agentRun();
    run.mock(call("echo"), { tool_calls: [{ name: "echo" }, { name: "echo" }] });
    const result = await run.loop("go", { tools: [echo], tool_format: "native", limits: { tool_calls: 2 } });
    expect(result).toMatchObject({
      status: "budget_exhausted",
      stop_reason: "tool_calls",
      trace: { tool_executions: 1 },
    });
    const tokens = agentRun();
    tokens.mock({ text: "", tool_calls: [{ name: "echo" }], input_tokens: 90, output_tokens: 20 });
    expect(
      await tokens.loop("go", { tools: [echo], tool_format: "native", limits: { tokens: 100 } }),
    ).toMatchObject({ status: "budget_exhausted", stop_reason: "tokens" });
  });
});

describe("conversations", () => {
  test("the same session_id goes on; without one every loop is alone", async () => {
    const run = agentRun();
    run.mock("first", "second");
    await run.loop("one", { session_id: "s" });
    const result = await run.loop("two", { session_id: "s" });
    expect(run.calls()[1].messages.map((m: Plain) => m.content)).toEqual(["one", "first", "two"]);
    expect(result.transcript.messages.length).toBe(4);
    expect(result.transcript).toMatchObject({ _type: "transcript", version: 2, id: "s" });
    const alone = await run.loop("three");
    expect(alone.session_id).toMatch(/^agent_session_[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(alone.transcript.messages.length).toBe(2);
  });

  test("repair: a call without a result is answered, a result without a call is taken out", async () => {
    const run = agentRun();
    run.builtin("agent_session_open", "s");
    run.builtin("agent_session_inject", "s", {
      role: "tool",
      tool_call_id: "ghost",
      name: "x",
      content: "boo",
    });
    run.builtin("agent_session_inject", "s", {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "c1", type: "function", function: { name: "rm", arguments: "{}" } }],
    });
    run.mock("fine");
    await run.loop("go on", { session_id: "s", tools: [echo], tool_format: "native" });
    const sent = run.calls()[0].messages;
    expect(sent.map((m: Plain) => m.role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(sent[0].content).toBe("[conversation continues]");
    expect(sent[2].content).toContain("interrupted");
  });

  test("feedback injected by a tool is told before the next call, not earlier", async () => {
    const run = agentRun();
    const teller = tool("teller", () => run.builtin("agent_inject_feedback", "s", "note", "remember this"));
    run.mock(call("teller"), "ok");
    await run.loop("go", { session_id: "s", tools: [teller], tool_format: "native" });
    const { messages } = run.calls()[1];
    expect(messages.at(-1).content).toContain('<runtime_feedback kind="note">\nremember this');
    expect(messages.at(-2).role).toBe("tool");
  });

  test("current id: inside tools the loop's session, outside nil", async () => {
    const run = agentRun();
    const ids: unknown[] = [run.builtin("agent_session_current_id")];
    const who = tool("who", () => void ids.push(run.builtin("agent_session_current_id")));
    run.mock(call("who"), "ok");
    await run.loop("go", { session_id: "s", tools: [who], tool_format: "native" });
    ids.push(run.builtin("agent_session_current_id"));
    expect(ids).toEqual([null, "s", null]);
  });
});

describe("the result", () => {
  test("has the full shape", async () => {
    const run = agentRun();
    run.mock("x");
    const result = await run.loop("the task");
    expect(Object.keys(result).sort()).toEqual([
      "acp_stop_reason",
      "answer",
      "cost_usd",
      "daemon_snapshot_path",
      "daemon_state",
      "deferred_user_messages",
      "deliverables",
      "error",
      "final_status",
      "llm",
      "session_id",
      "started_at",
      "status",
      "stop_reason",
      "task",
      "task_ledger",
      "text",
      "tokens_used",
      "tools",
      "trace",
      "transcript",
      "visible_text",
    ]);
    expect(Object.keys(result.trace)).toContain("empty_completion_retries");
    expect(result).toMatchObject({
      task: "the task",
      acp_stop_reason: "end_turn",
      daemon_snapshot_path: null,
      task_ledger: {},
    });
    expect(Object.keys(result.llm).sort()).toEqual([
      "duration_ms",
      "input_tokens",
      "iterations",
      "output_tokens",
    ]);
  });
});

describe("nested loops and traces", () => {
  test("a loop inside a tool names its parent's session and call", async () => {
    const run = agentRun();
    const events: Plain[] = [];
    const ask = tool("ask", () => 0, {
      handler: raw(async (task) => {
        const { runAgentLoop } = await loadAgentLoop();
        const inner = options({ provider: "mock", on_event: fn((event) => void events.push(event)) });
        const result = await runAgentLoop(task, {
          prompt: "in",
          system: null,
          options: inner,
          caller: "agent_loop",
        });
        return result.get("text") ?? null;
      }),
    });
    run.mock({ tool_calls: [{ name: "ask" }] }, "inner", "outer");
    const result = await run.loop("go", { session_id: "out", tools: [ask], tool_format: "native" });
    expect(result.text).toBe("outer");
    expect(events[0].parent).toEqual({ session: "out", call: "mock_call_1" });
    expect(run.calls()[2].messages[2].content).toContain("inner");
  });

  test("agent_trace lists what the loop did", async () => {
    const run = agentRun();
    run.mock("<tool_call>echo({})</tool_call>", "end");
    await run.loop("go", { tools: [echo], tool_format: "native" });
    const trace = run.builtin("agent_trace");
    expect(trace.map((event: Plain) => event.type)).toEqual([
      "llm_call",
      "tool_execution",
      "native_tool_fallback",
      "llm_call",
      "loop_complete",
    ]);
    expect(trace.at(-1)).toMatchObject({ status: "done", iterations: 2, tools_used: ["echo"] });
  });

  test("a broken call is no final answer, also without loop_until_done", async () => {
    const run = agentRun();
    run.mock("<tool_call>echo(</tool_call>", "<user_response>sorry</user_response>");
    expect(await run.loop("go", { tools: [echo] })).toMatchObject({ status: "done", llm: { iterations: 2 } });
  });
});
