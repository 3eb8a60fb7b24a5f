/** An argument constraint that nobody can apply is said, once, with what to add (agents.md §8.2). */
import { expect, test } from "vitest";
import { agentRun, tool } from "../../../support/agent-run.ts";

test("a constraint that names no argument is skipped with a warning", async () => {
  const run = agentRun();
  const call = { tool_calls: [{ name: "run", arguments: { x: "ls" } }] };
  run.mock(call, call, { text: "end" });
  const result = await run.loop("go", {
    tools: [tool("run", () => "ran")],
    tool_format: "native",
    policy: { tool_arg_constraints: [{ tool: "ru*", arg_patterns: ["nothing"] }] },
  });
  expect(result.tools.successful).toEqual(["run"]);
  const warnings = run.errors().match(/the argument constraint on 'ru\*' is skipped for tool 'run'/g);
  expect(warnings).toHaveLength(1);
  expect(run.errors()).toContain("add `arg_key` to it");
});
