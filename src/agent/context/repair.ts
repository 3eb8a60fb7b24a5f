/**
 * Repair: what goes out to a model is sound, because vendors refuse a conversation with a call that has no result, a result
 * that has no call, or anybody's words between the two. Interrupted loops, forks, hand-made histories, callbacks and what
 * scripts do to a session from inside a tool may leave any of them behind.
 *
 *     results ─▶ right behind their call, in the order of the calls · a call without one ─▶ answered as interrupted
 *     a result without a call ─▶ out of view
 *
 * Looked at in front of every call of a model. What is known to be sound is not looked at again, so that a turn costs the same
 * however long the conversation is. The log keeps everything. Calls that run now are nobody else's to repair: a
 * conversation has one loop at a time (session-holds.ts), and that has answered its calls when it asks its model.
 */
import { byRuntime, type Conversation, type ModelMessage } from "../../model/index.ts";
import { resultMessage } from "../state/tool-messages.ts";
import { answeredCall } from "./projection/tool-results.ts";

export interface Repaired {
  readonly answered: number;
  readonly dropped: number;
}

/** Why a call has no result. */
const cutOff =
  "interrupted: this call was cut off before it gave a result; it may or may not have taken effect";
/** The same, where the conversation goes on in a copy. */
export const stillRunning =
  "interrupted: this call was still running when the conversation was copied; its result is not known here";

/** Mends what is shown. */
export function repairConversation(conversation: Conversation, blocks: boolean, why = cutOff): Repaired {
  const { sound, revision } = conversation;
  const from = sound.revision === revision ? sound.length : 0;
  let repaired: Repaired = { answered: 0, dropped: 0 };
  if (!isSound(conversation.view, from)) {
    const mended = inOrder(
      conversation.shown,
      ({ message }) => message,
      (id, name) =>
        conversation.record(interruptedCallResult(id, name, blocks, why), byRuntime("interrupted")),
    );
    conversation.show(mended.kept, "repair");
    repaired = mended;
  }
  keepTask(conversation);
  conversation.sound = { revision: conversation.revision, length: conversation.view.length };
  return repaired;
}

/** A view that was cut down to nothing, or to answers, is given back what it is about. */
function keepTask(conversation: Conversation): void {
  const { shown, task } = conversation;
  if (task === null || shown[0]?.message.role === "user" || shown.some(({ id }) => id === task.id)) return;
  conversation.show([task, ...shown], "repair");
}

/** The same for a list that callbacks or projections have made of a conversation. */
export function mendedView(messages: ModelMessage[], blocks: boolean): ModelMessage[] {
  if (isSound(messages, 0)) return messages;
  return inOrder(
    messages,
    (message) => message,
    (id, name) => interruptedCallResult(id, name, blocks, cutOff),
  ).kept;
}

/** Whether every call from `from` on is answered right behind its message, in order, and nothing else is answered. */
function isSound(messages: readonly ModelMessage[], from: number): boolean {
  let open: readonly string[] = [];
  let next = 0;
  for (let index = from; index < messages.length; index++) {
    const message = messages[index] as ModelMessage;
    const resultOf = answeredCall(message);
    if (resultOf !== undefined) {
      if (open[next] !== resultOf) return false;
      next++;
      continue;
    }
    if (next < open.length) return false;
    open = (message.tool_calls ?? []).map(({ id }) => id);
    next = 0;
  }
  return next === open.length;
}

/** A call and the result that was found for it. */
interface Slot<T> {
  readonly id: string;
  readonly name: string;
  result: T | undefined;
}

function inOrder<T>(
  messages: readonly T[],
  read: (item: T) => ModelMessage,
  missing: (id: string, name: string) => T,
): Repaired & { readonly kept: T[] } {
  const slots = new Map<T, Slot<T>[]>();
  // Ids may come again in later turns: a result belongs to the last message that made such a call.
  const open = new Map<string, Slot<T>[]>();
  let dropped = 0;
  for (const item of messages) {
    const message = read(item);
    const resultOf = answeredCall(message);
    if (resultOf !== undefined) {
      const slot = open.get(resultOf)?.shift();
      if (slot === undefined) dropped++;
      else slot.result = item;
    } else if (message.tool_calls !== undefined && message.tool_calls.length > 0) {
      const own = message.tool_calls.map(({ id, name }): Slot<T> => ({ id, name, result: undefined }));
      slots.set(item, own);
      for (const { id } of own) open.set(id, []);
      for (const slot of own) open.get(slot.id)?.push(slot);
    }
  }
  const kept: T[] = [];
  let answered = 0;
  for (const item of messages) {
    if (answeredCall(read(item)) !== undefined) continue;
    kept.push(item);
    for (const { id, name, result } of slots.get(item) ?? []) {
      kept.push(result ?? missing(id, name));
      if (result === undefined) answered++;
    }
  }
  return { kept, answered, dropped };
}

function interruptedCallResult(id: string, name: string, blocks: boolean, why: string): ModelMessage {
  const text = `[error from ${name}]\n${why}\n[end of ${name} error]\n`;
  return resultMessage(id, name, text, true, blocks);
}
