/** The tool by itself, and a recorded run: it touches no model, and today's code must do what was recorded. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { replayOf, testHarn } from "harn/testing";
import { answer } from "../agent.ts";
import { inStock } from "../tools.ts";

test("the tool says how many there are, and what there is", async (t) => {
  const h = testHarn({ tools: [inStock] });
  t.after(() => h.close());
  const ask = (article: string) => ({
    text: `return host_call("tool.in_stock", {article: "${article}"}).count`,
  });
  assert.equal(await h.run(ask("apples")), 12);
  await assert.rejects(h.run(ask("plums")), /there is no article plums; there are apples, pears/);
});

test("the recorded run, with the agent and the tool of today", async () => {
  const recording = new URL("recording.jsonl", import.meta.url);
  const { same, difference, end } = await replayOf(recording, { flows: { answer }, tools: [inStock] });
  // What was recorded and what happens now. When the change is meant: `npm run record`.
  assert.ok(same, difference?.message);
  assert.deepEqual(end.output, { answer: "No: there are 0 pears." });
});
