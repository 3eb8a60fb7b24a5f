/** Every requirement and every acceptance scenario of issue 16 has its tests. */
import { expect, test } from "vitest";
import { numbersTo, unshown } from "../../support/shown-by.ts";
import { open, requirements, scenarios } from "./served-rows.ts";

test.each([
  ["requirements", requirements, 13],
  ["acceptance scenarios", scenarios, 12],
] as const)("each of the %s names tests that there are", (_, rows, count) => {
  expect(rows.map(([number]) => number)).toEqual(numbersTo(count));
  expect(unshown(rows)).toEqual([]);
});

test("what is not shown belongs to one of them, and says why", () => {
  for (const [what, why] of Object.entries(open)) {
    const [, kind, number] = /^(requirement|scenario) (\d+), /.exec(what) ?? [];
    const rows = kind === "scenario" ? scenarios : requirements;
    expect(
      rows.map(([one]) => one),
      what,
    ).toContain(Number(number));
    expect(why.length, what).toBeGreaterThan(40);
  }
});
