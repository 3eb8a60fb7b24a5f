/**
 * The ledger under any order of calls (docs/control-plane.md, "It stops too early"): ordered as it was made, along its edges only,
 * locks hold, and what is refused changes nothing.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addItem,
  artifactRoles,
  flagItem,
  itemPriorities,
  itemStatuses,
  type LedgerAnswer,
  storeArtifact,
  updateItem,
} from "../../src/agent/completion/work-items/ledger-changes.ts";
import {
  completionPercentage,
  emptyLedger,
  ledgerRecord,
  openItems,
  restoredLedger,
} from "../../src/agent/session/ledger.ts";
import type { Ledger } from "../../src/model/index.ts";

type Call = (ledger: Ledger, turn: number) => LedgerAnswer;

const id = fc.constantFrom("a", "b", "c", "a/more", "__proto__", "constructor", "two words", "");
const words = fc.constantFrom("", "why", "+ and more", "x".repeat(2001));
const status = fc.constantFrom(...itemStatuses);

const call: fc.Arbitrary<Call> = fc.oneof(
  fc
    .record({
      id,
      title: fc.constantFrom("Title", "", "two\nlines"),
      priority: fc.constantFrom(...itemPriorities),
      origin: fc.constantFrom("model" as const, "script" as const),
      locked: fc.boolean(),
    })
    .map((wanted) => (ledger: Ledger, turn: number) => addItem(ledger, wanted, turn)),
  fc.record({ id, status: fc.option(status), notes: fc.option(words) }).map(
    ({ id: of, ...wanted }) =>
      (ledger: Ledger, turn: number) =>
        updateItem(ledger, of, wanted, turn),
  ),
  fc.tuple(id, words, fc.constantFrom(...artifactRoles)).map(
    ([of, content, role]) =>
      (ledger: Ledger, turn: number) =>
        storeArtifact(ledger, of, content, role, turn),
  ),
  fc.tuple(id, words).map(
    ([of, reason]) =>
      (ledger: Ledger, turn: number) =>
        flagItem(ledger, of, reason, turn),
  ),
);

const edges: Readonly<Record<string, readonly string[]>> = {
  pending: ["in_progress", "done", "skipped"],
  in_progress: ["pending", "done", "skipped"],
  skipped: ["pending"],
  // Only by a flag.
  done: ["in_progress"],
};

/** The ledger behind a call that must succeed. */
function made(answer: LedgerAnswer): Ledger {
  if (!answer.ok) throw new Error(answer.text);
  return answer.ledger;
}

test("every edge there is, and no other", () => {
  const item = { id: "a", title: "A", priority: "high", origin: "model" } as const;
  for (const from of itemStatuses)
    for (const to of itemStatuses) {
      if (from === to) continue;
      const added = made(addItem(emptyLedger, item, 1));
      const there =
        from === "pending" ? added : made(updateItem(added, "a", { status: from, notes: "why" }, 2));
      expect(there.items[0]?.status).toBe(from);
      const { ok } = updateItem(there, "a", { status: to, notes: "why" }, 3);
      expect([from, to, ok]).toEqual([from, to, from !== "done" && edges[from]?.includes(to)]);
    }
});

test("whatever a model calls: order, edges, locks and counts hold, and a refusal changes nothing", () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 60 }), (calls) => {
      let ledger = emptyLedger;
      for (const [turn, step] of calls.entries()) {
        const before = ledger;
        const answer = step(before, turn + 1);
        if (!answer.ok) {
          expect(answer.text).not.toBe("");
          continue;
        }
        ledger = answer.ledger;
        expect(answer.text.split("\n").at(-1)).toMatch(/^\d+ of \d+ done/);
        // Nothing is lost, doubled or moved; at most one item is new, and it comes last.
        const ids = ledger.items.map((item) => item.id);
        expect(ids.slice(0, before.items.length)).toEqual(before.items.map((item) => item.id));
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.length - before.items.length).toBeLessThanOrEqual(1);
        expect(ledger.version - before.version).toBe(answer.change === null ? 0 : 1);
        for (const [at, old] of before.items.entries()) {
          const item = ledger.items[at];
          if (item === undefined || item === old) continue;
          if (item.status !== old.status) expect(edges[old.status]).toContain(item.status);
          if (old.status === "done" && item.status === "in_progress")
            expect(item.requiresRevision).toBe(true);
          if (item.status === "skipped")
            expect([item.locked, item.notes.trim() !== ""]).toEqual([false, true]);
          expect(item.revisions).toBeGreaterThanOrEqual(old.revisions);
          expect(item.locked).toBe(old.locked);
        }
        const done = ledger.items.filter((item) => item.status === "done").length;
        const wanted = ledger.items.filter((item) => item.status !== "skipped").length;
        const share = ledger.items.length === 0 ? 0 : wanted === 0 ? 100 : Math.round((100 * done) / wanted);
        expect(completionPercentage(ledger)).toBe(share);
        expect(openItems(ledger).every((item) => item.status !== "skipped")).toBe(true);
      }
      // A transcript gives it back.
      expect(restoredLedger(ledgerRecord(ledger))).toEqual(ledger);
    }),
  );
});
