/**
 * Random conversations (calls with and without results, results without calls, parallel calls, huge and odd texts) under
 * random compactions and projections: nothing that was whole is torn apart, nothing that was said is lost, nothing is
 * edited, and the running count is what a recount gives.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { strategyDict } from "../../src/agent/context/compaction/strategy.ts";
import { projectorOf } from "../../src/agent/context/projection/index.ts";
import type { CompactionOptions } from "../../src/agent/options/compaction-options.ts";
import { type ProjectionOptions, projectionPolicies } from "../../src/agent/options/context-fields.ts";
import { transcriptOf } from "../../src/agent/session/session-transcript.ts";
import { Conversation, messageValue } from "../../src/model/conversation/conversation.ts";
import { messageChars, valueChars } from "../../src/model/conversation/message-size.ts";
import { messageFrom, originOfValue } from "../../src/model/index.ts";
import type { ModelMessage } from "../../src/model/llm/index.ts";
import { Dict } from "../../src/values/index.ts";
import { wordsPassed } from "../support/ladder-pass.ts";

// ── conversations ─────────────────────────────────────────────────────────────────────────────────────────────────

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom("", "\ud800", "👩‍👩‍👧‍👦 漢字", "[no-compact] keep", "error: it broke", "turn:3 and call_2"),
  fc.nat(40_000).map((n) => "x".repeat(n)),
);

type Piece =
  | { readonly kind: "say"; readonly role: string; readonly text: string }
  | {
      readonly kind: "calls";
      readonly count: number;
      readonly answered: number;
      readonly failed: boolean;
      readonly text: string;
    }
  | { readonly kind: "orphan"; readonly text: string }
  | { readonly kind: "framed"; readonly failed: boolean; readonly text: string };

const piece: fc.Arbitrary<Piece> = fc.oneof(
  fc.record({ kind: fc.constant("say" as const), role: fc.constantFrom("user", "assistant"), text }),
  fc.record({
    kind: fc.constant("calls" as const),
    count: fc.integer({ min: 1, max: 4 }),
    answered: fc.nat(4),
    failed: fc.boolean(),
    text,
  }),
  fc.record({ kind: fc.constant("orphan" as const), text }),
  fc.record({ kind: fc.constant("framed" as const), failed: fc.boolean(), text }),
);

function messagesOf(pieces: readonly Piece[]): ModelMessage[] {
  const messages: ModelMessage[] = [];
  let calls = 0;
  for (const made of pieces) {
    if (made.kind === "say") messages.push({ role: made.role, content: made.text });
    else if (made.kind === "orphan")
      messages.push({ role: "tool", tool_call_id: "nobody", name: "ghost", content: made.text });
    else if (made.kind === "framed") {
      messages.push({ role: "assistant", content: "<tool_call>read({})</tool_call>" });
      const kind = made.failed ? "error from" : "result of";
      messages.push({ role: "user", content: `[${kind} read]\n${made.text}\n[end of read result]\n` });
    } else {
      const ids = Array.from({ length: made.count }, () => `call_${++calls}`);
      const tool_calls = ids.map((id) => ({ id, name: "read", arguments: { path: "a" } }));
      messages.push({ role: "assistant", content: "", tool_calls });
      for (const id of ids.slice(0, made.answered)) {
        const failed = made.failed ? { is_error: true } : {};
        messages.push({ role: "tool", tool_call_id: id, name: "read", content: made.text, ...failed });
      }
    }
  }
  return messages;
}

const conversation = fc.array(piece, { maxLength: 25 }).map((pieces) => {
  const made = new Conversation("s");
  for (const message of messagesOf(pieces)) made.append(message);
  return made;
});

/** Ids of calls without a result, and of results without a call, in this order of messages. */
function loose(messages: readonly ModelMessage[]): Set<string> {
  const open = new Set<string>();
  const found = new Set<string>();
  for (const message of messages) {
    const answered =
      message.role === "tool" || message.role === "tool_result"
        ? (message.tool_call_id ?? message.tool_use_id ?? "")
        : undefined;
    if (answered !== undefined && !open.delete(answered)) found.add(answered);
    for (const { id } of message.tool_calls ?? []) open.add(id);
  }
  for (const id of open) found.add(id);
  return found;
}

/** Between a call and its results stands nothing but results. */
function isSplit(messages: readonly ModelMessage[]): boolean {
  let open = new Set<string>();
  for (const message of messages) {
    const answered = message.role === "tool" ? (message.tool_call_id ?? "") : undefined;
    if (answered !== undefined) open.delete(answered);
    else {
      if (
        open.size > 0 &&
        messages
          .slice(messages.indexOf(message))
          .some((m) => m.role === "tool" && open.has(m.tool_call_id ?? ""))
      )
        return true;
      open = new Set((message.tool_calls ?? []).map(({ id }) => id));
    }
  }
  return false;
}

// ── compactions ───────────────────────────────────────────────────────────────────────────────────────────────────

const plans: fc.Arbitrary<CompactionOptions> = fc.record({
  strategy: fc.constantFrom("llm" as const, "truncate" as const, "observation_mask" as const),
  label: fc.constant("x"),
  keepFirst: fc.nat(6),
  keepLast: fc.nat(14),
  threshold: fc.constantFrom(0, 0, 0, 200, 5000),
  toolOutputMaxChars: fc.constantFrom(200, 1000, 16_000),
  hardLimit: fc.constantFrom(null, 1, 2000),
  hardStrategy: fc.constantFrom("truncate" as const, "llm" as const),
  summarizePrompt: fc.constant(null),
  customCompactor: fc.constant(null),
  maskCallback: fc.constant(null),
  compressCallback: fc.constant(null),
  policy: fc.constant(null),
  llm: fc.constant(new Dict()),
});

const answers = fc.constantFrom(
  { ok: true, text: "what happened" },
  { ok: true, text: "  " },
  { ok: false, error: "no" },
);

describe("compaction", () => {
  test("tears nothing apart, loses nothing, edits nothing, counts right", async () => {
    await fc.assert(
      fc.asyncProperty(
        conversation,
        fc.array(plans, { minLength: 1, maxLength: 3 }),
        answers,
        async (made, all, answer) => {
          const said = made.log.map(({ message }) => JSON.stringify(message));
          const before = loose(made.shown.map(({ message }) => message));
          for (const options of all) {
            const shown = [...made.shown];
            const passed = await wordsPassed(made, options, () => answer);
            if (passed === null) continue;
            const { archived } = passed;
            const view = made.shown.map(({ message }) => message);
            for (const id of loose(view)) expect(before.has(id)).toBe(true);
            expect(isSplit(view)).toBe(isSplit(shown.map(({ message }) => message)) && isSplit(view));
            expect(archived).toBe(made.archives.at(-1)?.messages.length);
            expect(made.shown.length).toBe(shown.length - archived + 1);
          }
          expect(made.chars).toBe(made.shown.reduce((sum, { message }) => sum + messageChars(message), 0));
          expect(made.view).toEqual(made.shown.map(({ message }) => message));
          expect(made.log.slice(0, said.length).map(({ message }) => JSON.stringify(message))).toEqual(said);
          const kept = new Set(
            [...made.shown, ...made.archives.flatMap(({ messages }) => messages)].map(({ id }) => id),
          );
          for (const { id } of made.log) expect(kept.has(id)).toBe(true);
          const transcript = transcriptOf(made);
          expect(transcript.get("_type")).toBe("transcript");
        },
      ),
      { numRuns: 150 },
    );
  });

  test("messages as scripts hold them are counted the same", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        for (const message of messagesOf(pieces)) {
          const value = messageValue(message);
          expect(valueChars(value)).toBe(messageChars(message));
          const restored = messageFrom(value, "");
          const [one, other] = [message, restored].map((message) =>
            strategyDict({ id: "msg_1", message, origin: originOfValue(value, message) }, 0, false),
          );
          expect(String(other)).toBe(String(one));
        }
      }),
      { numRuns: 100 },
    );
  });
});

// ── projections ───────────────────────────────────────────────────────────────────────────────────────────────────

const policies = projectionPolicies.filter(
  (policy): policy is Exclude<ProjectionOptions["policy"], "custom"> =>
    policy !== "raw" && policy !== "custom",
);

describe.each(policies)("projection %s", (policy) => {
  test("tears nothing apart, and followed step by step gives what it gives at once", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.nat(6), fc.nat(20), (pieces, keepLast, pause) => {
        const options = { policy, keepLast, projector: null };
        const made = new Conversation("s");
        const follower = projectorOf(made, options);
        const messages = messagesOf(pieces);
        for (const [index, message] of messages.entries()) {
          made.append(message);
          if (index % (pause + 1) === 0) follower.project();
        }
        const before = loose(made.view);
        const { messages: projected, sent } = follower.project();
        expect(sent).toEqual(projected.map(({ message }) => message));
        for (const id of loose(sent)) expect(before.has(id)).toBe(true);
        const fresh = new Conversation("s");
        for (const message of messages) fresh.append(message);
        expect(sent).toEqual(projectorOf(fresh, options).project().sent);
        expect(made.view).toEqual(messages);
      }),
      { numRuns: 80 },
    );
  });
});
