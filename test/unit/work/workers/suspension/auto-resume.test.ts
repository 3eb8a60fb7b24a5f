/** Timeouts of resume conditions (agents.md §17.5), on a clock that moves only when somebody sleeps. */
import { expect, test } from "vitest";
import { runScript } from "../../../../support/run-script.ts";

const parked = (timeout: string, rest: string): string => `
let step = tool_define(tool_registry(), "step", "One step.", {handler: { _ ->
  sleep(1s)
  return "stepped"
}})
llm_mock({text: "so far", tool_calls: [{name: "step"}]})
llm_mock({text: "all done"})
let w = spawn_agent({task: "Work.", node: {mode: "agent", tools: step, model_policy: {tool_format: "native"}}})
sleep(10ms)
let s = suspend_agent(w, "lunch", {conditions: {timeout: ${timeout}}})
println(s.status)
${rest}
`;

async function linesOf(script: string): Promise<string[]> {
  const { stdout, error } = await runScript(script);
  expect(error).toBe("");
  return stdout.trimEnd().split("\n");
}

test("a worker goes on with what it said last when its time is over", async () => {
  const lines = await linesOf(
    parked(
      "{duration_minutes: 2}",
      `sleep(119s)
println(list_agents()[0].status)
sleep(2s)
println(wait_agent(w).status)
println(llm_mock_calls()[-1].messages.map({ m -> m.role }))
println(llm_mock_calls()[-1].messages[-1].content.contains("What was said before the suspension:\\nso far"))`,
    ),
  );
  expect(lines).toEqual(["suspended", "suspended", "completed", "[user]", "true"]);
});

test("or in its conversation, told that nothing happened", async () => {
  const lines = await linesOf(
    parked(
      '{duration_minutes: 1, on_timeout: "resume_with_input"}',
      `sleep(61s)
println(wait_agent(w).status)
println(len(llm_mock_calls()[-1].messages))
println(llm_mock_calls()[-1].messages[-1].content.contains("Nothing happened within 1 minute."))`,
    ),
  );
  expect(lines).toEqual(["suspended", "completed", "4", "true"]);
});

test("or fails", async () => {
  const lines = await linesOf(
    parked(
      '{duration_minutes: 3, on_timeout: "fail"}',
      `sleep(181s)
let ended = wait_agent(w)
println([ended.status, ended.error, ended.suspension])`,
    ),
  );
  expect(lines).toEqual([
    "suspended",
    "[failed, Nothing happened within 3 minutes. It was suspended: lunch, nil]",
  ]);
});

test("a time that is over too late does nothing: somebody else has gone on with it", async () => {
  const lines = await linesOf(
    parked(
      '{duration_minutes: 1, on_timeout: "fail"}',
      `println(wait_agent(resume_agent(w, "Now.")).status)
sleep(120s)
println([list_agents()[0].status, len(llm_mock_calls())])`,
    ),
  );
  expect(lines).toEqual(["suspended", "completed", "[completed, 2]"]);
});

test("a program does not wait for timeouts: it ends, and its worker stays suspended", async () => {
  expect(await linesOf(parked("{duration_minutes: 600}", ""))).toEqual(["suspended"]);
});
