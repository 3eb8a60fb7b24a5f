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

test("nothing is left that no test shows", () => {
  expect(open).toEqual({});
});
