/**
 * What a person says while a loop works (agents.md §20): it waits in the conversation and enters it as a message of the
 * user, at the first place that its mode allows.
 *
 *     interrupt_immediate   at once: an answer that is still arriving is ended and not kept, calls that have not begun to
 *                           run are answered as not run
 *     finish_step           before the next model call; a loop that would be done goes on instead
 *     wait_for_completion   not in this loop: listed as `deferred_user_messages`, the next loop of the session begins with it
 */

import type { Runtime } from "../../interp/index.ts";
import type { ModelError, UserMessageMode } from "../../model/index.ts";
import { type Conversation, conversations, spokenOrigin, userMessageKind } from "../../model/index.ts";
import { holdCalls } from "../state/hold-calls.ts";
import type { Loop } from "../state/loop-state.ts";
import type { Turn } from "../state/requests.ts";
import type { Subsystem } from "../state/subsystem.ts";
import { type Attachment, spoken } from "./attachments.ts";

/** Says something to a session. A session that does not exist yet is opened: its first loop begins with the message. */
export function sayToSession(
  runtime: Runtime,
  sessionId: string,
  text: string,
  mode: UserMessageMode,
  attached?: readonly Attachment[],
): void {
  const conversation = runtime.state(conversations).open(sessionId);
  const message = attached === undefined ? {} : { message: (sees: boolean) => spoken(text, attached, sees) };
  conversation.inject({ kind: userMessageKind, text, mode, ...message });
}

/** A loop of this session that idles is asked to go on. */
export function wakeSession(runtime: Runtime, sessionId: string): void {
  const text = "You are asked to go on: look whether there is something to do.";
  runtime.state(conversations).get(sessionId)?.inject({ kind: "agent_resume", text });
}

/** What was kept for after the last loop is said before the prompt of this one. */
export function sayDeferred(conversation: Conversation, seesPictures: boolean): void {
  const waiting = conversation.feedback.filter(isDeferredMessage);
  const others = conversation.feedback.filter((feedback) => !isDeferredMessage(feedback));
  conversation.feedback.splice(0, conversation.feedback.length, ...others);
  for (const { text, message } of waiting)
    conversation.say(message?.(seesPictures) ?? { role: "user", content: text }, spokenOrigin);
}

const isDeferredMessage = ({ mode }: { readonly mode?: UserMessageMode }): boolean =>
  mode === "wait_for_completion";

/** Whether a person said something that this loop has to answer: it waits, or came since the model was asked. */
export function userSpoke({ conversation, work }: Loop): boolean {
  const { feedback, log } = conversation;
  if (feedback.some((one) => one.kind === userMessageKind && !isDeferredMessage(one))) return true;
  const seen = work.seenLength ?? (work.assistant === null ? log.length : log.lastIndexOf(work.assistant));
  return log.slice(seen).some(({ origin }) => origin.by === "person");
}

const interrupts = ({ conversation }: Loop): boolean =>
  conversation.feedback.some(({ mode }) => mode === "interrupt_immediate");

/** Runs `body` with a signal that aborts as soon as the user interrupts. */
export async function untilInterrupted<T>(loop: Loop, body: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const { arrivals } = loop.conversation;
  const look = (): void => {
    if (interrupts(loop)) ending.abort();
  };
  arrivals.add(look);
  try {
    return await body(ending.signal);
  } finally {
    arrivals.delete(look);
  }
}

/** Whether a call failed because the user did not want its answer any more: the loop goes on with what was said. */
export const wasInterrupted = (loop: Loop, error: ModelError): boolean =>
  error.category === "cancelled" && interrupts(loop);

/** Holds the calls of a turn that the user spoke into. */
export const userMessages: Subsystem = {
  name: "user_messages",
  // biome-ignore lint/correctness/useYield: it asks nobody.
  *called(loop: Loop): Turn<void> {
    if (interrupts(loop)) holdCalls(loop, "the user spoke first");
  },
};
