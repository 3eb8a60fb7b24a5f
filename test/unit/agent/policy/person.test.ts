/** Asking a person: terminal, host callback, replay (agents.md §8.4). */
import { describe, expect, test } from "vitest";
import { configureApprovals } from "../../../../src/agent/index.ts";
import { leaveOf } from "../../../../src/agent/policy/person.ts";
import { Dict, fromJson } from "../../../../src/values/index.ts";
import { agentRun, tool } from "../../../support/agent-run.ts";
import { liveEffects, recordAndReplay, testRun } from "../../../support/concurrent.ts";
import { createMemoryHost } from "../../../support/memory-host.ts";

const call = { tool_calls: [{ name: "run", arguments: { x: "ls" } }] };
const options = () => ({
  tools: [tool("run", () => "ran")],
  tool_format: "native",
  approval_policy: { require_approval: ["run"] },
});

function atTerminal(stdin: string) {
  const run = testRun(liveEffects(), createMemoryHost({ stdin, tty: ["stdin", "stderr"] }));
  return agentRun(run);
}

describe("at a terminal", () => {
  test.each([
    ["y\n", ["run"]],
    ["YES\n", ["run"]],
    ["n\n", []],
    ["\n", []],
    ["", []],
  ])("%j", async (stdin, successful) => {
    const run = atTerminal(stdin);
    run.mock(call, { text: "end" });
    const result = await run.loop("go", options());
    expect(result.tools.successful).toEqual(successful);
    expect(run.errors()).toContain("Approval needed: run {x: ls}");
    expect(run.errors()).toContain("tool 'run' matches approval pattern 'run'");
  });

  test("`always` is asked once", async () => {
    const run = atTerminal("a\n");
    run.mock(call, call, { text: "end" });
    const result = await run.loop("go", options());
    expect(result.tools).toMatchObject({ successful: ["run"], rejected: [] });
    expect(run.errors().match(/Approval needed/g)).toHaveLength(1);
  });
});

test("without a terminal and a host it is denied", async () => {
  const run = agentRun();
  run.mock(call, { text: "end" });
  const result = await run.loop("go", options());
  const denied = result.transcript.events.find((event: { kind: string }) => event.kind === "PermissionDeny");
  expect(denied.metadata.denial.gate).toBe("approval_unavailable");
  expect(denied.text).toContain("approval required but no host bridge is available");
});

test("a host callback sees the receipt, and a replay asks nobody", async () => {
  const asked: unknown[] = [];
  const program = async (task: Parameters<Parameters<typeof recordAndReplay>[0]>[0]) => {
    configureApprovals(task.runtime, async (request) => {
      asked.push(request);
      return { decision: "approved", reason: "fine", approver: "ann" };
    });
    const run = agentRun({ ...testRun(), task, runtime: task.runtime });
    run.mock(call, { text: "end" });
    return fromJson((await run.loop("go", options())).tools);
  };
  const { recorded, replayed } = await recordAndReplay(program);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({
    tool_name: "run",
    policyDecision: { action: "ask", required_approval: true },
  });
  expect(replayed).toEqual(recorded);
});

test("answers in other spellings; what is no answer is a no", () => {
  const granted = (answer: unknown) => leaveOf(fromJson(answer as never)).granted;
  for (const answer of [
    true,
    "once",
    "allow_always",
    { grant: true },
    { approved: true },
    { grant: "session" },
  ])
    expect(granted(answer)).toBe(true);
  for (const answer of [
    null,
    false,
    1,
    "",
    "nope",
    {},
    { grant: false },
    { decision: "denied" },
    { reason: "yes" },
  ])
    expect(granted(answer)).toBe(false);
  expect(leaveOf(Dict.of({ grant: "session", reason: "r", approver: "a" }))).toEqual({
    granted: true,
    always: true,
    reason: "r",
    by: "a",
    arguments: null,
  });
});
