/** What people and build servers see of a set: figures, comparisons, gates and their forms. Plain data in, texts out. */
export {
  type Compared,
  type CompareOptions,
  type Conclusion,
  comparePairs,
  compareSets,
  compareVariants,
  compareVariantsOf,
  isComparable,
  type Side,
} from "./comparison.ts";
export { csvLine, setAsCsv } from "./formats/csv.ts";
export { setAsJunit } from "./formats/junit.ts";
export { githubAnnotations, setAsMarkdown } from "./formats/markdown.ts";
export { comparedJson, setAsJson } from "./formats/set-json.ts";
export { type GateResult, type GateVerdict, judgeGate } from "./gates/judge-gate.ts";
export { type Coverage, coverageOf } from "./metrics/coverage.ts";
export { type Figure, figureOf, metricOf, primaryMetric, shownMetrics } from "./metrics/figures.ts";
export type { Transcripts } from "./page/conversations.ts";
export { type Page, type PageOptions, type PagePort, setPage } from "./page/page.ts";
export { barPlot, type Plot } from "./page/plots.ts";
export type {
  LimitChange,
  RecordedSet,
  RecordedTask,
  RecordedTrial,
  ReportedSpec,
  SetState,
  TrialState,
} from "./recorded-set.ts";
export {
  type ReportOptions,
  reportOf,
  type SetEnd,
  type SetExit,
  type SetReport,
  setExit,
  type TaskReport,
} from "./set-report.ts";
export { compareText } from "./text/compare-text.ts";
export { type FailureGroup, failureGroups, failuresText } from "./text/failures-text.ts";
export { type SummaryOptions, summaryText } from "./text/summary.ts";
export { combinedScore, failingScorers, hasUserFault, successOf } from "./trial-facts.ts";
