/** Every requirement and every acceptance scenario of issue 16 has its tests. */
import { expect, test } from "vitest";
import { missingTests } from "../../support/shown-by.ts";
import type { Mended } from "./second-round.ts";
import { open, requirements, scenarios } from "./served-rows.ts";

const missingOf = (rows: readonly Mended[]): readonly string[] =>
  rows.flatMap(([number, , shownBy]) => missingTests(shownBy).map((it) => `${number}: ${it}`));

test.each([
  ["requirements", requirements, 13],
  ["acceptance scenarios", scenarios, 12],
] as const)("each of the %s names tests that there are", (_, rows, count) => {
  expect(rows.map(([number]) => number)).toEqual(Array.from({ length: count }, (_one, at) => at + 1));
  expect(rows.filter(([, , shownBy]) => shownBy.length === 0)).toEqual([]);
  expect(missingOf(rows)).toEqual([]);
});

test("nothing is left that no test shows", () => {
  expect(open).toEqual({});
});
