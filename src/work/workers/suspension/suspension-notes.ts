/** What transcripts and session hooks get of suspending and resuming (agents.md §3.1, §8.5). */

import { runSessionHooks } from "../../../agent/index.ts";
import type { Task } from "../../../interp/index.ts";
import type { Conversation } from "../../../model/index.ts";
import { Dict, display, type Value } from "../../../values/index.ts";
import type { Suspension, Worker } from "../worker.ts";
import { handleOf } from "../worker-handle.ts";

/** What the transcript says of it. */
export function noteSuspension(conversation: Conversation, suspension: Suspension): void {
  const { reason, initiator, conditions, turn } = suspension;
  const metadata = Dict.of({ reason, initiator, conditions, turn });
  conversation.audit.push({
    kind: "suspension",
    role: "system",
    visibility: "internal",
    text: reason,
    metadata,
  });
}

export function noteResumption(conversation: Conversation, input: Value, continueTranscript: boolean): void {
  const metadata = Dict.of({ input, continue_transcript: continueTranscript });
  const text = input === null ? "" : display(input);
  conversation.audit.push({ kind: "resumption", role: "system", visibility: "internal", text, metadata });
}

/** After the change of status. */
export async function emitSuspended(task: Task, worker: Worker): Promise<void> {
  const { suspension, plan, session } = worker;
  if (suspension === null) return;
  const { reason, initiator, conditions } = suspension;
  const fields = Dict.of({ reason, initiator, conditions, handle: handleOf(worker) });
  await runSessionHooks(task, "PostSuspend", session, fields, plan.name);
}
