/**
 * `harn runs stop`: ends a run that works in another process, as Ctrl-C in its own terminal would; a program is asked to stop it, and
 * so are workers.
 */

import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  asUsageError,
  exitCode,
  inStore,
  ownStateFolder,
  print,
  reportError,
  runNamed,
} from "../../host/command/index.ts";
import { ownProcess } from "../../process/index.ts";
import { requestStop } from "../../run/index.ts";
import {
  describeOwner,
  isProgram,
  openStore,
  processOf,
  type Store,
  StoreError,
  signalProcess,
  stateWords,
} from "../../store/index.ts";
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
  if (inStore((store) => store.runs.elsewhere.noteOf(name)) !== undefined) {
    return await stopRunOnWorkers(name);
  }
  const { pid, inProgram } = inStore((store) => workerOf(store, name));
  const ask = (): void => inStore((store) => requestStop(store, name, now));
  const interrupt = inProgram ? ask : () => signalProcess(pid, "SIGINT");
  const ended = await interruptUntil({ interrupt, now: now && !inProgram, patienceMs }, () => {
    const run = inStore((store) => store.runs.find(name));
    return run === undefined || run.state === "running" ? undefined : run.state;
  });
  if (ended !== undefined) {
    print(`${name} is ${ended}\n`);
    return true;
  }
  reportError(
    `harn: ${name} still unwinds (process ${pid}); \`harn runs stop --now ${name}\` waits for nobody\n`,
  );
  return false;
}

async function stopRunOnWorkers(run: string): Promise<boolean> {
  const { clusterSettings, openToStop, stopHandedOver } = await import("../../cluster/index.ts");
  try {
    const settings = await clusterSettings(join(ownProcess().cwd(), "harn.toml"));
    const report = (line: string): void => reportError(`harn: ${line}\n`);
    const cluster = await openToStop(settings, report, { names: [run], reason: "harn runs stop" });
    const store = openStore(ownStateFolder());
    try {
      if (!(await stopHandedOver(cluster, store, run))) {
        report(`${run} was told to stop, and its worker has not said yet that it has; look again later`);
        return false;
      }
      const found = store.runs.find(run);
      print(`${run} is ${found === undefined ? "gone" : stateWords(found)}\n`);
      return true;
    } finally {
      store.close();
      await cluster.close();
    }
  } catch (error) {
    throw asUsageError(error);
  }
}

/**
 * Interrupts what is at work, twice where nothing is to be waited for (`now`), and looks until it has ended; `undefined`: it still
 * unwinds.
 */
export async function interruptUntil(
  { interrupt, now, patienceMs }: { interrupt(): void; readonly now: boolean; readonly patienceMs: number },
  ended: () => string | undefined,
): Promise<string | undefined> {
  interrupt();
  // A second request ends the waiting.
  if (now) {
    await pause(lookEveryMs);
    interrupt();
  }
  for (let waited = 0; waited < patienceMs; waited += lookEveryMs) {
    await pause(lookEveryMs);
    const state = ended();
    if (state !== undefined) return state;
  }
  return undefined;
}

function workerOf(store: Store, name: string): { readonly pid: number; readonly inProgram: boolean } {
  const owner = store.runs.ownerOf(name);
  if (owner === undefined) {
    const state = store.runs.find(name)?.state ?? "gone";
    throw new StoreError("invalid", `nobody works on the run ${name}: it is ${state}`);
  }
  const pid = processOf(owner);
  if (pid !== undefined) return { pid, inProgram: isProgram(owner) };
  throw new StoreError("taken", `the run ${name} is worked on by ${describeOwner(owner)}: stop it there`);
}
