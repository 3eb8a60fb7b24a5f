/** Performs a look that a turn asks for: on a child path, within its time; what it throws is an answer. */
import { onChildPath, type Task, withinTime } from "../../interp/index.ts";
import { ScriptError, uncaughtText } from "../../values/index.ts";
import type { CheckAnswer, CheckAsk } from "./requests.ts";

export async function performLook<T>(
  task: Task,
  { timeoutMs, look }: Omit<CheckAsk<T>, "kind">,
): Promise<CheckAnswer<T>> {
  type Answer = CheckAnswer<T>;
  const found = (value: T): Answer => ({ ok: true, value });
  const late = (): Answer => ({ ok: false, error: `it took longer than ${timeoutMs} ms` });
  try {
    return await onChildPath(task, () =>
      withinTime(
        task,
        timeoutMs,
        () => {
          // A look at what the loop knows is over at once: nothing waits, and no timer watches it.
          const value = look(task);
          return value instanceof Promise ? value.then(found) : found(value);
        },
        late,
      ),
    );
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return { ok: false, error: typeof error.value === "string" ? error.value : uncaughtText(error) };
  }
}
