/** The options `transcript` and `messages` of a loop: a conversation that begins with what they hold. */

import type { Conversation } from "../../model/index.ts";
import { isAgentMode, messageFrom, messagesFrom, originOfValue } from "../../model/index.ts";
import { at, refusal } from "../../table/index.ts";
import { Dict, List, thrown, typeOf, type Value } from "../../values/index.ts";
import { restoredInterventions } from "./interventions.ts";
import { restorePlanRecord } from "./plan-record.ts";
import { pendingReminders } from "./reminder-value.ts";
import { isTranscript, newTranscript, transcriptMessages, transcriptSummary } from "./transcript-value.ts";

function seedTranscript(value: Value, caller: string): Dict | null {
  if (value === null || value === false) return null;
  if (isTranscript(value)) return value;
  throw refusal(at(caller, "transcript"), "transcript", value);
}

/** What the conversation begins with, the prompt after it: `transcript`, or the bare `messages` of `llm_call`. */
export function conversationSeed(options: Dict, caller: string): Dict | null {
  const transcript = seedTranscript(options.get("transcript") ?? null, caller);
  const messages = options.get("messages") ?? null;
  if (messages === null || messages === false) return transcript;
  if (transcript !== null)
    throw thrown(`${caller}: \`transcript\` and \`messages\` both begin the conversation; give one of them`);
  if (!(messages instanceof List)) throw refusal(at(caller, "messages"), "list of messages", messages);
  messagesFrom(messages, `${caller}: `);
  return newTranscript("").with("messages", messages);
}

/**
 * Messages, summary, reminders, scratchpad, the mode, and what the control plane knows of view and interventions come along; a
 * conversation that has begun takes none of them. Ledger and contract: `completion/task-state.ts`.
 */
export function seedConversation(conversation: Conversation, transcript: Dict, caller: string): void {
  if (conversation.log.length > 0)
    throw thrown(
      `${caller}: session '${conversation.id}' already has messages; \`transcript\` and \`messages\` begin a new conversation`,
    );
  const messages = transcriptMessages(transcript);
  if (!restorePlanRecord(conversation, transcript.get("compaction_plan") ?? null, messages))
    for (const [index, value] of messages.entries()) {
      const message = messageFrom(value, `${caller}: transcript message ${index + 1}`);
      conversation.append(message, originOfValue(value, message));
    }
  const made = restoredInterventions(transcript.get("interventions") ?? null);
  if (made.length > 0) conversation.interventions.restore(made);
  conversation.summary = transcriptSummary(transcript);
  conversation.reminders = pendingReminders(transcript);
  const mode = transcript.get("mode") ?? null;
  if (mode !== null && !isAgentMode(mode))
    throw thrown(
      `${caller}: the \`mode\` of the transcript must be "plan" or "execute"; got ${shownMode(mode)}`,
    );
  conversation.mode = mode;
  const pad = transcript.get("scratchpad");
  if (pad instanceof Dict) {
    conversation.scratchpad = pad;
    conversation.scratchpadVersion = 1;
  }
}

const shownMode = (mode: Value): string => (typeof mode === "string" ? `"${mode}"` : typeOf(mode));
