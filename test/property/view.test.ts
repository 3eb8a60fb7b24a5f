/**
 * The view of a conversation is a function of its log and its plan, at every version: whatever is said, hidden, cut, placed
 * or put back, in any order. Nothing that was said is lost or edited.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  committed,
  emptyPlan,
  type LoggedMessage,
  type PlanChange,
  placementsFor,
  type RenderedBodies,
  renderView,
} from "../../src/model/conversation/compaction-plan.ts";
import { Conversation } from "../../src/model/conversation/conversation.ts";
import { messageChars } from "../../src/model/conversation/message-size.ts";

type Step =
  | { readonly do: "say"; readonly role: string; readonly calls: boolean }
  | { readonly do: "hide"; readonly at: number }
  | { readonly do: "keep"; readonly picks: readonly number[] }
  | { readonly do: "clear"; readonly at: number; readonly text: string; readonly ofCall: boolean }
  | { readonly do: "externalize"; readonly at: number }
  | { readonly do: "unreason"; readonly at: number }
  | { readonly do: "summarize"; readonly from: number; readonly count: number }
  | { readonly do: "calling"; readonly open: boolean };

const at = fc.nat(40);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("say" as const),
      role: fc.constantFrom("user", "assistant", "tool"),
      calls: fc.boolean(),
    }),
  },
  fc.record({ do: fc.constant("hide" as const), at }),
  fc.record({ do: fc.constant("keep" as const), picks: fc.array(at, { maxLength: 12 }) }),
  fc.record({
    do: fc.constant("clear" as const),
    at,
    text: fc.constantFrom("short", "", "shorter"),
    ofCall: fc.boolean(),
  }),
  fc.record({ do: fc.constant("externalize" as const), at }),
  fc.record({ do: fc.constant("unreason" as const), at }),
  fc.record({ do: fc.constant("summarize" as const), from: at, count: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ do: fc.constant("calling" as const), open: fc.boolean() }),
);

function take(conversation: Conversation, said: Step): void {
  const { shown, log } = conversation;
  const pick = (index: number): LoggedMessage | undefined => shown[index % Math.max(1, shown.length)];
  switch (said.do) {
    case "say": {
      const calls = said.calls && said.role === "assistant";
      conversation.append({
        role: said.role,
        content: `words ${log.length}`,
        ...(calls
          ? { tool_calls: [{ id: `c${log.length}`, name: "t", arguments: { long: "x".repeat(50) } }] }
          : {}),
        ...(calls ? { reasoning: [{ protocol: "anthropic" as never, item: { type: "thinking" } }] } : {}),
      });
      return;
    }
    case "hide": {
      const found = pick(said.at);
      if (found !== undefined) conversation.hide(found, "judge");
      return;
    }
    case "keep": {
      const wanted = [
        ...new Map(said.picks.flatMap((index) => pick(index) ?? []).map((one) => [one.id, one])).values(),
      ];
      conversation.show(wanted, "script");
      return;
    }
    case "calling": {
      const last = shown.at(-1);
      if (said.open && last !== undefined) conversation.callsBegin(last);
      else conversation.callsAnswered();
      return;
    }
    case "summarize": {
      const from = said.from % Math.max(1, shown.length);
      const gone = shown.slice(from, from + said.count);
      if (gone.length === 0) return;
      const after = shown[from - 1]?.id ?? null;
      const summary = conversation.record({ role: "user", content: "summary" });
      conversation.commit({
        actions: Object.fromEntries(gone.map(({ id }) => [id, "summarize" as const])),
        placement_records: [{ message_id: summary.id, behind: after }],
      });
      return;
    }
    default:
      commitBody(conversation, pick(said.at), said);
  }
}

function commitBody(
  conversation: Conversation,
  found: LoggedMessage | undefined,
  said: Extract<Step, { do: "clear" | "externalize" | "unreason" }>,
): void {
  if (found === undefined) return;
  const message_id = found.id;
  const call = found.message.tool_calls?.[0]?.id ?? null;
  const change: PlanChange =
    said.do === "unreason"
      ? { reasoning_records: [{ message_id, reason: "foreign", text: said.at % 2 === 0 ? "" : "thought" }] }
      : said.do === "externalize"
        ? {
            actions: { [message_id]: "externalize" },
            externalization_records: [{ message_id, ref: message_id, digest: "", chars: 1, text: "outside" }],
          }
        : {
            actions: { [message_id]: "clear" },
            clear_records: [
              {
                message_id,
                call_id: said.ofCall ? call : null,
                tool: "t",
                durability: "ephemeral",
                reason: "old",
                kept: {},
                text: said.ofCall && call !== null ? '{"long":"[note]"}' : said.text,
              },
            ],
          };
  conversation.commit(change);
}

const ids = (messages: readonly LoggedMessage[]): string[] => messages.map(({ id }) => id);

test("the view is renderView(log, plan), its count is a recount, the log is never edited", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const conversation = new Conversation("s");
      let version = 0;
      const said: string[] = [];
      for (const one of steps) {
        take(conversation, one);
        const { log, plan, shown, view, chars } = conversation;
        said.push(...log.slice(said.length).map((logged) => JSON.stringify(logged)));
        expect(renderView(log, plan)).toEqual(shown);
        expect(view).toEqual(shown.map(({ message }) => message));
        expect(chars).toBe(view.reduce((sum, message) => sum + messageChars(message), 0));
        expect(plan.version).toBeGreaterThanOrEqual(version);
        version = plan.version;
        expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
      }
      expect(conversation.log.map((logged) => JSON.stringify(logged))).toEqual(said);
    }),
    { numRuns: 300 },
  );
});

test("what a plan left alone is the very same message again, so that what was sent is not made anew", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const conversation = new Conversation("s");
      for (const one of steps) take(conversation, one);
      const { log, plan } = conversation;
      const made: RenderedBodies = new WeakMap();
      const before = renderView(log, plan, made);
      const again = renderView(log, committed(plan, {}), made);
      expect(again).toHaveLength(before.length);
      for (const [index, shown] of again.entries()) expect(shown).toBe(before[index]);
    }),
    { numRuns: 100 },
  );
});

test("what is shown stands in the order that was asked for, with as few placements as it takes", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(30), { maxLength: 20 }), fc.nat(4), (picks, more) => {
      const conversation = new Conversation("s");
      for (let index = 0; index <= 30; index++) conversation.append({ role: "user", content: `${index}` });
      const wanted = picks.map((index) => conversation.log[index] as LoggedMessage);
      conversation.show(wanted, "script");
      expect(ids(conversation.shown)).toEqual(ids(wanted));
      for (let index = 0; index < more; index++) conversation.append({ role: "user", content: "later" });
      expect(ids(conversation.shown).slice(0, wanted.length)).toEqual(ids(wanted));
      expect(conversation.shown.length).toBe(wanted.length + more);
    }),
  );
});

test("one message out of order is one placement", () => {
  const log = Array.from(
    { length: 50 },
    (_, index): LoggedMessage => ({
      id: `msg_${index + 1}`,
      message: { role: "user", content: "" },
      origin: { by: "person", kind: null },
    }),
  );
  const summary = log[49] as LoggedMessage;
  const wanted = [log[0] as LoggedMessage, summary, ...log.slice(1, 49)];
  expect(placementsFor(log, wanted)).toEqual([{ message_id: "msg_50", behind: "msg_1" }]);
  expect(placementsFor(log, log)).toEqual([]);
  expect(renderView(log, emptyPlan("s"))).toEqual(log);
});
