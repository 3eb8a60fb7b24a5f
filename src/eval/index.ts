/** Judging runs: fixtures, comparisons, suites and packs. The only door. */

export {
  type ProgramSet,
  placeOfNext,
  programSets,
  type SetStart,
  setStart,
} from "./engine/set-start.ts";
export { type EvalCode, evalError, evalMessage } from "./eval-error.ts";
export { evalPackManifest, runPack } from "./pack.ts";
export * from "./plan/index.ts";
export { type EvalNotes, evalNotes } from "./results.ts";
export { diffRuns } from "./run-diff.ts";
export { evaluate, evaluateSuite } from "./run-eval.ts";
export * from "./score/index.ts";

export * as stats from "./stats/index.ts";
export { type ReadJson, runSuite, suiteManifest } from "./suite.ts";
export * from "./users/index.ts";
export * from "./world/index.ts";
