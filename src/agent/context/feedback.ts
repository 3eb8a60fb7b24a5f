/** Telling the model something between two turns: a user message in a wrapper that names its kind. */
import type { Conversation } from "../conversation.ts";
import type { Loop } from "../loop-state.ts";
import { type Turn, tell } from "../requests.ts";
import { feedbackText } from "./texts.ts";

/** Appends feedback to the conversation and tells subscribers. */
export function* giveFeedback(loop: Loop, kind: string, text: string): Turn<void> {
  append(loop.conversation, kind, text);
  if (loop.heard()) yield* tell("feedback_injected", { kind, content: text });
}

/** Moves what was injected from outside into the conversation, in the order in which it came. */
export function* drainFeedback(loop: Loop): Turn<void> {
  const { feedback } = loop.conversation;
  while (feedback.length > 0) {
    const { kind, text } = feedback.shift() as { kind: string; text: string };
    yield* giveFeedback(loop, kind, text);
  }
}

function append(conversation: Conversation, kind: string, text: string): void {
  if (kind === "prefill_assistant") conversation.append({ role: "assistant", content: text });
  else conversation.append({ role: "user", content: feedbackText(kind, text) });
}
