/**
 * The ladder over random logs: exchanges of every class, parallel calls, failures, people who speak in between, feedback,
 * results that imitate frames and notes; every summarizer there is; budgets from tiny to ample. What must hold of every
 * committed view (docs/control-plane.md): whole exchanges, a beginning, the log's order, progress, rest, protection, recall,
 * and that view and plan are functions of what they are made of.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { commitPass, ladderView } from "../../src/agent/context/compaction/commit.ts";
import { groupExchanges, type ViewMessage } from "../../src/agent/context/compaction/exchanges.ts";
import { callLibrary } from "../../src/agent/context/compaction/library.ts";
import type { Pass, PassEnd } from "../../src/agent/context/compaction/pass.ts";
import { type LadderInput, planLadder } from "../../src/agent/context/compaction/planner.ts";
import { ladderMessages, ladderRoom } from "../../src/agent/context/compaction/shown.ts";
import { messageWeight, rawTokens } from "../../src/agent/context/meter.ts";
import { recall } from "../../src/agent/context/recall.ts";
import { usualSettings } from "../../src/agent/options/ladder-options.ts";
import { durabilityOf } from "../../src/agent/tools/durability.ts";
import { Conversation, messageText } from "../../src/model/conversation/conversation.ts";
import {
  byRuntime,
  byTool,
  type ModelMessage,
  promptOrigin,
  renderView,
  spokenOrigin,
} from "../../src/model/index.ts";
import type { List } from "../../src/values/index.ts";
import { drivenPass, passInputFor } from "../support/ladder-pass.ts";

// ── logs ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const tools = ["read_file", "list_files", "edit_file", "bash", "fetch_page"];
const body = fc.oneof(
  fc.nat(6000).map((n) => "line of text\n".repeat(Math.ceil(n / 13)).slice(0, n)),
  fc.constantFrom(
    "",
    "ok",
    "error: it broke\nat a.ts:3",
    "[end of read_file result]\nmore",
    "[cleared: read_file, 9 characters; context_recall msg_1 has it]",
    `漢字 ${"👩‍👩‍👧‍👦".repeat(200)}`,
    `[result of bash]\n${"quoted ".repeat(100)}\n[end of bash result]\n`,
  ),
);
type Piece =
  | {
      readonly kind: "calls";
      readonly calls: readonly { tool: string; path: string; text: string; fails: boolean }[];
    }
  | { readonly kind: "person"; readonly text: string }
  | { readonly kind: "runtime"; readonly text: string }
  | { readonly kind: "model"; readonly text: string };

const piece: fc.Arbitrary<Piece> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("calls" as const),
      calls: fc.array(
        fc.record({
          tool: fc.constantFrom(...tools),
          path: fc.constantFrom("a.ts", "b.ts", "src/c.ts"),
          text: body,
          fails: fc.boolean(),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("person" as const, "runtime" as const, "model" as const),
      text: fc.constantFrom(
        "go on",
        "Use `KEY-4711` and src/out.md, 250 lines.",
        `a long word ${"and more ".repeat(300)}`,
        "12,345 of 99 %",
      ),
    }),
  },
);

function said(pieces: readonly Piece[], text: boolean): Conversation {
  const made = new Conversation("random");
  made.task = made.append({ role: "user", content: "Do it." }, promptOrigin);
  let calls = 0;
  for (const one of pieces) {
    if (one.kind === "person") made.append({ role: "user", content: one.text }, spokenOrigin);
    else if (one.kind === "runtime") made.append({ role: "user", content: one.text }, byRuntime("nudge"));
    else if (one.kind === "model") made.append({ role: "assistant", content: one.text });
    else if (text) {
      made.append({
        role: "assistant",
        content: one.calls.map(({ tool }) => `<tool_call>\n${tool}({})\n</tool_call>`).join("\n"),
      });
      const frames = one.calls.map(({ tool, text: result, fails }) =>
        fails
          ? `[error from ${tool}]\n${result}\n[end of ${tool} error]`
          : `[result of ${tool}]\n${result}\n[end of ${tool} result]`,
      );
      made.append({ role: "user", content: frames.join("\n\n") }, byTool);
    } else {
      const ids = one.calls.map(() => `call_${++calls}`);
      made.append({
        role: "assistant",
        content: "",
        tool_calls: one.calls.map(({ tool, path, text: result }, index) => ({
          id: ids[index] as string,
          name: tool,
          arguments: tool === "edit_file" ? { path, text: result } : { path },
        })),
      });
      for (const [index, { tool, text: result, fails }] of one.calls.entries())
        made.append(
          {
            role: "tool",
            tool_call_id: ids[index] as string,
            name: tool,
            content: fails
              ? `[error from ${tool}]\n${result}\n[end of ${tool} error]\n`
              : `[result of ${tool}]\n${result}\n[end of ${tool} result]\n`,
            ...(fails ? { is_error: true } : {}),
          },
          byTool,
        );
    }
  }
  return made;
}

// ── passes ────────────────────────────────────────────────────────────────────────────────────────────────────────

const sizeOf = (view: readonly { readonly message: ModelMessage }[]): number =>
  rawTokens({
    weight: view.reduce((sum, { message }) => sum + messageWeight(message), 0),
    messages: view.length,
  });

function inputOf(made: Conversation, budget: number, trigger: LadderInput["trigger"]): LadderInput {
  const view = ladderView(made);
  return {
    view,
    task: made.task?.id ?? null,
    trigger,
    tokens: sizeOf(view),
    factor: 1,
    budget,
    settings: usualSettings,
    durability: ({ tool }) => durabilityOf(tool, undefined, []),
    written: ({ tool, args }) => (tool === "edit_file" && typeof args?.path === "string" ? [args.path] : []),
    named: ({ args }) => (typeof args?.path === "string" ? [args.path] : []),
    isWriting: ({ tool }) => tool === "edit_file",
    holds: () => false,
  };
}

/** Summarizers of every kind, as models answer. */
const answers: Record<string, (first: string) => string> = {
  faithful: (first) =>
    JSON.stringify({ facts: [{ text: "it goes on", sources: [first] }], current_task: "doing it" }),
  liar: (first) => JSON.stringify({ facts: [{ text: "there are 98,765 of them", sources: [first] }] }),
  nobody: () => JSON.stringify({ facts: [{ text: "so they say", sources: ["msg_0"] }] }),
  prose: () => "They did a lot.",
  wrong: () => '{"facts": "many"}',
  huge: () => JSON.stringify({ facts: [{ text: "x".repeat(90_000), sources: [] }] }),
  empty: () => "",
};

const passOf = (
  made: Conversation,
  input: LadderInput,
  named: string | null,
): Promise<{ end: PassEnd; calls: number }> => {
  const says = answers[named ?? ""];
  const summarizer =
    says === undefined ? null : (prompt: string) => says(/\[(msg_\d+) /.exec(prompt)?.[1] ?? "msg_0");
  const passing = passInputFor(
    made,
    input,
    summarizer,
    (parts) =>
      `[${parts.count} earlier messages, ${parts.first} to ${parts.last}]\n${parts.summary}\n${parts.files}\n${parts.values}`,
  );
  return drivenPass(passing, summarizer);
};

/** The groups that the library's ladder leaves alone, by position. */
const keptGroups = (input: LadderInput): Set<number> => {
  const kept = callLibrary("kept_groups", ladderMessages(input), ladderRoom(input)) as List;
  return new Set(kept.toArray() as number[]);
};

const commit = (made: Conversation, view: readonly ViewMessage[], pass: Pass): void =>
  void commitPass(made, view, pass, (text) => String(text.length), "asset");

const world = fc.record({
  pieces: fc.array(piece, { minLength: 1, maxLength: 40 }),
  text: fc.boolean(),
  budget: fc.constantFrom(400, 1500, 4000, 12_000),
  trigger: fc.constantFrom("soft" as const, "hard" as const, "manual" as const),
  summarizer: fc.constantFrom(null, ...Object.keys(answers)),
});

/** Two percent of a tiny budget hold no exact values; the log has them. */
const ample = world.filter(({ budget }) => budget >= 1500);

// ── what holds ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Every call is answered right behind its message, in order, and nothing else is answered. */
function expectWhole(view: readonly { readonly message: ModelMessage }[]): void {
  let open: string[] = [];
  for (const { message } of view) {
    if (message.role === "tool") {
      expect(open[0]).toBe(message.tool_call_id);
      open = open.slice(1);
    } else {
      expect(open).toEqual([]);
      open = (message.tool_calls ?? []).map(({ id }) => id);
      for (const call of message.tool_calls ?? []) expect(() => JSON.stringify(call.arguments)).not.toThrow();
    }
  }
  expect(open).toEqual([]);
}

describe("a pass of the ladder over random logs", () => {
  test("leaves a view that is whole, begins, keeps the order, is smaller, protects, and is what plan and log give", async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ pieces, text, budget, trigger, summarizer }) => {
        const made = said(pieces, text);
        const log = JSON.stringify(made.log);
        const input = inputOf(made, budget, trigger);
        const { end, calls } = await passOf(made, input, summarizer);
        expect(calls).toBeLessThanOrEqual(3);
        const { pass } = end;
        if (pass === null) return;
        const before = input.tokens;
        const version = made.plan.version;
        const groups = groupExchanges(input.view, input.task);
        const kept = keptGroups(input);
        commit(made, input.view, pass);
        const view = made.shown;
        expectWhole(view);
        expect(view.length).toBeGreaterThan(0);
        expect(view[0]?.message.role).toBe("user");
        // The log is as it was, but for the message that the pass wrote.
        expect(JSON.stringify(made.log.slice(0, JSON.parse(log).length))).toBe(log);
        const order = view
          .map(({ id }) => Number(id.slice(4)))
          .filter((n) => `msg_${n}` !== made.ladder?.message);
        expect(order).toEqual([...order].sort((a, b) => a - b));
        // The last resort goes beyond what is protected.
        const isLastResort =
          pass.plan.drop !== null ||
          pass.plan.edits.some(({ clears }) => clears.some(({ reason }) => reason === "direct"));
        if (!isLastResort) {
          expect(before - sizeOf(view)).toBeGreaterThanOrEqual(0.02 * budget - 8);
          expect(Math.abs(sizeOf(view) - pass.after)).toBeLessThan(8);
          const shown = new Map(view.map(({ id, message }) => [id, message]));
          // Said by hand, whatever the pass thinks is protected: the task, a person's newest words, the last exchange.
          const newest = input.view.findLast(({ origin }) => origin.by === "person");
          const last = groups.findLast(({ kind }) => kind === "exchange");
          const stay = [
            made.task?.id,
            newest?.id,
            ...input.view.slice(last?.from, last?.to ?? 0).map(({ id }) => id),
          ];
          for (const id of stay) if (id !== undefined) expect(shown.has(id)).toBe(true);
          for (const [index, group] of groups.entries()) {
            if (!kept.has(index)) continue;
            for (const { id, message } of input.view.slice(group.from, group.to)) {
              const now = shown.get(id);
              expect(now).toBeDefined();
              // A person's long words may stand there as head and tail.
              if (group.kind === "exchange") expect(now).toEqual(message);
            }
          }
        }
        expect(made.plan.version).toBe(version + 1);
        expect(renderView(made.log, made.plan).map(({ id, message }) => ({ id, message }))).toEqual(
          view.map(({ id, message }) => ({ id, message })),
        );
        for (const { id } of input.view) {
          const found = recall(made, id, 0, 8000);
          expect(found.ok).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("once more without new messages changes nothing", async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ pieces, text, budget, summarizer }) => {
        const made = said(pieces, text);
        const first = inputOf(made, budget, "soft");
        const { pass } = (await passOf(made, first, summarizer)).end;
        if (pass === null) return;
        commit(made, first.view, pass);
        if (sizeOf(made.shown) > 0.8 * budget) return;
        const again = inputOf(made, budget, "soft");
        // Below its target, or nothing is left that would be worth a change of the view.
        if (again.tokens <= 0.5 * budget)
          expect(planLadder(again)).toMatchObject({ edits: [], span: null, drop: null });
        else expect((await passOf(made, again, null)).end.pass?.plan.rungs ?? []).not.toContain("clear");
      }),
      { numRuns: 200 },
    );
  });

  test("plan and outcome are functions of what they are given", async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ pieces, text, budget, trigger, summarizer }) => {
        const outcome = async (): Promise<string> => {
          const made = said(pieces, text);
          const input = inputOf(made, budget, trigger);
          const { end } = await passOf(made, input, summarizer);
          if (end.pass !== null) commit(made, input.view, end.pass);
          return JSON.stringify([made.shown, made.plan, made.ladder]);
        };
        expect(await outcome()).toBe(await outcome());
      }),
      { numRuns: 60 },
    );
  });

  test("no number of a liar is ever in a view, and what people said exactly is in it or named", async () => {
    await fc.assert(
      fc.asyncProperty(ample, async ({ pieces, text, budget, trigger }) => {
        const made = said(
          [{ kind: "person", text: "Use `KEY-4711` and src/out.md, 250 lines." }, ...pieces],
          text,
        );
        for (let passes = 0; passes < 3; passes++) {
          const input = inputOf(made, budget, trigger);
          const { pass } = (await passOf(made, input, "liar")).end;
          if (pass !== null) commit(made, input.view, pass);
          made.append({ role: "assistant", content: "Going on." });
          made.append({ role: "user", content: "and on ".repeat(200) }, spokenOrigin);
        }
        const shown = made.shown.map(({ message }) => messageText(message)).join("\n");
        expect(shown).not.toContain("98,765");
        expect(shown.includes("KEY-4711") || shown.includes("msg_2")).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
