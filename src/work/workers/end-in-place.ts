/**
 * The end of a loop that suspended, became a worker by that, and went on in the very call that it had suspended in (a cold start):
 * its worker is over, too. A loop with a worker's cycle around it is settled there.
 */

import { transcriptOf } from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import { conversations } from "../../model/index.ts";
import type { Dict } from "../../values/index.ts";
import { finish } from "./worker-cycle.ts";
import { changeStatus } from "./worker-events.ts";
import { workers } from "./worker-table.ts";

export type EndInPlace = ({ readonly result: Dict } | { readonly error: string }) & {
  readonly lastText: string;
};

/** Does nothing for a session without such a worker. */
export async function endInPlace(task: Task, session: string, end: EndInPlace): Promise<void> {
  const worker = task.runtime.state(workers).inPlaceOf(session);
  if (worker === undefined) return;
  worker.inPlace = false;
  const conversation = task.runtime.state(conversations).get(session);
  if (conversation !== undefined) worker.transcript = transcriptOf(conversation);
  worker.lastText = end.lastText;
  worker.error = "error" in end ? end.error : null;
  if ("result" in end) worker.result = end.result;
  const event =
    worker.error === null
      ? finish(task, worker, "completed", "WorkerCompleted")
      : finish(task, worker, "failed", "WorkerFailed");
  await changeStatus(task, worker, event);
}
