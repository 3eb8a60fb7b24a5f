/** Calls of a turn that are never dispatched: a judge, a pause or the user held them. */
import { byRuntime, type ToolCall } from "../../model/index.ts";
import { errorFrame } from "../tools/outcome.ts";
import type { Loop } from "./loop-state.ts";
import { keptNatively, resultMessage } from "./tool-messages.ts";

/**
 * Calls that a judge or a pause kept from being run: natively each needs an answer all the same. `own` may have a text
 * for one of them.
 */
export function holdCalls(
  loop: Loop,
  reason: string,
  own: (call: ToolCall) => string | undefined = () => undefined,
): void {
  const { work, conversation } = loop;
  work.held = true;
  if (keptNatively(loop)) appendHeld(loop, reason, own);
  conversation.callsAnswered();
}

export function appendHeld(loop: Loop, reason: string, own: (call: ToolCall) => string | undefined): void {
  const { work, conversation, route } = loop;
  for (const call of work.calls) {
    conversation.append(
      resultMessage(
        call.id,
        call.name,
        own(call) ?? errorFrame(call.name, `not run: ${reason}`),
        own(call) === undefined,
        route.toolResultBlocks,
      ),
      byRuntime("not_run"),
    );
  }
}
