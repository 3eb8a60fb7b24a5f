/** The option `transcript` of a loop: a conversation that begins with what a transcript holds. */
import { Dict, thrown, typeOf, type Value } from "../../values/index.ts";
import type { Conversation } from "../conversation.ts";
import { messageFrom } from "../values/messages.ts";
import { pendingReminders } from "./reminder-value.ts";
import { isTranscript, transcriptMessages, transcriptSummary } from "./transcript-value.ts";

/** The option, checked. */
export function readTranscript(value: Value, caller: string): Dict | null {
  if (value === null || value === false) return null;
  if (isTranscript(value)) return value;
  throw thrown(`${caller}: \`transcript\` must be a transcript or nil; got ${typeOf(value)}`);
}

/** Messages, summary, reminders and scratchpad come along; a conversation that has begun takes none of them. */
export function seedConversation(conversation: Conversation, transcript: Dict, caller: string): void {
  if (conversation.log.length > 0)
    throw thrown(
      `${caller}: session '${conversation.id}' already has messages; \`transcript\` begins a new conversation`,
    );
  for (const [index, message] of transcriptMessages(transcript).entries())
    conversation.append(messageFrom(message, `${caller}: transcript message ${index + 1}`));
  conversation.summary = transcriptSummary(transcript);
  conversation.reminders = pendingReminders(transcript);
  const pad = transcript.get("scratchpad");
  if (pad instanceof Dict) {
    conversation.scratchpad = pad;
    conversation.scratchpadVersion = 1;
  }
}
