/**
 * The calls that a suspended loop leaves undispatched. Whoever resumes the loop, in this run or from a worker's file, begins
 * at their dispatch: the model is not asked again, and each call runs once.
 *
 *     suspended before a batch ─▶ conversation.openBatch (and `open_calls` of the snapshot) ─▶ resume ─▶ dispatch ─▶ results
 *
 * A loop that begins on the conversation in the ordinary way gives the batch up: repair answers its calls as interrupted.
 */
import type { Json } from "../../../effects/index.ts";
import {
  type Conversation,
  type LoggedMessage,
  type OpenBatch,
  restoredBatch,
} from "../../../model/index.ts";
import type { Control } from "../../contract/index.ts";
import { type Loop, newTurn } from "../../state/loop-state.ts";

/** What the loop was about to dispatch; `null`: it stands elsewhere. */
export function batchOf({ work, core: { control } }: Loop): OpenBatch | null {
  if (control.resumeAt !== "dispatch") return null;
  return {
    calls: work.calls,
    requests: control.calls,
    refusals: control.refusals,
    reviewed: control.reviewed,
    fallback: work.fallback,
  };
}

/** The message that made the calls, when nothing has been said since; `undefined`: the batch can't be taken up. */
export function messageOf(conversation: Conversation, batch: OpenBatch): LoggedMessage | undefined {
  const last = conversation.shown.at(-1);
  if (last?.message.role !== "assistant") return undefined;
  const native = last.message.tool_calls ?? [];
  const same = native.every(({ id }, index) => batch.calls[index]?.id === id);
  return same && (native.length === 0 || native.length === batch.calls.length) ? last : undefined;
}

/** A conversation that was read from a snapshot stands where its loop was suspended. */
export function restoreBatch(conversation: Conversation, stored: Json): void {
  const batch = restoredBatch(stored);
  const message = batch === null ? undefined : messageOf(conversation, batch);
  if (message === undefined) return;
  conversation.openBatch = batch;
  conversation.callsBegin(message);
}

/** Whoever resumes the loop does not want its calls. */
export function dropBatch(conversation: Conversation): void {
  conversation.openBatch = null;
  conversation.callsAnswered();
}

/** Puts a loop that has not begun before the dispatch of a batch. */
export function beginAtDispatch(loop: Loop, batch: OpenBatch, message: LoggedMessage): void {
  takeUp(loop.core.control, batch);
  // The turn before the first: the model answered it in the loop that was suspended.
  loop.work = {
    ...newTurn(-1),
    answered: true,
    calls: batch.calls,
    assistant: message,
    fallback: batch.fallback,
  };
  loop.conversation.callsBegin(message);
}

function takeUp(control: Control, { requests, refusals, reviewed }: OpenBatch): void {
  control.plan = { steps: [{ id: "resumed", kind: "model" }] };
  control.resumeAt = "dispatch";
  control.calls = [...requests];
  control.answers = requests.map(() => null);
  control.refusals = [...refusals];
  control.reviewed = [...reviewed];
}
