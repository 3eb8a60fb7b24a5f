/** Runs that are recorded: resumed, forked, replayed, exported, looked at. */
export { type ForkFlags, forkCommand, forkOfRun } from "./fork.ts";
export { type Replay, recordedReplay, replayRecord } from "./recorded-replay.ts";
export { resumeCommand } from "./resume.ts";
export { resumeRun } from "./resume-run.ts";
export { exportRun, importFile } from "./snapshots.ts";
export { noOtherScript, setOfTrial, trialMeant, trialOfRun } from "./trial-set.ts";
export { modelCalls, modelCallText } from "./view/model-calls.ts";
export { costText } from "./view/shown-figures.ts";
export { treeMarkdown } from "./view/tree-markdown.ts";
export { treeJson, treeText } from "./view/tree-text.ts";
