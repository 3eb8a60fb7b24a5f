/** What of the context other folders use: transcripts and reminders as values. What is heavier is loaded on first use. */

export * from "../session/jsonl-seed.ts";
export {
  checkedReminder,
  clearReminders,
  injectReminder,
  reminderEvent,
  reminderInput,
  reminderSelector,
} from "../session/reminder-value.ts";
export { inheritReminders, remindSession } from "../session/reminders.ts";
export { forkConversation } from "../session/session-fork.ts";
export {
  auditEvent,
  isTranscript,
  newTranscript,
  transcriptAssets,
  transcriptEvents,
  transcriptId,
  transcriptMessages,
  transcriptSummary,
  withAsset,
  withEvents,
  withMessages,
} from "../session/transcript-value.ts";
export type { ViewMessage } from "./compaction/exchanges.ts";
export { strategyMeasures } from "./compaction/measures.ts";
export { type LadderInput, type LadderPlan, planLadder } from "./compaction/planner.ts";
export {
  type MergedSummary,
  mergeSummary,
  type SummaryDelta,
  type SummarySource,
} from "./compaction/summaries.ts";
export { reminderProviders } from "./reminder-providers.ts";
export { clearPad, type PadReason, setPad } from "./scratchpad/pad.ts";

/** Compaction, loaded by the first builtin that compacts. */
export const loadCompaction = () => import("./passes/index.ts");

/** Projections, loaded by the first builtin that projects. */
export const loadProjection = () => import("./projection/index.ts");

/** The prompts of the runtime, loaded by the first builtin that asks for them. */
export const loadPrompts = () => import("./prompts/render.ts");
