/** Compaction for builtins, loaded by the first that needs it. */

export { recallValue } from "./recall-value.ts";
export { sessionCompact } from "./sessions.ts";
export { transcriptSummarize } from "./summarize.ts";
export { transcriptAutoCompact, transcriptCompact } from "./transcripts.ts";
