// suite: processes
/** The functions that run for a turn are counted by running it. */
import { expect, it } from "vitest";
import { turnCoverage } from "../../../scripts/measure/turn-coverage.ts";

it("the functions of two turns of a process are counted", () => {
  const { first, second } = turnCoverage();
  console.log(`text-only turn: ${first.length} functions for the first, ${second.length} for the second`);
  expect(second.length).toBeLessThan(first.length);
  expect(first.some((name) => name.startsWith("agent/machine/"))).toBe(true);
});
