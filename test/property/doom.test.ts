/**
 * The watch for equal calls (docs/research.md, "It goes in circles") against one that looks at every suffix of everything that
 * was called: the same detections with the same strikes, at the same calls.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type CircleFound,
  type CircleRules,
  calmCalls,
  pollCalls,
  watchBatch,
} from "../../src/agent/completion/repetition/circles.ts";
import { type CircleCall, newCircleState } from "../../src/agent/state/repetition-state.ts";

const call = (name: string, polls = false): CircleCall => ({
  signature: name,
  call: name,
  tool: name,
  polls,
});

/** Whether the list ends with `times` equal rounds of `period` different calls. */
function endsInRounds(calls: readonly CircleCall[], period: number, times: number): boolean {
  if (calls.length < period * times) return false;
  const tail = calls.slice(calls.length - period * times).map(({ signature }) => signature);
  const first = tail.slice(0, period);
  return new Set(first).size === period && tail.every((signature, at) => signature === first[at % period]);
}

interface Seen {
  readonly at: number;
  readonly period: number;
  readonly strike: number;
  readonly action: string;
}

/** By the words of the page, over the whole history. */
function bruteForce(batches: readonly (readonly CircleCall[])[], rules: CircleRules): Seen[] {
  const seen: Seen[] = [];
  let history: CircleCall[] = [];
  let strikes = 0;
  let calm = 0;
  let at = 0;
  for (const batch of batches) {
    let found = false;
    for (const one of batch) {
      at++;
      if (found) continue;
      history = [...history, one];
      calm++;
      if (calm >= calmCalls) strikes = 0;
      for (let period = 1; period <= rules.period && !found; period++) {
        const base = period === 1 ? rules.repeat : 2;
        const polled = history.slice(-period).some(({ polls }) => polls);
        const times = polled ? Math.max(base, Math.ceil(pollCalls / period)) : base;
        if (!endsInRounds(history, period, times)) continue;
        found = true;
        strikes++;
        const action = strikes >= rules.strikes ? "stop" : strikes === 1 ? "correct" : "block";
        seen.push({ at, period, strike: strikes, action });
        calm = 0;
      }
    }
    if (found) history = [];
  }
  return seen;
}

function watched(batches: readonly (readonly CircleCall[])[], rules: CircleRules): Seen[] {
  const state = newCircleState();
  const seen: Seen[] = [];
  let before = 0;
  for (const [turn, batch] of batches.entries()) {
    // The prefix that counted is found by handing the batch over call by call to a copy.
    const copy = structuredClone(state);
    const found: CircleFound | null = watchBatch(state, batch, rules, turn + 1);
    if (found !== null) {
      const at = batch.findIndex((one) => watchBatch(copy, [one], rules, turn + 1) !== null);
      seen.push({ at: before + at + 1, period: found.period, strike: found.strike, action: found.action });
    }
    before += batch.length;
  }
  return seen;
}

const calls = fc
  .record({ name: fc.constantFrom("a", "b", "c", "d"), polls: fc.boolean() })
  .map(({ name, polls }) => call(polls ? `poll ${name}` : name, polls));
/** Runs of a few rounds, so that patterns are common, with noise between. */
const rounds = fc
  .tuple(fc.array(calls, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 12 }))
  .map(([base, times]) => Array.from({ length: times }, () => base).flat());
const batches = fc
  .tuple(fc.array(rounds, { maxLength: 6 }), fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }))
  .map(([parts, sizes]) => {
    const all = parts.flat();
    const made: CircleCall[][] = [];
    for (let at = 0, n = 0; at < all.length; n++) {
      const size = sizes[n % sizes.length] ?? 1;
      made.push(all.slice(at, at + size));
      at += size;
    }
    return made;
  });
const rules = fc.record({
  repeat: fc.integer({ min: 2, max: 6 }),
  period: fc.integer({ min: 2, max: 4 }),
  strikes: fc.integer({ min: 1, max: 5 }),
  blockTurns: fc.integer({ min: 1, max: 5 }),
});

test("the watch finds what one finds who looks at everything", () => {
  fc.assert(
    fc.property(batches, rules, (input, by) => {
      expect(watched(input, by)).toEqual(bruteForce(input, by));
    }),
    { numRuns: 2000 },
  );
});

test("calls that never come in equal rounds raise nothing", () => {
  const usual = { repeat: 3, period: 2, strikes: 3, blockTurns: 5 };
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 200 }), (numbers) => {
      const fresh = numbers.map((number, at) => [call(`${number} ${at}`)]);
      expect(watched(fresh, usual)).toEqual([]);
    }),
  );
});
