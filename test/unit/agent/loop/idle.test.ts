/** A loop that idles (agents.md §18): what TypeScript sees of it; the rest is in `test/golden/daemons`. */
import { expect, test } from "vitest";
import { sayToSession, wakeSession } from "../../../../src/agent/index.ts";
import { conversations } from "../../../../src/model/index.ts";
import { agentRun, fn } from "../../../support/agent-run.ts";

const long = { daemon: true, wake_interval_ms: 3_600_000, session_id: "s" };

test("what was to wait for the loop's end is said when it idles", async () => {
  const run = agentRun();
  run.mock("one", "two");
  const speak = fn(() => {
    if (run.calls().length === 1) sayToSession(run.task.runtime, "s", "and the rest", "wait_for_completion");
  });
  const result = await run.loop("go", { ...long, max_iterations: 2, post_turn_callback: speak });
  expect(result).toMatchObject({ status: "budget_exhausted", deferred_user_messages: [] });
  expect(run.calls()[1]?.messages.at(-1)).toMatchObject({ role: "user", content: "and the rest" });
});

test("without a turn left it stays deferred", async () => {
  const run = agentRun();
  run.mock("one");
  const speak = fn(() => sayToSession(run.task.runtime, "s", "later", "wait_for_completion"));
  const result = await run.loop("go", { ...long, max_iterations: 1, post_turn_callback: speak });
  expect(result.deferred_user_messages).toEqual(["later"]);
});

test("a host wakes it, and the model is told", async () => {
  const run = agentRun();
  run.mock("one", "two");
  const done = run.loop("go", { ...long, max_iterations: 2 });
  const conversation = run.task.runtime.state(conversations);
  while ((conversation.get("s")?.arrivals.size ?? 0) === 0) await new Promise((later) => setImmediate(later));
  wakeSession(run.task.runtime, "s");
  wakeSession(run.task.runtime, "nobody");
  expect(await done).toMatchObject({ status: "budget_exhausted" });
  expect(run.calls()[1]?.messages.at(-1)?.content).toContain("asked to go on");
});

test("a loop that is abandoned while it idles leaves nothing behind", async () => {
  const run = agentRun();
  run.mock("one");
  const done = run.loop("go", long);
  const conversation = run.task.runtime.state(conversations);
  while ((conversation.get("s")?.arrivals.size ?? 0) === 0) await new Promise((later) => setImmediate(later));
  run.task.interrupt(new Error("enough"));
  await expect(done).rejects.toThrow("enough");
  expect(conversation.get("s")?.arrivals.size).toBe(0);
});
