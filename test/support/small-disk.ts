/** Disks of a few megabytes for one process: root has mounts of its own. */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "./temp-folder.ts";

/** Elsewhere such a disk can't be made. */
export const canMount = (): boolean =>
  process.getuid?.() === 0 &&
  spawnSync("unshare", ["-m", "sh", "-c", mountLine(tempFolder("mount"), 1)]).status === 0;

/** What a shell says below `unshare -m`. */
export function mountLine(folder: string, megabytes: number): string {
  mkdirSync(folder, { recursive: true });
  return `mount -t tmpfs -o size=${megabytes}m none ${folder}`;
}

/** The disk as its process sees it. */
export const diskOf = (pid: number | undefined, folder: string): string => join(`/proc/${pid}/root`, folder);

const filler = (disk: string): string => join(disk, "filler");

/** Until not one page is left. */
export function fillDisk(disk: string): void {
  for (const size of [1 << 20, 1 << 12])
    try {
      for (;;) writeFileSync(filler(disk), Buffer.alloc(size), { flag: "a" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
}

export const makeRoom = (disk: string): void => rmSync(filler(disk));
