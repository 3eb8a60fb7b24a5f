/** What `agent_loop` says about its options (agents.md §10.9), before any call. */
import { describe, expect, test } from "vitest";
import { agentRun, fn, type Plain, tool } from "../../../support/agent-run.ts";

const bad: [Record<string, Plain>, string][] = [
  [{ profile: "x" }, "profile must be one of tool_using, researcher, verifier, completer"],
  [{ native_tool_fallback: "x" }, 'native_tool_fallback must be one of allow, allow_once, reject; got "x"'],
  [{ max_iterations: 0 }, "`max_iterations` must be a positive integer; got 0"],
  [{ iteration_budget: 3 }, "iteration_budget must be a dict, string, or nil; got int"],
  [{ iteration_budget: "wild" }, 'iteration_budget.mode must be "fixed" or "adaptive"; got "wild"'],
  [{ iteration_budget: { initial: 0 } }, "`iteration_budget.initial` must be a positive integer"],
  [
    { iteration_budget: { mode: "adaptive", extend_by: -1 } },
    "`iteration_budget.extend_by` must be a positive integer",
  ],
  [
    { iteration_budget: { initial: 5, max: 2 } },
    "`iteration_budget.initial` must be less than or equal to `iteration_budget.max`; got initial=5, max=2",
  ],
  [{ loop_control: 1 }, "`loop_control` must be a closure or nil; got int"],
  [{ done_sentinel: 1 }, "`done_sentinel` must be a non-empty string or nil; got int"],
  [{ done_sentinel: "" }, "`done_sentinel` must be a non-empty string or nil; got empty string"],
  [{ verify_completion: "x" }, "`verify_completion` must be a closure or nil; got string"],
  [{ done_judge: 3 }, "`done_judge` must be a dict, bool, or nil; got int"],
  [{ verify_completion_judge: "x" }, "`verify_completion_judge` must be a dict, bool, or nil; got string"],
  [{ step_judge: 1 }, "`step_judge` must be a dict"],
  [{ done_judge: { cadence: { every: 0 } } }, "`done_judge.cadence.every` must be >= 1"],
  [{ done_judge: { max_invocations: -1 } }, "`done_judge.max_invocations` must be >= 0"],
  [
    { done_judge: { cadence: { when: "never" } } },
    '`done_judge.cadence.when` must be "always", "stalled", a closure, or nil; got "never"',
  ],
  [{ max_concurrent_tools: 0 }, "`max_concurrent_tools` must be >= 1; got 0"],
  [{ stall_diagnostics: 1 }, "`stall_diagnostics` must be a dict, bool, or nil; got int"],
  [{ progress_tool: 1 }, "progress_tool must be true, false, a dict, or nil"],
  [{ tool_format: "xml" }, '`tool_format` must be one of native, text, json, auto (or omitted); got "xml"'],
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
      value: "agent_loop: tools must be a tool_registry or a list of tool definition dicts",
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
