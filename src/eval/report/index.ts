/**
 * What people and build servers see of a set: figures, comparisons, gates and their forms. Plain data in, texts out. A door of
 * its own: programs without evaluations load nothing of it.
 */

export { variantLabel } from "../plan/variant-label.ts";
export { type SetProgressRead, setProgress } from "../sets/read-progress.ts";
export {
  type EvalRows,
  type StoredSet,
  type StoredTask,
  type StoredTrial,
  storedSetOf,
} from "../sets/read-set.ts";
export { writeImported } from "../sets/write-imported.ts";
export {
  type ImportedSet,
  type ImportedTrial,
  ImportProblem,
  mustBeDistinct,
} from "../transfer/imported-set.ts";
export { inspectText, parseInspectJson } from "../transfer/inspect/json.ts";
export { importedInspectLog } from "../transfer/inspect/read.ts";
export {
  type InspectLog,
  type InspectOptions,
  type InspectSample,
  inspectLogs,
  summaryOf,
} from "../transfer/inspect/write.ts";
export { trialsOfPromptfoo } from "../transfer/promptfoo.ts";
export { setAsLines, trialsOfLines, trialsOfTable } from "../transfer/score-rows.ts";
export { comparisonProblem } from "./asked-comparison.ts";
export {
  type CompareOptions,
  type Conclusion,
  comparePairs,
  compareSets,
  compareVariants,
  correctedFor,
  isComparable,
  type Side,
  type TaskComparison,
} from "./comparison.ts";
export {
  type ForkArmReport,
  type ForkReport,
  forkArm,
  forkArmText,
  forkReport,
  forkText,
} from "./fork-report.ts";
export { csvLine, setAsCsv } from "./formats/csv.ts";
export { setAsJunit } from "./formats/junit.ts";
export { githubAnnotations, setAsMarkdown } from "./formats/markdown.ts";
export { comparedJson, setAsJson } from "./formats/set-json.ts";
export { type GateResult, type GateVerdict, judgeGate } from "./gates/judge-gate.ts";
export { type Calibration, calibrationOf, type Label } from "./labels/calibration.ts";
export { calibrationText } from "./labels/calibration-text.ts";
export { labelSheet, labelValue, sheetRows, trialsToLabel } from "./labels/sheet.ts";
export { clockText, type LiveFigures, liveLines, plainLine } from "./live/live-lines.ts";
export { type EndedTrial, type LineTally, Tally } from "./live/tally.ts";
export { coverageOf, statesOf, type TrialCoverage } from "./metrics/coverage.ts";
export { type Figure, figureOf, metricOf, primaryMetric, shownMetrics } from "./metrics/figures.ts";
export {
  type CrossedDesign,
  type CrossedTrial,
  type NoiseReport,
  noiseMetric,
  noiseMetricProblem,
  noiseReport,
} from "./noise.ts";
export type { Transcripts } from "./page/conversations.ts";
export { type Page, type PageOptions, type PagePort, setPage } from "./page/page.ts";
export {
  hasOnlyFigures,
  type LimitChange,
  type RecordedSet,
  type RecordedTask,
  type RecordedTrial,
  type ReportedSpec,
  reportedSpec,
  type SetState,
  type TrialState,
} from "./recorded-set.ts";
export {
  type ReportOptions,
  reportOf,
  type SetConclusion,
  type SetExit,
  type SetReport,
  setExit,
  type TaskReport,
} from "./set-report.ts";
export { columnLines } from "./text/columns.ts";
export { compareText } from "./text/compare-text.ts";
export { type FailureGroup, failureGroups, failuresText } from "./text/failures-text.ts";
export { countedText, dollarText, timeText } from "./text/figure-text.ts";
export { noiseText } from "./text/noise-text.ts";
export { type SummaryOptions, summaryText } from "./text/summary.ts";
export { type TrialTextOptions, trialText } from "./text/trial-text.ts";
export { combinedScore, failingScorers, hasUserFault, successOf } from "./trial-facts.ts";
