/** Performs a look that a turn asks for: on a child path, within its time; what it throws is an answer. */
import { onChildPath, type Task, withinTime } from "../../interp/index.ts";
import { ScriptError, uncaughtText } from "../../values/index.ts";
import type { CheckAnswer, CheckAsk } from "../state/requests.ts";

export async function performLook(task: Task, { timeoutMs, look }: CheckAsk): Promise<CheckAnswer<unknown>> {
  try {
    return await onChildPath(task, () =>
      withinTime(
        task,
        timeoutMs,
        async () => ({ ok: true as const, value: await look(task) }),
        () => ({ ok: false as const, error: `it took longer than ${timeoutMs} ms` }),
      ),
    );
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return { ok: false, error: typeof error.value === "string" ? error.value : uncaughtText(error) };
  }
}
