/** Times of a run that is played again: by the durations that are known, loops beside each other overlapping. */
import { expect, test } from "vitest";
import type { RunEvent } from "../../../../src/events/index.ts";
import { RecordedClock } from "../../../../src/server/local/recorded-clock.ts";

const event = (
  type: string,
  place: { loop: string; call?: string; parent?: { loop: string; call: string } },
  duration_ms = 0,
): RunEvent =>
  ({
    type,
    turn: 1,
    session: "",
    k: 1,
    call: null,
    parent: null,
    ...place,
    data: { duration_ms },
  }) as unknown as RunEvent;

test("answers and calls take their time; calls of a batch begin together, the next turn when all have ended", () => {
  const clock = new RecordedClock(1_000);
  expect(clock.at(event("loop.start", { loop: "l1" }))).toBe(1_000);
  expect(clock.at(event("usage", { loop: "l1" }, 200))).toBe(1_200);
  expect(clock.at(event("tool.start", { loop: "l1", call: "l1.1.0" }))).toBe(1_200);
  expect(clock.at(event("tool.start", { loop: "l1", call: "l1.1.1" }))).toBe(1_200);
  expect(clock.at(event("tool.end", { loop: "l1", call: "l1.1.1" }, 50))).toBe(1_250);
  expect(clock.at(event("tool.end", { loop: "l1", call: "l1.1.0" }, 300))).toBe(1_500);
  expect(clock.at(event("turn.start", { loop: "l1" }))).toBe(1_500);
  expect(clock.at(event("loop.end", { loop: "l1" }, 520))).toBe(1_520);
  expect(clock.now).toBe(1_520);
});

test("loops of parallel calls overlap", () => {
  const clock = new RecordedClock(0);
  clock.at(event("loop.start", { loop: "l1" }));
  clock.at(event("tool.start", { loop: "l1", call: "l1.1.0" }));
  clock.at(event("tool.start", { loop: "l1", call: "l1.1.1" }));
  const below = (loop: string, call: string) => ({ loop, parent: { loop: "l1", call } });
  expect(clock.at(event("loop.start", below("l2", "l1.1.0")))).toBe(0);
  expect(clock.at(event("usage", below("l2", "l1.1.0"), 400))).toBe(400);
  expect(clock.at(event("loop.start", below("l3", "l1.1.1")))).toBe(0);
  expect(clock.at(event("usage", below("l3", "l1.1.1"), 100))).toBe(100);
});

test("within a loop no time goes back, whatever durations say", () => {
  const clock = new RecordedClock(0);
  clock.at(event("loop.start", { loop: "l1" }));
  expect(clock.at(event("usage", { loop: "l1" }, 900))).toBe(900);
  expect(clock.at(event("loop.end", { loop: "l1" }, 10))).toBe(900);
});
