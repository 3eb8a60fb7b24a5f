/**
 * Killing a process with everything it started. A detached child leads a process group of its own, so one signal
 * reaches the group; children that left the group (`setsid`, daemons) are found by a token in their environment.
 */

import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

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

/**
 * Kills what carries the token (in that variable of its environment) but left the group. Linux only: elsewhere other
 * processes' environments are closed.
 */
export function sweep(token: string, variable: string = treeToken): void {
  if (process.platform !== "linux") return;
  const mark = `${variable}=${token}`;
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    if (carries(pid, mark)) kill(pid);
  }
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
