/** What `agent_loop` says about its options (agents.md §10.9), before any call. */
import { describe, expect, test } from "vitest";
import { agentRun, fn, type Plain, tool } from "../../../support/agent-run.ts";

const bad: [Record<string, Plain>, string][] = [
  [
    { profile: "x" },
    'profile: expected "tool_using", "researcher", "verifier" or "completer", got string "x"',
  ],
  [
    { native_tool_fallback: "x" },
    'native_tool_fallback: expected "allow", "allow_once" or "reject", got string "x"',
  ],
  [{ max_iterations: 0 }, "max_iterations: expected int >= 1, got int 0"],
  [{ iteration_budget: 3 }, "iteration_budget: expected string | dict, got int 3"],
  [{ iteration_budget: "wild" }, 'iteration_budget: expected "fixed" or "adaptive", got string "wild"'],
  [{ iteration_budget: { initial: 0 } }, "iteration_budget.initial: expected int >= 1, got int 0"],
  [
    { iteration_budget: { mode: "adaptive", extend_by: -1 } },
    "iteration_budget.extend_by: expected int >= 1, got int -1",
  ],
  [
    { iteration_budget: { initial: 5, max: 2 } },
    "iteration_budget.initial: expected int <= max (2), got int 5",
  ],
  [{ loop_control: 1 }, "loop_control: expected closure, got int 1"],
  [{ done_sentinel: 1 }, "done_sentinel: expected string, got int 1"],
  [{ done_sentinel: "" }, 'done_sentinel: expected a text that is not empty, got string ""'],
  [{ verify_completion: "x" }, 'verify_completion: expected closure, got string "x"'],
  [{ done_judge: 3 }, "done_judge: expected bool | dict, got int 3"],
  [{ verify_completion_judge: "x" }, 'verify_completion_judge: expected bool | dict, got string "x"'],
  [{ step_judge: 1 }, "step_judge: expected bool | dict, got int 1"],
  [{ done_judge: { cadence: { every: 0 } } }, "done_judge.cadence.every: expected int >= 1, got int 0"],
  [{ done_judge: { max_invocations: -1 } }, "done_judge.max_invocations: expected int >= 0, got int -1"],
  [
    { done_judge: { cadence: { when: "never" } } },
    'done_judge.cadence.when: expected "always" or "stalled", got string "never"',
  ],
  [{ max_concurrent_tools: 0 }, "max_concurrent_tools: expected int >= 1, got int 0"],
  [{ stall_diagnostics: 1 }, "stall_diagnostics: expected bool | dict, got int 1"],
  [{ progress_tool: 1 }, "progress_tool: expected bool | dict, got int 1"],
  [{ tool_format: "xml" }, 'tool_format: expected "native", "text", "json" or "auto", got string "xml"'],
  [
    { hooks: { before_lunch: fn(() => null) } },
    'hooks: unknown option "before_lunch"; expected one of before_plan',
  ],
  [{ limits: { calls: 1 } }, 'limits: unknown option "calls"; expected one of tool_calls, tokens'],
];

describe("refused before any call", () => {
  test.each(bad)("%j", async (entries, text) => {
    const run = agentRun();
    await expect(run.loop("go", entries)).rejects.toMatchObject({
      value: expect.stringContaining(`agent_loop: ${text}`),
    });
    expect(run.calls()).toEqual([]);
  });

  test("tools that are none", async () => {
    await expect(agentRun().loop("go", { tools: 3 })).rejects.toMatchObject({
      value: "agent_loop: tools: expected a tool_registry or list of tool definitions, got int 3",
    });
  });
});

describe("names", () => {
  test("an unknown option is reported once with a suggestion", async () => {
    const run = agentRun();
    for (let n = 0; n < 2; n++) await run.loop("go", { tool_retry: 3 });
    expect(run.errors()).toBe(
      'warning: agent_loop: unknown option "tool_retry", did you mean "tool_retries"?\n',
    );
  });

  test("a misspelt bound is refused", async () => {
    await expect(agentRun().loop("go", { max_iteration: 3 })).rejects.toMatchObject({
      value: 'agent_loop: unknown option "max_iteration", did you mean "max_iterations"?',
    });
  });

  test("an option of an older line says what took its place", async () => {
    const run = agentRun();
    await run.loop("go", { loop_detect_warn: 2 });
    expect(run.errors()).toBe(
      "warning: agent_loop: `loop_detect_warn` is deprecated; use `stall_diagnostics`\n",
    );
  });

  test("known ones are not reported", async () => {
    const run = agentRun();
    await run.loop("go", { temperature: 0.1, mock: {}, nudge: "x", _note: 1 });
    expect(run.errors()).toBe("");
  });
});

describe("profiles", () => {
  const forever = { loop_until_done: true, max_nudges: 1000 };
  test.each([
    ["tool_using", 50],
    ["researcher", 30],
    ["verifier", 5],
    ["completer", 1],
  ])("%s runs at most %d iterations; explicit keys win", async (profile, limit) => {
    expect((await agentRun().loop("go", { ...forever, profile })).llm.iterations).toBe(limit);
    expect((await agentRun().loop("go", { ...forever, profile, max_iterations: 2 })).llm.iterations).toBe(2);
  });
});

describe("tool format", () => {
  const echo = tool("echo", () => "x");
  test("the mock speaks text; a session keeps its first format", async () => {
    const run = agentRun();
    expect((await run.loop("go", { session_id: "s", tools: [echo] })).tools.mode).toBe("text");
    expect((await run.loop("go", { session_id: "s", tools: [echo], tool_format: "native" })).tools.mode).toBe(
      "text",
    );
    expect(run.errors()).toContain("is overridden");
    expect((await run.loop("go", { tools: [echo], tool_format: "auto" })).tools.mode).toBe("text");
  });

  test("a route with native tools speaks native", async () => {
    const run = agentRun();
    run.mock("end");
    const result = await run.loop("go", { provider: "openai", model: "gpt-4o-mini", tools: [echo] });
    expect(result.tools.mode).toBe("native");
  });
});
