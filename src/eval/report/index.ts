/**
 * What people and build servers see of a set: figures, comparisons, gates and their forms. Plain data in, texts out. A door of
 * its own: programs without evaluations load nothing of it.
 */

export { variantLabel } from "../plan/variant-label.ts";
export * from "../sets/read-progress.ts";
export { type StoredSet, type StoredTask, type StoredTrial, storedSetOf } from "../sets/read-set.ts";
export { writeImported } from "../sets/write-imported.ts";
export { type ImportedSet, ImportProblem, mustBeDistinct } from "../transfer/imported-set.ts";
export { inspectText, parseInspectJson } from "../transfer/inspect/json.ts";
export { importedInspectLog } from "../transfer/inspect/sample-table.ts";
export * from "../transfer/inspect/write.ts";
export { trialsOfPromptfoo } from "../transfer/promptfoo.ts";
export * from "../transfer/score-rows.ts";
export { comparisonProblem } from "./asked-comparison.ts";
export { compareSets, compareVariants, isComparable } from "./comparison.ts";
export * from "./fork-report.ts";
export { setAsCsv } from "./formats/csv.ts";
export { setAsJunit } from "./formats/junit.ts";
export * from "./formats/markdown.ts";
export * from "./formats/set-json.ts";
export * from "./gates/judge-gate.ts";
export { type Calibration, calibrationOf, type Label } from "./labels/calibration.ts";
export { calibrationText } from "./labels/calibration-text.ts";
export * from "./labels/sheet.ts";
export * from "./live/live-lines.ts";
export { Tally } from "./live/tally.ts";
export { coverageOf } from "./metrics/coverage.ts";
export { figureOf, metricOf, primaryMetric, shownMetrics } from "./metrics/figures.ts";
export { type NoiseReport, noiseMetric, noiseMetricProblem, noiseReport } from "./noise.ts";
export type { Transcripts } from "./page/conversations.ts";
export * from "./page/page.ts";
export {
  hasOnlyFigures,
  type RecordedSet,
  type RecordedTask,
  type RecordedTrial,
  type ReportedSpec,
  reportedSpec,
  type TrialState,
} from "./recorded-set.ts";
export { reportOf, type SetReport, setExit } from "./set-report.ts";
export { columnLines } from "./text/columns.ts";
export { compareText } from "./text/compare-text.ts";
export * from "./text/failures-text.ts";
export { countedText, dollarText } from "./text/figure-text.ts";
export { noiseText } from "./text/noise-text.ts";
export { summaryText } from "./text/summary.ts";
export { trialText } from "./text/trial-text.ts";
export { successOf } from "./trial-facts.ts";
