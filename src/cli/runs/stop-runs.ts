/** `harn runs stop`: ends a run that works in another process, as Ctrl-C in its own terminal would. */

import { setTimeout as pause } from "node:timers/promises";
import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode, inStore, print, reportError, runNamed } from "../../host/command/index.ts";
import { describeOwner, processOf, type Store, StoreError } from "../../store/index.ts";
import type { stopFlags } from "../flags/runs.ts";

export type StopFlags = FlagsOf<typeof stopFlags>;

/** How long a run may take to unwind before this says so. */
const patienceMs = 5000;
const lookEveryMs = 50;

export async function stopRuns(runs: readonly string[], flags: StopFlags): Promise<number> {
  const names = inStore((store) => runs.map((run) => runNamed(store, run)));
  let code: number = exitCode.ok;
  for (const name of names) if (!(await stopRun(name, flags.now === true))) code = exitCode.failed;
  return code;
}

async function stopRun(name: string, now: boolean): Promise<boolean> {
  const pid = inStore((store) => workerOf(store, name));
  interrupt(pid);
  // A second request ends the waiting.
  if (now) {
    await pause(lookEveryMs);
    interrupt(pid);
  }
  for (let waited = 0; waited < patienceMs; waited += lookEveryMs) {
    await pause(lookEveryMs);
    const run = inStore((store) => store.runs.find(name));
    if (run === undefined || run.state === "running") continue;
    print(`${name} is ${run.state}\n`);
    return true;
  }
  reportError(
    `harn: ${name} still unwinds (process ${pid}); \`harn runs stop --now ${name}\` waits for nobody\n`,
  );
  return false;
}

function workerOf(store: Store, name: string): number {
  const owner = store.runs.ownerOf(name);
  if (owner === undefined) {
    const state = store.runs.find(name)?.state ?? "gone";
    throw new StoreError("invalid", `nobody works on the run ${name}: it is ${state}`);
  }
  const pid = processOf(owner);
  if (pid !== undefined) return pid;
  throw new StoreError("taken", `the run ${name} is worked on by ${describeOwner(owner)}: stop it there`);
}

/** Ctrl-C for a process, which may have ended in this moment. */
export function interrupt(pid: number): void {
  try {
    process.kill(pid, "SIGINT");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
