/** C1, C23: each action and each record of a plan, as it is rendered. That view and plan agree at every version: `test/property/view.test.ts`. */
import { expect, test } from "vitest";
import {
  committed,
  emptyPlan,
  type LoggedMessage,
  type PlanChange,
  renderView,
} from "../../../../src/model/conversation/compaction-plan.ts";

const person = { by: "person", kind: null } as const;
const picture = { type: "image", media_type: "image/png", data: "AA==" } as never;
const messages: readonly LoggedMessage["message"][] = [
  { role: "user", content: "task" },
  {
    role: "assistant",
    content: "said",
    reasoning: [{ protocol: "anthropic" as never, item: { thinking: "thought" } }],
    tool_calls: [
      { id: "a", name: "write", arguments: { text: "long a" } },
      { id: "b", name: "write", arguments: { text: "long b" } },
    ],
  },
  { role: "tool", tool_call_id: "a", content: "result a" },
  { role: "tool", tool_call_id: "b", content: "result b" },
  { role: "user", content: [{ type: "text", text: "see this" }, picture] },
];
const log: readonly LoggedMessage[] = messages.map((message, index) => ({
  id: `msg_${index + 1}`,
  message,
  origin: person,
}));

const view = (...changes: readonly PlanChange[]) =>
  renderView(log, changes.reduce(committed, emptyPlan("s"))).map(({ id, message }) => ({ id, ...message }));
const shown = (id: string, ...changes: readonly PlanChange[]) =>
  view(...changes).find((one) => one.id === id);

const cleared = (message_id: string, call_id: string | null, text: string): PlanChange => ({
  actions: { [message_id]: "clear" },
  clear_records: [
    { message_id, call_id, tool: "write", durability: "anchoring", reason: "clear", kept: {}, text },
  ],
});

test("without a change it is the log", () => {
  expect(view()).toEqual(log.map(({ id, message }) => ({ id, ...message })));
});

test("summarize and drop take a message out", () => {
  const ids = view({ actions: { msg_3: "summarize", msg_4: "drop", msg_5: "include" } }).map(({ id }) => id);
  expect(ids).toEqual(["msg_1", "msg_2", "msg_5"]);
});

test("clear shows the newest text, and only where the plan says clear", () => {
  expect(shown("msg_3", cleared("msg_3", null, "old"), cleared("msg_3", null, "new"))?.content).toBe("new");
  const back = { actions: { msg_3: "include" } } as const;
  expect(shown("msg_3", cleared("msg_3", null, "old"), back)?.content).toBe("result a");
});

test("clear of a call's arguments leaves the calls beside it", () => {
  const calls = shown("msg_2", cleared("msg_2", "b", '{"text":"short"}'))?.tool_calls;
  expect(calls?.map((call) => call.arguments)).toEqual([{ text: "long a" }, { text: "short" }]);
});

test("externalize shows the note in the body's place", () => {
  const note = { message_id: "msg_4", ref: "msg_4", digest: "", chars: 8, text: "[kept outside]" };
  const change = { actions: { msg_4: "externalize" }, externalization_records: [note] } as const;
  expect(shown("msg_4", change)?.content).toBe("[kept outside]");
});

test("a shorter text leaves pictures where they are", () => {
  expect(shown("msg_5", cleared("msg_5", null, "short"))?.content).toEqual([
    { type: "text", text: "short" },
    picture,
  ]);
});

test("reasoning goes, or stands as text in front", () => {
  const without = { reasoning_records: [{ message_id: "msg_2", reason: "foreign", text: "" }] };
  expect(shown("msg_2", without)).not.toHaveProperty("reasoning");
  expect(shown("msg_2", without)?.content).toBe("said");
  const asText = { reasoning_records: [{ message_id: "msg_2", reason: "foreign", text: "thought" }] };
  expect(shown("msg_2", asText)?.content).toBe("thought\n\nsaid");
});

test("a placement puts a message behind another, the newest counts", () => {
  const placed = (after: string | null): PlanChange => ({
    placement_records: [{ message_id: "msg_5", behind: after }],
  });
  const order = (...changes: readonly PlanChange[]) => view(...changes).map(({ id }) => id);
  expect(order(placed("msg_1"))).toEqual(["msg_1", "msg_5", "msg_2", "msg_3", "msg_4"]);
  expect(order(placed("msg_1"), placed(null))).toEqual(["msg_5", "msg_1", "msg_2", "msg_3", "msg_4"]);
});
