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

/** Moves what was injected from outside into the conversation, in the order in which it came; gives how many. */
export function* drainFeedback(loop: Loop): Turn<number> {
  const { feedback } = loop.conversation;
  let drained = 0;
  while (feedback.length > 0) {
    const { kind, text } = feedback.shift() as { kind: string; text: string };
    yield* giveFeedback(loop, kind, text);
    drained++;
  }
  return drained;
}

function append(conversation: Conversation, kind: string, text: string): void {
  if (kind === "prefill_assistant") conversation.append({ role: "assistant", content: text });
  else conversation.append({ role: "user", content: feedbackText(kind, text) });
}
