/**
 * Each part of the control plane can be on alone, and with each other: the loop ends as loops end, every request is one that a
 * vendor takes, and a loop with none of them is what it was.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { controlledRun, controlParts, modelWeather } from "../support/control-weather.ts";

const statuses = [
  "done",
  "stuck",
  "stalled",
  "budget_exhausted",
  "verify_exhausted",
  "failed",
  "provider_error",
];
const names = Object.keys(controlParts);
const pairs = names.flatMap((one, at) => names.slice(at).map((other) => [one, other] as const));

/** Parts that are the same option: only one of them can be on. */
const exclude = ([one, other]: readonly [string, string]): boolean =>
  one !== other &&
  [
    ["completion", "evidence"],
    ["ladder", "truncate"],
  ].some((same) => same.includes(one) && same.includes(other));

describe("parts of the control plane", () => {
  test.each(pairs.filter((pair) => !exclude(pair)))("%s with %s", async (one, other) => {
    await fc.assert(
      fc.asyncProperty(modelWeather, async (weather) => {
        const { result, calls, sound } = await controlledRun(
          { ...controlParts[one]?.(), ...controlParts[other]?.() },
          weather,
          8,
        );
        expect(statuses).toContain(result.status);
        expect(sound).toBe(true);
        expect(calls.length).toBeLessThanOrEqual(8);
      }),
      { numRuns: 6 },
    );
  });

  test("with none of them there are no interventions but repairs", async () => {
    await fc.assert(
      fc.asyncProperty(modelWeather, async (weather) => {
        const { result, sound } = await controlledRun({}, weather, 8);
        expect(sound).toBe(true);
        const kinds = result.transcript.events
          .filter(({ kind }: { kind: string }) => kind === "control")
          .map(({ metadata }: { metadata: { kind: string } }) => metadata.kind);
        expect(new Set(kinds).has("repair") || kinds.length === 0).toBe(true);
        expect(new Set([...kinds, "repair"])).toEqual(new Set(["repair"]));
      }),
      { numRuns: 20 },
    );
  });
});
