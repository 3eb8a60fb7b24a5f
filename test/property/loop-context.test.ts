/**
 * Loops with everything that shapes what a model sees switched on at random (compaction, projections, scratchpad, reminders,
 * a window that is too small), under models that answer anything. Whatever happens: a vendor would accept every request,
 * the log has every message once and unchanged, and the conversation's running count is what a recount gives.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { hasNothingVisible } from "../../src/agent/completion/unfinished.ts";
import { messageChars } from "../../src/model/conversation/message-size.ts";
import { conversations } from "../../src/model/index.ts";
import { thrown } from "../../src/values/index.ts";
import { agentRun, type Plain, tool } from "../support/agent-run.ts";

const long = "output ".repeat(120);
const pad = JSON.stringify({
  goals: [{ text: "g", source_ref: "user:initial" }],
  open_items: [],
  facts: [{ text: "f", source_ref: "turn:2" }],
  refs: [],
});

const answers: readonly Plain[] = [
  { text: "" },
  { text: "thinking aloud about call_1 and turn:3" },
  { tool_calls: [{ name: "good", arguments: { x: "1" } }] },
  {
    tool_calls: [
      { name: "good", arguments: { x: "1" } },
      { name: "bad", arguments: {} },
    ],
  },
  { tool_calls: [{ name: "bad", arguments: {} }] },
  {
    tool_calls: [
      { name: "nope", arguments: {} },
      { name: "good", arguments: { x: "2" } },
    ],
  },
  { text: "<tool_call>good({ x: 'a' })</tool_call>" },
  { text: "<tool_call>good({ x: </tool_call>" },
  { text: pad },
  { text: '{"goals": "no list"}' },
  { text: "what happened so far, in short" },
  { error: { category: "generic", message: "prompt is too long: maximum context length exceeded" } },
  { error: { category: "auth", message: "no" } },
];

const weather = fc.record({
  answers: fc.array(fc.nat(answers.length - 1), { maxLength: 30 }),
  format: fc.constantFrom("native", "text", "json"),
  max: fc.integer({ min: 1, max: 14 }),
  compaction: fc.constantFrom("none", "hybrid", "truncate", "summarize_all", "observation_mask"),
  threshold: fc.constantFrom(0, 50, 400),
  keepFirst: fc.nat(3),
  keepLast: fc.nat(6),
  projection: fc.constantFrom(
    "raw",
    "clean_tool_repair",
    "squash_failed_calls",
    "summary_prefix",
    "reachability_gc",
  ),
  projected: fc.nat(4),
  scratchpad: fc.constantFrom(false, true, { reorganize_every: 1, schema_retries: 0 }),
  reminders: fc.array(
    fc.record({
      body: fc.constantFrom("one", "two"),
      role_hint: fc.constantFrom("system", "user_block"),
      ttl_turns: fc.integer({ min: 1, max: 3 }),
      preserve_on_compact: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
});

/** What vendors refuse: a result without a call, a call whose results do not follow. */
function acceptable(messages: readonly Plain[]): void {
  let open = new Set<string>();
  for (const message of messages) {
    const answered = message.role === "tool" || message.role === "tool_result";
    if (answered) expect(open.delete(message.tool_call_id ?? message.tool_use_id)).toBe(true);
    else {
      expect([...open]).toEqual([]);
      open = new Set((message.tool_calls ?? []).map((call: Plain) => call.id));
    }
  }
  expect([...open]).toEqual([]);
}

test("every request is acceptable, nothing that was said is lost or changed", async () => {
  await fc.assert(
    fc.asyncProperty(weather, async (w) => {
      const run = agentRun();
      run.mock(...w.answers.map((n) => answers[n]));
      run.builtin("agent_session_open", "s");
      for (const reminder of w.reminders) await run.builtin("transcript_inject_reminder", "s", reminder);
      const conversation = run.task.runtime.state(conversations).get("s");
      if (conversation === undefined) throw new Error("no conversation");
      const first = await loop(run, w);
      const said = conversation.log.map(({ message }) => JSON.stringify(message));
      const second = await loop(run, w);
      expect(conversation.log.slice(0, said.length).map(({ message }) => JSON.stringify(message))).toEqual(
        said,
      );
      for (const status of [first.status, second.status])
        expect(["done", "budget_exhausted", "stuck", "provider_error"]).toContain(status);
      for (const call of run.calls()) acceptable(call.messages);
      expect(new Set(conversation.log.map(({ id }) => id)).size).toBe(conversation.log.length);
      const kept = [...conversation.shown, ...conversation.archives.flatMap(({ messages }) => messages)];
      const ids = new Set(kept.map(({ id }) => id));
      // An answer that holds nothing is not shown again.
      const blank = ({ role, content }: Plain): boolean => role === "assistant" && hasNothingVisible(content);
      expect(conversation.log.filter(({ id, message }) => !ids.has(id) && !blank(message))).toEqual([]);
      const chars = conversation.shown.reduce((sum, { message }) => sum + messageChars(message), 0);
      expect(conversation.chars).toBe(chars);
    }),
    { numRuns: 60 },
  );
});

function loop(run: ReturnType<typeof agentRun>, w: Plain): Promise<Plain> {
  const tools = [
    tool("good", (args) => `${args.x} ${long}`),
    tool("bad", () => {
      throw thrown("bad handler");
    }),
  ];
  return run.loop("the task", {
    session_id: "s",
    tools,
    tool_format: w.format,
    loop_until_done: true,
    max_iterations: w.max,
    llm_backoff_ms: 0,
    compaction: w.compaction === "none" ? "none" : { strategy: w.compaction, keep_first: w.keepFirst },
    compact_threshold: w.threshold,
    compact_keep_last: w.keepLast,
    transcript_projection: { policy: w.projection, keep_last: w.projected },
    scratchpad: w.scratchpad,
  });
}
