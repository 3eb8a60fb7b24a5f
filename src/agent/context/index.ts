/** What of the context other folders use: transcripts and reminders as values. What is heavier is loaded on first use. */
export { estimateMessages } from "./message-size.ts";
export { clearReminders, givenReminder, injectReminder, reminderEvent } from "./reminder-value.ts";
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
} from "./transcript-value.ts";

/** Compaction, loaded by the first builtin that compacts. */
export const loadCompaction = () => import("./compaction/index.ts");
