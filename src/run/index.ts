/** Runs that are recorded: resumed, forked, replayed, exported, looked at. */
export { type ForkFlags, forkCommand, forkOfRun } from "./fork.ts";
export { type Replay, recordedReplay } from "./recorded-replay.ts";
export { replayRecord } from "./replay-record.ts";
export { resumeCommand } from "./resume.ts";
export { resumeRun } from "./resume-run.ts";
export { exportRun, importFile } from "./snapshots.ts";
export { noOtherScript, setOfTrial, trialMeant, trialOfRun } from "./trial-set.ts";
export { modelCalls, modelCallText } from "./view/model-calls.ts";
export { costText } from "./view/shown-figures.ts";
export { treeJson } from "./view/tree-json.ts";
export { treeMarkdown } from "./view/tree-markdown.ts";
export { treeText } from "./view/tree-text.ts";
