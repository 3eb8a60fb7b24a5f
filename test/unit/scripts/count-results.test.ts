/** The closing line of CI: cases of `npm test` and `npm run test:long`, each once. */
import { expect, it } from "vitest";
import { countedResults, type TestRunReport } from "../../../scripts/count-results.ts";

const report = (cases: Readonly<Record<string, readonly string[]>>, success = true): TestRunReport => ({
  success,
  testResults: Object.entries(cases).map(([name, all]) => ({
    name,
    status: all.some((one) => one.endsWith("!")) || all.length === 0 ? "failed" : "passed",
    assertionResults: all.map((one) => ({
      fullName: one.replace(/[!-]$/, ""),
      status: one.endsWith("!") ? "failed" : one.endsWith("-") ? "skipped" : "passed",
      failureMessages: one.endsWith("!") ? ["expected 1 to be 2"] : [],
    })),
  })),
});

/** How many passed, and the names of those that failed. */
function counted(reports: Parameters<typeof countedResults>[0]): unknown {
  const { passed, failed } = countedResults(reports);
  return { passed, failed: [...failed.keys()] };
}

it("what both have run counts once, and fails when it failed in either", () => {
  const smoke = report({ "a.test.ts": ["one", "two"], "b.test.ts": ["three"] });
  expect(counted([smoke])).toEqual({ passed: 3, failed: [] });
  expect(counted([smoke, report({ "b.test.ts": ["three", "four"] })])).toEqual({
    passed: 4,
    failed: [],
  });
  expect(counted([smoke, report({ "b.test.ts": ["three!", "four"] }, false)])).toEqual({
    passed: 3,
    failed: ["b.test.ts > three"],
  });
});

it("several of one name are several, what is skipped is none", () => {
  const twice = report({ "a.test.ts": ["one", "one", "two-"] });
  expect(counted([twice, twice])).toEqual({ passed: 2, failed: [] });
});

it("a file that does not load, a report that is missing and a run that failed otherwise are failures", () => {
  expect(counted([report({ "a.test.ts": [] }, false)])).toEqual({ passed: 0, failed: ["a.test.ts"] });
  expect(counted([report({ "a.test.ts": ["one"] }), undefined])).toEqual({ passed: 1, failed: ["report 1"] });
  expect(counted([report({ "a.test.ts": ["one"] }, false)])).toEqual({ passed: 1, failed: ["report 0"] });
});

it("what failed says why, a second one of its name too", () => {
  const { failed } = countedResults([report({ "a.test.ts": ["one", "one!"] }, false)]);
  expect([...failed]).toEqual([["a.test.ts > one (2)", "expected 1 to be 2"]]);
});
