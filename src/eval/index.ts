/** Judging runs: fixtures, comparisons, suites and packs. The only door. */

export * from "./engine/set-start.ts";
export { codedText, evalError, evalMessage, taskAt } from "./eval-error.ts";
export * from "./plan/index.ts";
export * from "./records/pack.ts";
export { diffRuns } from "./records/run-diff.ts";
export * from "./records/run-eval.ts";
export { type ReadJson, runSuite, suiteManifest } from "./records/suite.ts";
export * from "./results.ts";
export * from "./score/index.ts";
export * from "./sets/program-fields.ts";
export * as stats from "./stats/index.ts";
export * from "./users/index.ts";
export * from "./world/index.ts";
