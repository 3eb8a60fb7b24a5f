/** Compaction for builtins, loaded by the first that needs it. */

export { recallValue } from "../recall.ts";
export { sessionCompact } from "./by-hand.ts";
export * from "./transcripts.ts";
