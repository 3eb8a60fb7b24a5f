/** Races: looking after every observation stays valid (docs/evals.md). */
// suite: slow
import { describe, expect, it } from "vitest";
import { Race, type RaceState } from "../../../../src/eval/stats/index.ts";

/** A generator of the test's own, so that the sets are the same each time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function raced(pA: number, pB: number, random: () => number, n: number, more = {}): RaceState {
  const race = new Race({ alpha: 0.05, min: 10, isBinary: true, ...more });
  for (let at = 0; at < n && race.verdict === "open"; at++)
    race.add(Number(random() < pB) - Number(random() < pA));
  return race.state;
}

describe("a race", () => {
  it("has the p of its vectors", () => {
    const race = new Race({ alpha: 0.05, min: 100, isBinary: true });
    for (const d of [1, 0, 1, 1, 0, -1, 1, 0, 1, 1, 1, 0, 1, -1, 1, 1, 0, 1, 1, 1]) race.add(d);
    expect(race.state.p).toBeCloseTo(0.055135, 6);
    expect(race.state).toMatchObject({ verdict: "open", observations: 20 });
  });

  it("ends early and right when one is better", () => {
    const random = numbers(7);
    const ends = Array.from({ length: 50 }, () => raced(0.5, 0.8, random, 300));
    expect(ends.filter(({ verdict }) => verdict === "B better").length).toBeGreaterThan(45);
    expect(ends.some(({ verdict }) => verdict === "A better")).toBe(false);
    const looks = ends.map(({ observations }) => observations).sort((a, b) => a - b);
    expect(looks[25]).toBeLessThan(150);
    expect(looks[0]).toBeGreaterThanOrEqual(10);
    expect(raced(0.8, 0.5, numbers(3), 300).verdict).toBe("A better");
  });

  it("has at most its share of false alarms, however often one looks", () => {
    const random = numbers(11);
    let alarms = 0;
    for (let set = 0; set < 2000; set++) if (raced(0.5, 0.5, random, 60).verdict !== "open") alarms++;
    expect(alarms / 2000).toBeLessThanOrEqual(0.05);
  });

  it("says that variants are as good as each other only within a margin", () => {
    const same = { alpha: 0.05, min: 10, isBinary: false, margin: 0.3 };
    const race = new Race(same);
    for (let at = 0; at < 400 && race.verdict === "open"; at++) race.add(at % 2 === 0 ? 0.1 : -0.1);
    expect(race.state.verdict).toBe("equivalent");
    const end = { ...race.state };
    race.add(1);
    expect(race.state).toEqual(end);
  });
});
