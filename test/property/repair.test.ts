/**
 * Random histories with whatever scripts, forks and killed runs leave behind (orphans, second results, results in front of
 * their call, words in between, empty answers, arguments that nobody can read, reasoning of another turn), in pieces with a
 * repair between them. What goes out is taken by each of the three wire protocols, nothing is repaired twice, nothing that
 * was said is lost from the log, and what was answered keeps its answer.
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mendedView, repairConversation, repairStrictly } from "../../src/agent/context/repair/repair.ts";
import { renderView } from "../../src/model/conversation/compaction-plan.ts";
import { Conversation } from "../../src/model/conversation/conversation.ts";
import { createMockState, createModelClient, type ModelMessage } from "../../src/model/llm/index.ts";
import { type ProviderServer, startProviderServer, type Wire } from "../support/provider-server/index.ts";

let server: ProviderServer;
beforeAll(async () => {
  server = await startProviderServer();
});
afterAll(() => server.close());

const routes: Readonly<Record<Wire, { provider: string; model: string; api_mode?: string }>> = {
  chat: { provider: "openai", model: "gpt-4o", api_mode: "chat" },
  responses: { provider: "openai", model: "gpt-5", api_mode: "responses" },
  anthropic: { provider: "anthropic", model: "claude-sonnet-4-6" },
};

const name = fc.nat(7).map((n) => `c${n}`);
const words = fc.constantFrom("words", "more words", " ");
const input = fc.constantFrom<unknown>(
  { path: "a" },
  {},
  '{"path": "a"}',
  '{"path": "a',
  "",
  "nonsense",
  [1],
  7,
  null,
);
const sealed = fc.constantFrom<ModelMessage["reasoning"]>(
  undefined,
  [{ protocol: "anthropic", item: { type: "thinking", thinking: "hm", signature: "s" } }],
  [
    {
      protocol: "openai_responses",
      item: { type: "reasoning", id: "r", summary: [{ type: "summary_text", text: "hm" }] },
    },
  ],
);

const result = (id: string, blocks: boolean, content: string): ModelMessage =>
  blocks
    ? { role: "tool_result", tool_use_id: id, content }
    : { role: "tool", tool_call_id: id, name: "t", content };

const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc.record({ role: fc.constant("user"), content: words }),
  fc.record({ role: fc.constant("assistant"), content: fc.constantFrom("", "said", " ") }),
  fc
    .tuple(
      fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
      fc.array(input, { minLength: 3, maxLength: 3 }),
      sealed,
    )
    .map(([ids, args, reasoning]) => ({
      role: "assistant",
      content: "",
      tool_calls: ids.map((id, index) => ({ id, name: "t", arguments: args[index] as never })),
      ...(reasoning === undefined ? {} : { reasoning }),
    })),
  fc.tuple(name, fc.boolean()).map(([id, blocks]) => result(id, blocks, `result of ${id}`)),
);

const history = fc.array(fc.array(message, { maxLength: 8 }), { maxLength: 6 });

/** What is left of each message that answers a call that is in view. */
const answers = (messages: readonly ModelMessage[]): string[] =>
  messages
    .filter(({ role }) => role === "tool" || role === "tool_result")
    .map(({ content }) => String(content));

test("a repaired view is sound, stays so, and keeps the log", () => {
  fc.assert(
    fc.property(history, fc.boolean(), fc.boolean(), (pieces, blocks, edit) => {
      const conversation = new Conversation("s");
      const said: string[] = [];
      for (const [turn, piece] of pieces.entries()) {
        for (const one of piece) conversation.append(one);
        if (edit && turn % 2 === 1) conversation.show(conversation.shown.slice(1), "script");
        repairConversation(conversation, { blocks });
        const view = [...conversation.view];
        expect(repairConversation(conversation, { blocks })).toEqual([]);
        conversation.sound = { revision: -1, length: 0 };
        expect(repairConversation(conversation, { blocks })).toEqual([]);
        expect(conversation.view).toEqual(view);
        expect(mendedView(conversation.view, { blocks })).toBe(conversation.view);
        expect(renderView(conversation.log, conversation.plan)).toEqual(conversation.shown);
        if (view.length > 0) expect(view[0]?.role).toBe("user");
        said.push(...conversation.log.slice(said.length).map((logged) => JSON.stringify(logged)));
        expect(conversation.log.map((logged) => JSON.stringify(logged))).toEqual(said);
      }
    }),
    { numRuns: 400 },
  );
});

test("a list that a callback made is mended like a view", () => {
  fc.assert(
    fc.property(history, fc.boolean(), (pieces, blocks) => {
      const messages = pieces.flat();
      const sent = mendedView(messages, { blocks });
      expect(mendedView(sent, { blocks })).toBe(sent);
      const conversation = new Conversation("s");
      for (const one of messages) conversation.append(one);
      repairConversation(conversation, { blocks });
      const begun = conversation.view[0]?.content === "[conversation continues]" ? 1 : 0;
      expect(answers(sent)).toEqual(answers(conversation.view.slice(begun)));
    }),
    { numRuns: 300 },
  );
});

describe("no vendor refuses a repaired history", () => {
  test.each(["chat", "responses", "anthropic"] as const)(
    "%s",
    async (wire) => {
      const client = createModelClient({
        mock: createMockState(),
        env: new Map([
          ["ANTHROPIC_API_KEY", "k"],
          ["OPENAI_API_KEY", "k"],
          ["ANTHROPIC_BASE_URL", server.url],
          ["OPENAI_BASE_URL", `${server.url}/v1`],
        ]),
      });
      const ask = async (messages: ModelMessage[]): Promise<string> => {
        server.clear();
        server.next({ kind: "answer", text: "ok" });
        const outcome = await client.stream({ ...routes[wire], messages });
        return outcome.ok ? "" : outcome.error.message;
      };
      await fc.assert(
        fc.asyncProperty(history, fc.boolean(), async (pieces, strict) => {
          const conversation = new Conversation("s");
          for (const piece of pieces) {
            for (const one of piece) conversation.append(one);
            repairConversation(conversation, { blocks: wire === "anthropic" });
          }
          conversation.append({ role: "user", content: "go on" });
          if (strict) repairStrictly(conversation, { blocks: wire === "anthropic" });
          else repairConversation(conversation, { blocks: wire === "anthropic" });
          expect(await ask(conversation.view)).toBe("");
          if (strict) expect(conversation.view.every((one) => one.reasoning === undefined)).toBe(true);
        }),
        { numRuns: 80 },
      );
    },
    60_000,
  );
});
