/** Checks of a contract look at each call once, and come to what they would come to if they looked at all of them. */
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  type CheckedCall,
  lookAtCalls,
  lookInResults,
  noCallsSeen,
  noResultsSeen,
  type WantedCall,
} from "../../../../src/agent/checks/index.ts";
import { Dict } from "../../../../src/values/index.ts";

interface Made {
  readonly tool: string;
  readonly ok: boolean;
  readonly writes: boolean;
  readonly path: string;
}

const made: fc.Arbitrary<Made> = fc.record({
  tool: fc.constantFrom("test", "edit", "look"),
  ok: fc.boolean(),
  writes: fc.boolean(),
  path: fc.constantFrom("a", "b"),
});
const called = ({ tool, ok, writes, path }: Made, n: number): CheckedCall => ({
  tool,
  ok,
  changes: { writes, runs: false, found: ok },
  isWords: false,
  callId: `call_${n}`,
  turn: n + 1,
  arguments: Dict.of({ path }),
  text: `${tool} of ${path}: ${n}`,
});
const wanted: fc.Arbitrary<WantedCall> = fc.record({
  tool: fc.constantFrom("test", "e*", "look"),
  args: fc.constantFrom(null, Dict.of({ path: "a" })),
  minCount: fc.integer({ min: 1, max: 3 }),
  fresh: fc.boolean(),
});

it("a look that goes on from the last comes to what a look at everything comes to", () => {
  fc.assert(
    fc.property(fc.array(made, { maxLength: 20 }), wanted, fc.array(fc.boolean()), (list, want, looks) => {
      const calls = list.map(called);
      const memory = noCallsSeen();
      for (let count = 0; count <= calls.length; count++) {
        if (looks[count] !== true && count < calls.length) continue;
        const whole = { calls: calls.slice(0, count), count };
        expect(lookAtCalls(memory, whole, want)).toEqual(lookAtCalls(noCallsSeen(), whole, want));
      }
    }),
  );
});

it("what was seen counts when the record has forgotten it", () => {
  const calls = Array.from({ length: 10 }, (_, n) =>
    called({ tool: n === 2 ? "test" : "look", ok: true, writes: n === 5, path: "a" }, n),
  );
  const want = { tool: "test", args: null, minCount: 1, fresh: true };
  const memory = noCallsSeen();
  expect(lookAtCalls(memory, { calls: calls.slice(0, 4), count: 4 }, want).status).toBe("met");
  const last = { calls: calls.slice(4), count: 10 };
  expect(lookAtCalls(memory, last, want)).toMatchObject({
    status: "partly",
    notes: "test succeeded in turn 3, and look changed something in turn 6",
  });
});

it("a text is searched for once in each result, newest first; what was found stays found", () => {
  const searched: string[] = [];
  const matches = (pattern: string, text: string): boolean => {
    searched.push(text);
    return text.includes(pattern);
  };
  const calls = Array.from({ length: 6 }, (_, n) =>
    called({ tool: "look", ok: n !== 1, writes: false, path: "a" }, n),
  );
  const look = (count: number, from = 0) =>
    lookInResults(matches, () => [": 2"], { pattern: ": 2", tool: null }, memory, {
      calls: calls.slice(from, count),
      count,
    });
  const memory = noResultsSeen();
  expect(look(2)).toMatchObject({ status: "unmet", notes: ": 2 was not found in 1 results" });
  expect(searched).toEqual(["look of a: 0"]);
  expect(look(2).notes).toBe(": 2 was not found in 1 results");
  expect(searched).toHaveLength(1);
  expect(look(4).notes).toBe(": 2 was found in look (turn 3)");
  // Newest first, and once more for the line that shows it.
  expect(searched.slice(1)).toEqual(["look of a: 3", "look of a: 2", "look of a: 2"]);
  expect(look(6, 4).notes).toBe(": 2 was found in look (turn 3)");
  expect(searched.slice(4)).toEqual(["look of a: 5", "look of a: 4"]);
});
