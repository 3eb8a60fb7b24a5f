/** Scorers: the table, the forms of a score, and how one is run over an outcome. */
export { runSolution } from "./kinds/task-folders.ts";
export { carryOutActions } from "./kinds/world-after.ts";
export { scoreDict, scoredDict, scoreFrom } from "./read-score.ts";
export { runScorer } from "./run-scorer.ts";
export { lookAtSample } from "./sample-look.ts";
export type { ScorerTools } from "./scorer-kind.ts";
export { makeScorer, scorerKinds } from "./scorers.ts";
export { letterOf } from "./text-forms.ts";
