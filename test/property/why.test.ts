/**
 * Loops with what shapes requests switched on at random: the manifest of every model call has the messages that were sent, one
 * part each, in order; every part has a source; every message and every turn has an answer.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { answerWhy, manifestOf } from "../../src/agent/why/explain.ts";
import { conversations } from "../../src/model/index.ts";
import { thrown } from "../../src/values/index.ts";
import { agentRun, type Plain, tool } from "../support/agent-run.ts";

const weather = fc.record({
  answers: fc.array(fc.constantFrom("call", "two", "text", "empty", "native text"), { maxLength: 14 }),
  format: fc.constantFrom("native", "text"),
  strategy: fc.constantFrom("none", "truncate", "observation_mask"),
  threshold: fc.constantFrom(50, 300),
  projection: fc.constantFrom(
    "raw",
    "clean_tool_repair",
    "squash_failed_calls",
    "summary_prefix",
    "reachability_gc",
  ),
  system: fc.boolean(),
});

const scripted: Readonly<Record<string, Plain>> = {
  call: { tool_calls: [{ name: "good", arguments: { x: "1" } }] },
  two: {
    tool_calls: [
      { name: "good", arguments: {} },
      { name: "bad", arguments: {} },
    ],
  },
  text: { text: "thinking aloud" },
  empty: { text: "" },
  "native text": { text: "<tool_call>good({ x: 'a' })</tool_call>" },
};

test("every part of every request has a source", async () => {
  await fc.assert(
    fc.asyncProperty(weather, async (w) => {
      const run = agentRun();
      const store = run.task.runtime.state(conversations);
      store.watch();
      run.mock(...w.answers.map((name) => scripted[name]));
      for (const task of ["one", "two"]) {
        await run.loop(task, {
          session_id: "s",
          tools: [
            tool("good", () => "fine ".repeat(100)),
            tool("bad", () => {
              throw thrown("broken");
            }),
          ],
          tool_format: w.format,
          loop_until_done: true,
          max_iterations: 5,
          compaction: w.strategy === "none" ? "none" : { strategy: w.strategy },
          compact_threshold: w.threshold,
          compact_keep_last: 3,
          transcript_projection: { policy: w.projection, keep_last: 2 },
        });
      }
      const conversation = store.get("s");
      if (conversation === undefined) throw new Error("no conversation");
      const { calls } = conversation.seen;
      const sent = run.calls();
      expect(calls.length).toBe(sent.length);
      for (const [index, call] of calls.entries()) {
        const parts = manifestOf(conversation, call);
        expect(parts.every(({ source, why }) => source !== "" && why !== "")).toBe(true);
        expect(parts.filter(({ part }) => part.startsWith("message:")).length).toBe(
          sent[index].messages.length,
        );
        const system = call.system.reduce((sum, { chars }) => sum + chars + 2, -2);
        expect(Math.max(0, system)).toBe((sent[index].system ?? "").length);
        expect(answerWhy(conversation, { turn: call.turn, loop: call.loop }).claim).not.toBe("");
      }
      for (const { id } of conversation.log)
        expect(answerWhy(conversation, { message: id }).claim).toContain(id);
      expect(answerWhy(conversation, {}).claim).toContain("ended");
    }),
    { numRuns: 60 },
  );
});
