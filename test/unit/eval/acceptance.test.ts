/** Each of the fourteen scenarios of issue 15 names tests that there are. */
import { expect, test } from "vitest";
import { numbersTo, unshown } from "../../support/shown-by.ts";
import { open, scenarios } from "./acceptance.ts";

test("there are fourteen scenarios, each with tests that exist", () => {
  expect(scenarios.map(([number]) => number)).toEqual(numbersTo(14));
  expect(unshown(scenarios)).toEqual([]);
});

test("what is still missing is said of scenarios that there are", () => {
  const numbers = new Set(scenarios.map(([number]) => number));
  expect(Object.keys(open).filter((number) => !numbers.has(Number(number)))).toEqual([]);
  for (const [number, what] of Object.entries(open)) console.log(`  scenario ${number}: ${what}`);
});
