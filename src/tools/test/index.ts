/** `harn test`: finding tests, running them, reporting. */
export type * from "./bench.ts";
export type * from "./contract.ts";
export { CoverageSum } from "./coverage-sum.ts";
export { mentionsTests } from "./find-tests.ts";
export { fixtureFolder } from "./model-fixtures.ts";
export { coverageText, coverageTotals, lcovText } from "./report-coverage.ts";
export { junitXml, testJson, testSummaryJson } from "./report-data.ts";
export * from "./report-text.ts";
export * from "./run-file.ts";
