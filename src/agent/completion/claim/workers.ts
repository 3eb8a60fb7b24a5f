/** Row 10: a claim waits for the workers that the session began. */

import { giveFeedback } from "../../context/feedback.ts";
import type { Loop } from "../../state/loop-state.ts";
import { askForWorker, type Turn } from "../../state/requests.ts";

/** Whether the loop goes on because workers run: one of them has ended then, and the model is told how. */
export function* awaitWorkers(loop: Loop): Turn<boolean> {
  if (loop.options.completion?.waitForWorkers !== true) return false;
  const ended = yield* askForWorker();
  if (ended === null) return false;
  yield* giveFeedback(loop, "worker_ended", ended);
  return true;
}
