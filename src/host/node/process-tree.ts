/**
 * Killing a process with everything it started. A detached child leads a process group of its own, so one signal
 * reaches the group; children that left the group (`setsid`, daemons) are found by a token in their environment.
 */

import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** The environment variable that marks all descendants of one call. */
export const treeToken = "HARN_PROCESS_TREE";

/** How long a tree may take to end by itself after SIGTERM. */
export const graceMs = 400;

/** Signals the group led by `child`; nothing happens when it is gone. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // ESRCH: nobody left in the group.
  }
}

/** Whether this system shows the environments of other processes: where it does not, nobody finds who left the group. */
export const canSweep = (): boolean => process.platform === "linux";

/**
 * Kills what carries the token (in that variable of its environment) but left the group; gives how many that were.
 */
export function sweep(token: string, variable: string = treeToken): number {
  if (!canSweep()) return 0;
  const mark = `${variable}=${token}`;
  let found = 0;
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid || !carries(pid, mark)) continue;
    found++;
    kill(pid);
  }
  return found;
}

/**
 * Between two sweeps, and how many there are at most. What is killed takes a moment to be gone; while it waits for a disk it is gone
 * only when that has answered, and what it was writing is written then: who does its work again must not begin before.
 */
const sweepEveryMs = 20;
const maxSweeps = 3000;

/** The same until nobody is left: one who is being killed may have started another in between. */
export async function sweepAll(token: string, variable: string = treeToken): Promise<void> {
  for (let sweeps = 0; sweeps < maxSweeps && sweep(token, variable) > 0; sweeps++) await pause(sweepEveryMs);
}

function carries(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(mark);
  } catch {
    return false;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended meanwhile.
  }
}
