/** Gates, judges, callbacks, adaptive budgets, stalls (agents.md §10.3, §11). */
import { describe, expect, test } from "vitest";
import { thrown } from "../../../../src/values/index.ts";
import { agentRun, fn, type Plain, tool } from "../../../support/agent-run.ts";

const echo = tool("echo", (args) => `echoed ${args.x ?? ""}`);
const call = (x = "1"): object => ({ tool_calls: [{ name: "echo", arguments: { x } }] });
const lastUser = (request: Plain): string =>
  request.messages.findLast((m: Plain) => m.role === "user").content;
const native = { tools: [echo], tool_format: "native", loop_until_done: true };
const yes = '{"verdict":"done","reasoning":"all there"}';
const no = '{"verdict":"continue","next_step":"Add the missing test"}';

describe("verify_completion", () => {
  test("nil and true accept; text vetoes and the loop goes on", async () => {
    const run = agentRun();
    const said: Plain[] = [];
    const answers = ["write a test too", null];
    run.mock("one", "two");
    const result = await run.loop("go", {
      ...native,
      verify_completion: fn((payload) => {
        said.push(payload);
        return answers.shift();
      }),
    });
    expect(result).toMatchObject({ status: "done", text: "onetwo", llm: { iterations: 2 } });
    expect(lastUser(run.calls()[1])).toContain(
      '<runtime_feedback kind="verify_completion">\nwrite a test too',
    );
    expect(said[0]).toMatchObject({
      task: "go",
      stop_reason: "natural",
      text: "one",
      last_text: "one",
      iteration: 0,
    });
  });

  test("dict form, false, and the cap on vetoes", async () => {
    const run = agentRun();
    run.mock("a", "b", "c");
    const answers: Plain[] = [{ confirm: false, message: "more" }, false, { confirm: true }];
    expect(await run.loop("go", { ...native, verify_completion: fn(() => answers.shift()) })).toMatchObject({
      status: "done",
      llm: { iterations: 3 },
    });
    const never = agentRun();
    never.mock("a", "b", "c", "d");
    const result = await never.loop("go", {
      ...native,
      verify_completion: fn(() => "no"),
      max_verify_attempts: 2,
    });
    expect(result).toMatchObject({
      status: "verify_exhausted",
      stop_reason: "natural",
      llm: { iterations: 3 },
    });
  });

  test("a wrong type is an error of the script, and the session keeps what was said", async () => {
    const run = agentRun();
    run.mock("a");
    const started = run.loop("go", { ...native, session_id: "s", verify_completion: fn(() => 7) });
    await expect(started).rejects.toMatchObject({
      value: "agent_loop: verify_completion must return nil, a bool, a string, or a dict; got int",
    });
    expect(run.builtin("agent_session_length", "s")).toBe(2);
    expect(run.builtin("agent_session_current_id")).toBeNull();
  });
});

describe("judges", () => {
  test("done_judge: a veto is told as feedback, acceptance ends", async () => {
    const run = agentRun();
    run.mock("first try", no, "second try", yes);
    const result = await run.loop("go", { ...native, done_judge: true });
    expect(result).toMatchObject({ status: "done", text: "first trysecond try", llm: { iterations: 2 } });
    expect(result.done_judge).toEqual({
      invocations: 2,
      vetoes: 1,
      max_invocations: null,
      cap_reached: false,
    });
    const [, judged, second] = run.calls();
    expect(judged.messages).toHaveLength(1);
    expect(judged.messages[0].content).toContain("first try");
    expect(lastUser(second)).toContain("Add the missing test");
  });

  test("verify_completion_judge: cap 2 means three model calls and two judge calls", async () => {
    const run = agentRun();
    run.mock("1", no, "2", no, "3", "unused");
    const result = await run.loop("go", { ...native, verify_completion_judge: { max_invocations: 2 } });
    expect(result).toMatchObject({ status: "verify_capped", stop_reason: "completion_judge_cap_reached" });
    expect(result.completion_judge).toEqual({
      invocations: 2,
      vetoes: 2,
      max_invocations: 2,
      cap_reached: true,
    });
    expect(run.calls()).toHaveLength(5);
  });

  test("max_invocations: 0 disables the cap, done_judge has its own reason", async () => {
    const run = agentRun();
    run.mock("1", no, "2");
    expect(await run.loop("go", { ...native, done_judge: { max_feedback: 1 } })).toMatchObject({
      status: "verify_capped",
      stop_reason: "done_judge_cap_reached",
    });
    const open = agentRun();
    open.mock("1", no, "2", no, "3", yes);
    expect(
      (await open.loop("go", { ...native, verify_completion_judge: { max_invocations: 0 } }))
        .completion_judge,
    ).toEqual({ invocations: 3, vetoes: 2, max_invocations: null, cap_reached: false });
  });

  test("a judge that answers nonsense or fails is a veto; fail_open accepts", async () => {
    const run = agentRun();
    run.mock("1", "I would say it is fine", "2", { error: { category: "auth", message: "no" } }, "3", yes);
    const result = await run.loop("go", { ...native, done_judge: true });
    expect(result).toMatchObject({ status: "done", llm: { iterations: 3 } });
    expect(lastUser(run.calls()[2])).toContain("no JSON object");
    const open = agentRun();
    open.mock("1", "nonsense");
    expect(await open.loop("go", { ...native, done_judge: { fail_open: true } })).toMatchObject({
      status: "done",
      llm: { iterations: 1 },
    });
  });

  test("cadence: a candidate that is not due is not accepted", async () => {
    const run = agentRun();
    run.mock("1", "2", yes);
    expect(await run.loop("go", { ...native, done_judge: { cadence: { every: 2 } } })).toMatchObject({
      status: "done",
      llm: { iterations: 2 },
    });
    const closure = agentRun();
    closure.mock("1", "2", yes);
    const when = fn((state) => state.iteration === 2);
    expect(await closure.loop("go", { ...native, done_judge: { cadence: { when } } })).toMatchObject({
      llm: { iterations: 2 },
    });
  });

  test("step_judge: a veto replaces the turn and holds its calls", async () => {
    const run = agentRun();
    run.mock(
      call("bad"),
      '{"verdict":"revise","critique":"use y"}',
      call("good"),
      '{"verdict":"pass"}',
      "done",
      '{"verdict":"pass"}',
    );
    const result = await run.loop("go", { ...native, step_judge: true, max_iterations: 10 });
    expect(result).toMatchObject({ status: "done", trace: { tool_executions: 1 } });
    const retried = run.calls()[2].messages;
    expect(retried.map((m: Plain) => m.role)).toEqual(["user", "user"]);
    expect(retried[1].content).toContain("use y");
    const retain = agentRun();
    retain.mock(call("bad"), '{"verdict":"revise"}', "done", '{"verdict":"ok"}');
    await retain.loop("go", { ...native, step_judge: { on_veto: "retain" }, max_iterations: 10 });
    expect(retain.calls()[2].messages.map((m: Plain) => m.role)).toEqual([
      "user",
      "assistant",
      "tool",
      "user",
    ]);
    expect(retain.calls()[2].messages[2].content).toContain("not run");
  });

  test("step_judge skips when few iterations remain, and says so", async () => {
    const run = agentRun();
    const seen: Plain[] = [];
    run.builtin(
      "agent_subscribe",
      "s",
      fn((event) => void seen.push(event)),
    );
    run.mock("done");
    await run.loop("go", { ...native, session_id: "s", step_judge: true, max_iterations: 1 });
    expect(seen.find((event) => event.type === "step_judge_decision")).toMatchObject({
      skipped: true,
      skip_reason: "low_iteration_budget",
    });
  });
});

describe("callbacks", () => {
  test("post_turn_callback is called after every turn with its payload", async () => {
    const run = agentRun();
    const seen: Plain[] = [];
    run.mock(call(), "end");
    await run.loop("go", { ...native, post_turn_callback: fn((turn) => void seen.push(turn)) });
    expect(seen).toHaveLength(2);
    expect(seen[0]).toMatchObject({
      iteration: 0,
      has_tool_calls: true,
      tool_count: 1,
      successful_tool_names: ["echo"],
      session_successful_tools: ["echo"],
      tool_results: [{ tool_name: "echo", ok: true, status: "ok", rendered_result: "echoed 1" }],
    });
    expect(seen[1]).toMatchObject({ iteration: 1, dispatch: null, tool_results: [], text: "end" });
  });

  test("its answers: text, stop, dict with message and llm_options", async () => {
    const run = agentRun();
    run.mock(call(), "never");
    expect(
      await run.loop("go", {
        ...native,
        post_turn_callback: fn(() => ({ stop: true, stop_reason: "enough" })),
      }),
    ).toMatchObject({ status: "done", stop_reason: "enough", llm: { iterations: 1 } });
    const stop = agentRun();
    stop.mock(call());
    expect(await stop.loop("go", { ...native, post_turn_callback: fn(() => true) })).toMatchObject({
      stop_reason: "post_turn_stop",
    });
    const report = agentRun();
    report.mock(call(), "end");
    const answers: Plain[] = [{ message: "now answer", llm_options: { tool_choice: "none" } }, ""];
    await report.loop("go", { ...native, post_turn_callback: fn(() => answers.shift()) });
    expect(lastUser(report.calls()[1])).toContain("now answer");
    expect([report.calls()[0].tool_choice, report.calls()[1].tool_choice]).toEqual([null, "none"]);
    const text = agentRun();
    const more = ["go deeper", null];
    text.mock("answer", "deeper");
    await text.loop("go", { ...native, post_turn_callback: fn(() => more.shift()) });
    expect(lastUser(text.calls()[1])).toContain('kind="terminal_callback"');
  });

  test("next_options change the loop's own options; what is fixed is refused", async () => {
    const run = agentRun();
    const answers: Plain[] = [{ next_options: { max_nudges: 0 } }];
    run.mock("a", "b", "c");
    const until = { loop_until_done: true, post_turn_callback: fn(() => answers.shift()) };
    expect(await run.loop("go", until)).toMatchObject({ status: "stuck", llm: { iterations: 1 } });
    const bad = agentRun();
    bad.mock("a");
    await expect(
      bad.loop("go", { post_turn_callback: fn(() => ({ next_options: { tools: null } })) }),
    ).rejects.toMatchObject({ value: expect.stringContaining("can't change `tools`") });
  });

  test("context_callback shows the model another history; the transcript keeps all", async () => {
    const run = agentRun();
    const seen: Plain[] = [];
    run.mock(call(), "end");
    const result = await run.loop("go", {
      ...native,
      context_callback: fn((ctx) => {
        seen.push(ctx);
        return ctx.iteration === 0
          ? null
          : { messages: [{ role: "user", content: "only this" }], system: "other" };
      }),
    });
    expect(run.calls()[1]).toMatchObject({
      system: "other",
      messages: [{ role: "user", content: "only this" }],
    });
    expect(result.transcript.messages).toHaveLength(4);
    expect(seen[1]).toMatchObject({ iteration: 1, latest_visible_user_message: "go" });
    expect(seen[1].latest_tool_result).toContain("echoed 1");
    expect(seen[1].recorded_messages).toHaveLength(3);
  });

  test("message_decorator and timestamp_messages change what is sent, not what is kept", async () => {
    const run = agentRun();
    run.mock("end");
    const result = await run.loop("go", {
      message_decorator: fn((message, about) => `${about.index}:${message.content}`),
    });
    const { content } = run.calls()[0].messages[0];
    expect(content).toBe("0:go");
    const stamped = agentRun();
    stamped.mock("end");
    await stamped.loop("go", { timestamp_messages: true });
    expect(stamped.calls()[0].messages[0].content).toMatch(/^\[harn timestamp: \d{4}-.*Z\]\ngo$/);
    expect(result.transcript.messages[0].content).toBe("go");
  });
});

describe("iteration budget", () => {
  test("adaptive: extended at the edge while there is progress, every decision recorded", async () => {
    const run = agentRun();
    const result = await run.loop("go", {
      ...native,
      iteration_budget: { mode: "adaptive", initial: 2, max: 5, extend_by: 2 },
    });
    expect(result).toMatchObject({ status: "budget_exhausted", llm: { iterations: 5 } });
    expect(result.adaptive_budget).toMatchObject({
      mode: "adaptive",
      initial: 2,
      max: 5,
      final_limit: 5,
      extensions_used: 2,
    });
    expect(result.adaptive_budget.decisions).toEqual([
      {
        iteration: 2,
        action: "extend",
        old_limit: 2,
        new_limit: 4,
        reason: "recent turn made progress",
        status: "",
      },
      {
        iteration: 4,
        action: "extend",
        old_limit: 4,
        new_limit: 5,
        reason: "recent turn made progress",
        status: "",
      },
      {
        iteration: 5,
        action: "stop",
        old_limit: 5,
        new_limit: 5,
        reason: "max_iterations",
        status: "budget_exhausted",
      },
    ]);
  });

  test("loop_control sees the state, extends and stops", async () => {
    const run = agentRun();
    const seen: Plain[] = [];
    const result = await run.loop("go", {
      ...native,
      iteration_budget: { mode: "adaptive", initial: 1, max: 9 },
      loop_control: fn((state) => {
        seen.push(state);
        if (state.iteration === 1) return { action: "extend", until: 4, reason: "more" };
        if (state.iteration === 3) return { action: "stop", status: "incomplete", reason: "enough" };
        return null;
      }),
    });
    expect(result).toMatchObject({ status: "incomplete", stop_reason: "enough", llm: { iterations: 3 } });
    expect(seen[0]).toMatchObject({
      iteration: 1,
      budget: { current_limit: 1, max: 9, remaining: 0, extension_count: 0 },
      turn: { tool_call_count: 1, successful_tool_names: ["echo"] },
      progress: { changed: true, summary: "executed 1 tool call(s)" },
    });
    const bad = agentRun();
    await expect(bad.loop("go", { ...native, loop_control: fn(() => "x") })).rejects.toMatchObject({
      value: "agent_loop: loop_control must return nil or a dict; got string",
    });
  });

  test("wall_clock_ms stops the loop", async () => {
    const run = agentRun();
    const slow = tool("slow", () => {
      run.advance(600);
      return "ok";
    });
    const budget = { mode: "fixed", max: 9, wall_clock_ms: 1000 };
    expect(await run.loop("go", { ...native, tools: [slow], iteration_budget: budget })).toMatchObject({
      status: "budget_exhausted",
      stop_reason: "wall_clock_ms",
      llm: { iterations: 2 },
    });
  });
});

describe("stall diagnostics", () => {
  test("warns at the threshold, tells the model once, reports", async () => {
    const run = agentRun();
    run.mock(call(), call(), call(), call(), "end");
    const result = await run.loop("go", { ...native, stall_diagnostics: true });
    expect(result).toMatchObject({
      repeated_tool_calls: 3,
      suspected_loop: true,
      trace: { interventions: 1 },
    });
    expect(result.stall_warnings).toHaveLength(1);
    expect(result.stall_warnings[0]).toMatchObject({
      iteration: 3,
      tool_name: "echo",
      repeat_count: 3,
      threshold: 3,
    });
    expect(result.stall_warnings[0].arguments_digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(lastUser(run.calls()[3])).toContain("Stall diagnostic: ");
    expect(run.calls()[3].messages.at(-2).role).toBe("tool");
  });

  test("a stalled done judge ends the loop before the repeated call", async () => {
    const run = agentRun();
    run.mock(call(), call(), yes);
    const result = await run.loop("go", {
      ...native,
      stall_diagnostics: { threshold: 2 },
      done_judge: { cadence: { when: "stalled" } },
    });
    expect(result).toMatchObject({
      status: "done",
      stop_reason: "stalled_done_judge",
      trace: { tool_executions: 1 },
    });
    expect(result.transcript.messages.at(-1).content).toContain("not run");
  });

  test("the same call for ever ends at max_iterations", async () => {
    expect(await agentRun().loop("go", { ...native, max_iterations: 4 })).toMatchObject({
      status: "budget_exhausted",
      llm: { iterations: 4 },
    });
  });
});

describe("hooks and events", () => {
  test("before_tool_call: arguments changed by a hook are what the tool gets", async () => {
    const run = agentRun();
    run.mock(call("secret"), "end");
    const hooks = {
      before_tool_call: fn((payload) => ({
        payload: { ...payload, call: { ...payload.call, arguments: { x: "safe" } } },
      })),
      after_tool_call: fn((payload) => ({
        payload: {
          ...payload,
          result: { ...payload.result, value: { ...payload.result.value, text: "HOOKED" } },
        },
      })),
    };
    await run.loop("go", { ...native, hooks });
    expect(run.calls()[1].messages[2].content).toContain("HOOKED");
    const plain = agentRun();
    plain.mock(call("secret"), "end");
    await plain.loop("go", { ...native, hooks: { before_tool_call: hooks.before_tool_call } });
    expect(plain.calls()[1].messages[2].content).toContain("echoed safe");
  });

  test("a hook that throws two thirds through forty turns is survived", async () => {
    const run = agentRun();
    const errors: Plain[] = [];
    let calls = 0;
    const result = await run.loop("go", {
      ...native,
      max_iterations: 40,
      hooks: {
        before_tool_call: fn(() => {
          if (++calls === 27) throw thrown("guard failed");
        }),
        on_error: fn((payload) => void errors.push(payload)),
      },
    });
    expect(result).toMatchObject({
      status: "budget_exhausted",
      llm: { iterations: 40 },
      trace: { tool_executions: 40, tool_rejections: 1 },
    });
    expect(errors).toMatchObject([{ where: "before_tool_call", turn: 27 }]);
    const roles = result.transcript.messages.map((m: Plain) => m.role);
    expect(roles.filter((role: string) => role === "tool")).toHaveLength(40);
  });

  test("skip and pause; on_budget_exceeded extends", async () => {
    const skipped = agentRun();
    skipped.mock(call(), "end");
    await skipped.loop("go", { ...native, hooks: { before_tool_call: fn(() => ({ skip: true })) } });
    expect(skipped.calls()[1].messages[2].content).toContain("skipped by a before_tool_call hook");
    const parked = agentRun();
    parked.mock(call(), "end");
    const result = await parked.loop("go", {
      ...native,
      session_id: "s",
      hooks: { before_tool_call: fn(() => ({ pause: "ask Ann" })) },
    });
    expect(result).toMatchObject({
      status: "suspended",
      stop_reason: "suspended",
      reason: "ask Ann",
      initiator: "operator",
      iterations_completed: 1,
    });
    const again = await parked.loop("go on", { ...native, session_id: "s" });
    expect(again.status).toBe("done");
    expect(parked.calls()[1].messages[2].content).toContain("not run: ask Ann");
    const extended = agentRun();
    extended.mock(call(), call(), "end");
    const once = [{ resume: { extend: { turns: 2 } } }];
    expect(
      await extended.loop("go", {
        ...native,
        max_iterations: 1,
        hooks: { on_budget_exceeded: fn(() => once.shift()) },
      }),
    ).toMatchObject({ status: "done", llm: { iterations: 3 } });
  });

  test("a before_step hook that always skips runs into the limit", async () => {
    const run = agentRun();
    const result = await run.loop("go", {
      ...native,
      max_iterations: 5,
      hooks: { before_step: fn(() => ({ skip: true })) },
    });
    expect(result).toMatchObject({ status: "budget_exhausted", llm: { iterations: 0 } });
    expect(run.calls()).toEqual([]);
  });

  test("on_event gets the eleven types, numbered; live events go to subscribers; failing ones are logged", async () => {
    const run = agentRun();
    const events: Plain[] = [];
    const live: Plain[] = [];
    run.builtin(
      "agent_subscribe",
      "s",
      fn((event) => void live.push(event)),
    );
    run.builtin(
      "agent_subscribe",
      "s",
      fn(() => {
        throw thrown("bad subscriber");
      }),
    );
    run.mock(call(), "end");
    await run.loop("go", { ...native, session_id: "s", on_event: fn((event) => void events.push(event)) });
    expect(events.map((event) => event.type)).toEqual([
      "session.start",
      "plan.draft",
      "plan.commit",
      "step.start",
      "tool.call",
      "tool.result",
      "step.end",
      "plan.draft",
      "plan.commit",
      "step.start",
      "step.end",
      "session.complete",
    ]);
    expect(events.map((event) => event.n)).toEqual(events.map((_, n) => n));
    const places = live.filter((event) => event.type === "loop_checkpoint").map((event) => event.checkpoint);
    expect(places).toEqual([
      "iteration_start",
      "pre_tool_dispatch",
      "post_tool_dispatch",
      "iteration_start",
      "loop_exit",
    ]);
    const others = live.filter((event) => event.type !== "loop_checkpoint");
    expect(others.map((event) => event.type)).toEqual([
      "iteration_start",
      "tool_call",
      "tool_call_update",
      "tool_call_update",
      "iteration_end",
      "iteration_start",
      "agent_message_chunk",
      "iteration_end",
    ]);
    expect(others[3]).toMatchObject({
      status: "completed",
      raw_output: "echoed 1",
      executor: { kind: "harn_builtin" },
      session_id: "s",
    });
    expect(run.errors()).toContain("a subscriber of agent events failed");
  });
});

describe("agent_turn", () => {
  test("loops until the judge accepts, and lists turns and decisions", async () => {
    const run = agentRun();
    run.mock(call(), "end", yes);
    const result = await run.turn("go", { tools: [echo], tool_format: "native", system: "Be brief." });
    expect(result).toMatchObject({ status: "done", stop_reason: "natural" });
    expect(result.iterations).toEqual([
      { iteration: 1, started: true, ended: true, tool_count: 1, prose_chars: 0 },
      { iteration: 2, started: true, ended: true, tool_count: 0, prose_chars: 3 },
    ]);
    expect(result.judge_decisions).toMatchObject([
      { iteration: 1, verdict: "done", reasoning: "all there", trigger: null },
    ]);
    expect(result.session_id).toMatch(/^agent_turn_session_/);
    const { system } = run.calls()[0];
    expect(system.indexOf("Be brief.")).toBeGreaterThan(10);
  });

  test.each([
    [{ done_judge: null }, "agent_turn: done_judge is mandatory; pass a dict, true, or omit it"],
    [{ judge: false }, "agent_turn: done_judge is mandatory; pass a dict, true, or omit it"],
    [
      { loop_until_done: false },
      "agent_turn: completion looping is required; pass loop_until_done: true or omit it",
    ],
    [{ done_sentinel: null }, "agent_turn: done_sentinel is required for non-native loops"],
  ])("refuses %j", async (entries, text) => {
    await expect(agentRun().turn("go", entries)).rejects.toMatchObject({
      value: expect.stringContaining(text),
    });
  });
});
