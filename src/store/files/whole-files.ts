/**
 * Files that come into their place as a whole: written beside it and renamed over it, so that nobody, not after a crash either,
 * sees half of one. What was begun beside it is gone after a failure.
 */
import {
  appendFileSync,
  closeSync,
  existsSync,
  fchmodSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

let begun = 0;

function besideOf(target: string): string {
  begun += 1;
  return join(dirname(target), `.harn-${process.pid}-${begun}.tmp`);
}

/** Replaces what a file holds, or makes it. `mode`: who may use it; without, as the system has it. Throws Node's errors. */
export function replaceContent(target: string, data: string | Uint8Array, mode?: number): void {
  const beside = besideOf(target);
  // Made closed: nobody should see what will be closed in the end.
  const file = openSync(beside, "wx", mode === undefined ? 0o666 : mode & 0o600);
  try {
    try {
      writeFileSync(file, data);
      if (mode !== undefined) fchmodSync(file, mode);
    } finally {
      closeSync(file);
    }
    renameSync(beside, target);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/**
 * As `replaceContent`, without stopping the process meanwhile; on the disk when it ends. For the owner alone. `first` is done
 * when all of it is written and in its place nobody sees it yet; what it throws leaves everything as it was.
 */
export async function replacePrivately(
  target: string,
  bytes: Uint8Array,
  first: () => void = () => {},
): Promise<void> {
  const beside = besideOf(target);
  try {
    const file = await open(beside, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    first();
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** Makes a file that is not there yet; one that is there stays, and is an error (`EEXIST`). */
export const makeFile = (path: string, text: string): void => writeFileSync(path, text, { flag: "wx" });

/** Adds a line to a file of lines, or makes the file. A last line that somebody left open is ended first. Throws Node's errors. */
export function appendLine(path: string, line: string): void {
  const isOpen = existsSync(path) && /[^\n]$/u.test(readFileSync(path, "utf8"));
  appendFileSync(path, `${isOpen ? "\n" : ""}${line}\n`);
}

/** Moves a file over another one's name. */
export const moveFile = (from: string, to: string): void => renameSync(from, to);
