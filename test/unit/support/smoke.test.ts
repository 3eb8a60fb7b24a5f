/** The part of what is long that `npm test` runs. */
import { expect, it } from "vitest";
import { everyTenth } from "../../support/smoke.ts";
import { longBecause, longFiles, suites } from "../../support/suites.ts";

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

it("is every tenth, at least one, and all of them over ten places", () => {
  expect(everyTenth(numbers(100), "a")).toHaveLength(10);
  expect(everyTenth(numbers(3), "a")).toHaveLength(1);
  expect(everyTenth([], "a")).toEqual([]);
  const seen = new Set(numbers(400).flatMap((seed) => everyTenth(numbers(95), "a", String(seed))));
  expect([...seen].sort((a, b) => a - b)).toEqual(numbers(95));
});

it("is chosen by the seed and by what it is of", () => {
  const all = numbers(1000);
  expect(everyTenth(all, "a", "1")).toEqual(everyTenth(all, "a", "1"));
  expect(new Set(numbers(20).map((seed) => everyTenth(all, "a", String(seed))[0])).size).toBeGreaterThan(3);
  expect(new Set(numbers(20).map((file) => everyTenth(all, `${file}`, "1")[0])).size).toBeGreaterThan(3);
});

it("a file says why it is long in a line of its own", () => {
  expect(longBecause("/** A. */\n// long: kills\nimport")).toBe("kills");
  expect(longBecause("/** Not // long: here */")).toBeUndefined();
  const long = Object.values(longFiles()).flat();
  expect(long).toContain("test/unit/cli/phases.test.ts");
  expect(longFiles().fast).toEqual([]);
  expect(Object.values(suites()).flat()).toEqual(expect.arrayContaining([...long]));
});
