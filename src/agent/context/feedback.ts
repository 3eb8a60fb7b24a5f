/** Telling the model something between two turns: a user message in a wrapper that names its kind. */

import type { Conversation, ModelMessage } from "../../model/index.ts";
import { byRuntime, type LoggedMessage, spokenOrigin, userMessageKind } from "../../model/index.ts";
import type { Loop } from "../state/loop-state.ts";
import { emit, emitNamed, type Turn } from "../state/requests.ts";
import { feedbackText } from "./texts.ts";

/** Appends feedback to the conversation and tells subscribers; gives the message. */
export function* giveFeedback(
  loop: Loop,
  kind: string,
  text: string,
  spoken?: ModelMessage,
): Turn<LoggedMessage> {
  const logged =
    spoken === undefined
      ? appendFeedback(loop.conversation, kind, text)
      : loop.conversation.append(spoken, spokenOrigin);
  const { id, message } = logged;
  if (!loop.listens()) return logged;
  yield* emitNamed("feedback_injected", { kind, content: text });
  if (kind !== "prefill_assistant") yield* emit("message.end", { message: id, role: message.role, text });
  return logged;
}

/** Moves what was injected from outside into the conversation, in the order in which it came; gives how many. */
export function* drainFeedback(loop: Loop): Turn<number> {
  const { feedback } = loop.conversation;
  let drained = 0;
  for (;;) {
    const at = feedback.findIndex(({ mode }) => mode !== "wait_for_completion");
    const [next] = at < 0 ? [] : feedback.splice(at, 1);
    if (next === undefined) return drained;
    yield* giveFeedback(loop, next.kind, next.text, next.message?.(loop.seesPictures));
    drained++;
  }
}

function appendFeedback(conversation: Conversation, kind: string, text: string): LoggedMessage {
  if (kind === userMessageKind) return conversation.append({ role: "user", content: text }, spokenOrigin);
  if (kind === "prefill_assistant")
    return conversation.append({ role: "assistant", content: text }, byRuntime(kind));
  return conversation.append({ role: "user", content: feedbackText(kind, text) }, byRuntime(kind));
}
