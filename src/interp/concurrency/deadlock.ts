/** Runs in which everything waits for something that can never come. */
import type { Effects } from "../../effects/index.ts";
import { ScriptError } from "../../values/index.ts";
import { describeSite, type Site } from "../site.ts";

/** A task, as far as it waits. */
interface WaitingTask {
  readonly id: string;
  readonly parent: object | undefined;
  readonly waitingFor:
    | { readonly what: string; readonly internal: boolean; readonly site: Site | undefined }
    | undefined;
  interrupt(error: ScriptError): void;
}

interface Watched {
  readonly effects: Effects;
  readonly tasks: { readonly live: ReadonlySet<object>; readonly parked: ReadonlySet<WaitingTask> };
}

/**
 * Watches a run for deadlocks: at a rest without any effect in progress, when every task that has not ended waits for
 * another part of the program, nothing can ever happen. The program's own task is told, as an error it can catch.
 */
export function watchForDeadlock(runtime: Watched): void {
  runtime.effects.allWait = () => runtime.tasks.parked.size >= runtime.tasks.live.size;
  runtime.effects.onIdle = () => {
    const { live, parked } = runtime.tasks;
    if (parked.size === 0 || parked.size < live.size) return;
    const tasks = [...parked];
    if (tasks.some((task) => task.waitingFor?.internal !== true)) return;
    const root = tasks.find((task) => task.parent === undefined);
    root?.interrupt(new ScriptError("runtime", deadlockText(tasks), { code: "HARN-ORC-012" }));
  };
}

const shownWaits = 8;

function deadlockText(tasks: readonly WaitingTask[]): string {
  const lines = tasks.slice(0, shownWaits).map((task) => `\n  ${task.id} waits in ${describeWait(task)}`);
  if (tasks.length > shownWaits) lines.push(`\n  … and ${tasks.length - shownWaits} more tasks`);
  return `deadlock: every task waits for something that can never come${lines.join("")}`;
}

function describeWait(task: WaitingTask): string {
  const wait = task.waitingFor;
  if (wait === undefined) return "nothing";
  return wait.site === undefined ? wait.what : `${wait.what} (${describeSite(wait.site)})`;
}
