// The rates that the page of the control plane promises, on the labelled traces.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { makeTraces } from "../../../../corpora/stall/generate.ts";
import { play, ratesOf, readTraces } from "../../../../corpora/stall/measure.ts";

describe("the corpus", () => {
  test("is what its program makes", () => {
    const text = readFileSync(new URL("../../../../corpora/stall/traces.jsonl", import.meta.url), "utf8");
    expect(
      makeTraces()
        .map((trace) => `${JSON.stringify(trace)}\n`)
        .join("") === text,
      "run `node test/corpora/stall/generate.ts`",
    ).toBe(true);
  });

  test("is large and varied enough", () => {
    const traces = readTraces();
    const families = (label: string): number =>
      new Set(traces.filter((trace) => trace.label === label).map(({ family }) => family)).size;
    expect(traces.filter(({ label }) => label === "healthy").length).toBeGreaterThanOrEqual(60);
    expect(traces.filter(({ label }) => label === "stalled").length).toBeGreaterThanOrEqual(40);
    expect([families("healthy"), families("stalled")]).toEqual([15, 8]);
  });
});

describe("the watcher on the corpus", () => {
  const played = readTraces().map(play);
  const rates = ratesOf(played);

  test("ends no healthy trace, and warns of five in a thousand productive turns at most", () => {
    expect(rates.stops).toBe(0);
    expect(rates.warningRate).toBeLessThanOrEqual(5);
  });

  test("warns of every stalled trace within twice its number, and of none before it stalls", () => {
    expect(rates.late).toEqual([]);
    expect(rates.early).toEqual([]);
  });

  test("ends what goes on, and never what merely counts", () => {
    for (const { trace, stop } of played) {
      if (trace.label !== "stalled") continue;
      expect(stop === null, trace.id).toBe(trace.family === "only_numbers");
    }
  });
});
