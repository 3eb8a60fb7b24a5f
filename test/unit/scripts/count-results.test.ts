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
    })),
  })),
});

it("what both have run counts once, and fails when it failed in either", () => {
  const smoke = report({ "a.test.ts": ["one", "two"], "b.test.ts": ["three"] });
  expect(countedResults([smoke])).toEqual({ passed: 3, failed: 0 });
  expect(countedResults([smoke, report({ "b.test.ts": ["three", "four"] })])).toEqual({
    passed: 4,
    failed: 0,
  });
  expect(countedResults([smoke, report({ "b.test.ts": ["three!", "four"] }, false)])).toEqual({
    passed: 3,
    failed: 1,
  });
});

it("several of one name are several, what is skipped is none", () => {
  const twice = report({ "a.test.ts": ["one", "one", "two-"] });
  expect(countedResults([twice, twice])).toEqual({ passed: 2, failed: 0 });
});

it("a file that does not load, a report that is missing and a run that failed otherwise are failures", () => {
  expect(countedResults([report({ "a.test.ts": [] }, false)])).toEqual({ passed: 0, failed: 1 });
  expect(countedResults([report({ "a.test.ts": ["one"] }), undefined])).toEqual({ passed: 1, failed: 1 });
  expect(countedResults([report({ "a.test.ts": ["one"] }, false)])).toEqual({ passed: 1, failed: 1 });
});
