/** A contract whose checks are functions is kept over runs: what it says, and what was seen of it. */
import { expect, test } from "vitest";
import { restoredContract } from "../../../../src/agent/completion/task-contract/restore.ts";
import { keptControl, keptConversation } from "../../../../src/agent/session/kept-conversation.ts";
import { conversations } from "../../../../src/model/index.ts";
import { agentRun, fn, options, tool } from "../../../support/agent-run.ts";

test("functions go, requirements and their coverage stay", async () => {
  const run = agentRun();
  run.mock({ tool_calls: [{ name: "work_complete", arguments: { summary: "It is counted." } }] }, "Done.");
  await run.loop("Count.", {
    session_id: "counting",
    max_iterations: 2,
    tool_format: "native",
    tools: [tool("look", () => "seen")],
    contract: options({
      goal: "Know the stock",
      required_outputs: [
        {
          id: "counted",
          description: "The stock is counted",
          predicate: { type: "custom", check: fn(() => true) },
        },
        { id: "said", description: "It is said", predicate: { type: "always_true" } },
      ],
    }),
  });
  const conversation = run.task.runtime.state(conversations).get("counting");
  if (conversation === undefined) throw new Error("the session is gone");
  const seen = [...(conversation.contract?.coverage ?? [])].map(([id, { status }]) => [id, status]);
  expect(seen.length).toBeGreaterThan(0);
  const kept = JSON.parse(JSON.stringify(keptConversation(conversation)));
  const again = restoredContract(keptControl(kept), "test", null);
  expect(again?.contract.outputs.map(({ id, predicate }) => [id, predicate.type])).toEqual([
    ["counted", "not_available"],
    ["said", "always_true"],
  ]);
  expect([...(again?.coverage ?? [])].map(([id, { status }]) => [id, status])).toEqual(seen);
});
