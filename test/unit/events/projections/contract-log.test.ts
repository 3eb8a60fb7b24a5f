/** The entries of the loop contract's log. */
import { expect, test } from "vitest";
import { EventLog } from "../../../../src/agent/contract/events.ts";
import {
  type ContractEvent,
  contractEntry,
  contractTypes,
  isDurable,
  type LoopEvent,
} from "../../../../src/events/index.ts";

const place = { n: 4, session: "s", parent: { session: "p", call: "call_1" }, at: 20 };

const table: readonly ContractEvent[] = [
  { type: "session.start", data: { goal: "Go" } },
  { type: "plan.draft", data: { plan: { steps: [] } } },
  { type: "plan.commit", data: { plan: { steps: [] }, step: 0, kept: false } },
  { type: "step.start", data: { step: { id: "a" }, turn: 1 } },
  { type: "step.end", data: { step: { id: "a" }, turn: 1, next: "done", skipped: false, error: null } },
  { type: "tool.call", data: { id: "c", name: "look", arguments: { a: [1] }, turn: 1 } },
  { type: "tool.result", data: { id: "c", name: "look", index: 0, value: { text: "x" } } },
  { type: "tool.error", data: { id: "c", name: "look", index: 0, error: "no", category: "timeout" } },
  { type: "budget.warn", data: { kind: "turns", limit: 1, used: 1, state: "PLANNING" } },
  {
    type: "session.pause",
    data: { reason: "r", detail: null, at: "dispatch", turns: 1, plan: null, step: 0, calls: [] },
  },
  { type: "session.complete", data: { status: "done", reason: "natural", turns: 1, tool_calls: 1 } },
];

test("the table has all eleven types, none of which is of the durable vocabulary", () => {
  expect(table.map(({ type }) => type).sort()).toEqual([...contractTypes].sort());
  expect(contractTypes.filter(isDurable)).toEqual([]);
});

test.each(table)("$type: numbered, placed, and a copy", (event) => {
  const before = structuredClone(event.data);
  const entry = contractEntry(event, place);
  expect(entry).toEqual({ v: 1, ...place, type: event.type, data: before });
  expect(entry.data).not.toBe(event.data);
});

test.each(table)(
  "$type: readers of the log can't change it, and what it was made of stays free",
  ({ type, data }) => {
    const log = new EventLog("s", { session: "p", call: "call_1" });
    const told: LoopEvent[] = [];
    log.subscribe((event) => told.push(event));
    log.append(type, data, 20);
    const [read] = log.from(0);
    expect(told).toEqual([read]);
    for (const event of [...told, read]) {
      expect(Object.isFrozen(event)).toBe(true);
      expect(everyPart(event?.data).every(Object.isFrozen)).toBe(true);
    }
    expect(everyPart(data).some(Object.isFrozen)).toBe(false);
  },
);

/** Itself and all objects in it. */
const everyPart = (value: unknown): object[] =>
  typeof value !== "object" || value === null ? [] : [value, ...Object.values(value).flatMap(everyPart)];
