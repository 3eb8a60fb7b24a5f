/**
 * Repair: what an interrupted loop, a fork or a hand-made history may have left behind is mended before a model sees
 * it, because vendors refuse a conversation with a call that has no result, or a result that has no call.
 *
 * A call without a result gets one that says it was interrupted; a result without a call is taken out of view. Looked
 * at once, when a loop begins: from then on every batch is answered before the next turn.
 */

import { answeredCall } from "../context/projection/tool-results.ts";
import type { Conversation, LoggedMessage } from "../conversation.ts";
import { resultMessage } from "./tool-messages.ts";

export interface Repaired {
  readonly answered: number;
  readonly dropped: number;
}

/** Mends what is shown. The log keeps everything. */
export function repairConversation(conversation: Conversation, toolResultBlocks: boolean): Repaired {
  const kept: LoggedMessage[] = [];
  const open = new Map<string, string>();
  let answered = 0;
  let dropped = 0;
  const closeOpen = (): void => {
    for (const [id, name] of open) {
      kept.push(interrupted(conversation, id, name, toolResultBlocks));
      answered++;
    }
    open.clear();
  };
  for (const logged of [...conversation.shown]) {
    const { message } = logged;
    const resultOf = answeredCall(message);
    if (resultOf !== undefined) {
      if (open.delete(resultOf)) kept.push(logged);
      else dropped++;
      continue;
    }
    closeOpen();
    kept.push(logged);
    for (const call of message.tool_calls ?? []) open.set(call.id, call.name);
  }
  closeOpen();
  if (answered > 0 || dropped > 0) conversation.show(kept);
  return { answered, dropped };
}

function interrupted(conversation: Conversation, id: string, name: string, blocks: boolean): LoggedMessage {
  const text = `[error from ${name}]\ninterrupted: this call was cut off before it gave a result; it may or may not have taken effect\n[end of ${name} error]\n`;
  return conversation.append(resultMessage(id, name, text, true, blocks));
}
