/** Runs that are recorded: resumed, forked, replayed, exported, looked at. */

export { onDoubtOf } from "./doubts.ts";
export * from "./fork.ts";
export { type Replay, recordedReplay, replayRecord } from "./recorded-replay.ts";
export { pointToGoOn, resumeCommand, resumeInStore } from "./resume.ts";
export { resumeRun } from "./resume-run.ts";
export { exportRun, importFile, ownRoots } from "./snapshots.ts";
export * from "./stop-requests.ts";
export { takeOver } from "./take-over.ts";
export * from "./trial-set.ts";
export * from "./view/model-calls.ts";
export { costText } from "./view/shown-figures.ts";
export { treeMarkdown } from "./view/tree-markdown.ts";
export * from "./view/tree-text.ts";
