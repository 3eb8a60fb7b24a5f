/** `harn test`: finding tests, running them, reporting. */
export type { TestBench, TestMachine } from "./bench.ts";
export type {
  FileCoverage,
  FileReport,
  ModelMode,
  TestCase,
  TestKind,
  TestOptions,
  TestResult,
  TestStatus,
} from "./contract.ts";
export { CoverageSum } from "./coverage-sum.ts";
export { mentionsTests } from "./find-tests.ts";
export { fixtureFolder } from "./model-fixtures.ts";
export { coverageText, coverageTotals, lcovText } from "./report-coverage.ts";
export { testJson, testSummaryJson } from "./report-json.ts";
export { junitXml } from "./report-junit.ts";
export { fileText, type TextOptions, testSummaryText, totalsOf } from "./report-text.ts";
export { type FileRun, runTestFile, testKey } from "./run-file.ts";
