/** Judging runs: fixtures, comparisons, suites and packs. The only door. */
export { diffRuns } from "./run-diff.ts";
export { evaluate, evaluateSuite } from "./run-eval.ts";
