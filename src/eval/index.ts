/** Judging runs: fixtures, comparisons, suites and packs. The only door. */

export {
  type ProgramSet,
  placeOfNext,
  programSets,
  type SetStart,
  setStart,
} from "./engine/set-start.ts";
export { codedText, type EvalCode, evalError, evalMessage, taskAt } from "./eval-error.ts";
export * from "./plan/index.ts";
export { evalPackManifest, judgePackCase, runPack } from "./records/pack.ts";
export { diffRuns } from "./records/run-diff.ts";
export { evaluateRun, evaluateSuite } from "./records/run-eval.ts";
export { type ReadJson, runSuite, suiteManifest } from "./records/suite.ts";
export { type EvalNotes, evalNotes } from "./results.ts";
export * from "./score/index.ts";
export {
  type EvalRunOptions,
  evalCompareFields,
  evalRunFields,
  evalTrialsFields,
} from "./sets/program-fields.ts";
export * as stats from "./stats/index.ts";
export * from "./users/index.ts";
export * from "./world/index.ts";
