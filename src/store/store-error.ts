/** Why the store can't do what is asked, in words for people; nothing of SQLite's shows outside this folder. */
import { callerWords } from "../process/index.ts";

export type StoreFault =
  /** The file is no store, or parts of it are damaged. */
  | "corrupt"
  /** Written by a newer version of harn. */
  | "newer"
  /** The disk is full. */
  | "full"
  /** The folder or file can't be written. */
  | "readonly"
  /** The folder or file can't be opened or read. */
  | "unreadable"
  /** Another process held it for too long. */
  | "busy"
  /** Somebody else owns what was to be written. */
  | "taken"
  /** The copy that is kept elsewhere can't be written. */
  | "away"
  /** There is nothing of that name. */
  | "missing"
  /** There is something of that name already. */
  | "exists"
  /** What was given makes no sense. */
  | "invalid";

export class StoreError extends Error {
  readonly fault: StoreFault;
  /** What to do about it, a line each. */
  readonly advice: readonly string[];
  constructor(fault: StoreFault, message: string, advice: readonly string[] = []) {
    super(message);
    this.name = "StoreError";
    this.fault = fault;
    this.advice = advice;
  }
}

/** SQLite's primary result codes that say something to people. */
const faults: Readonly<Record<number, readonly [StoreFault, string]>> = {
  3: ["readonly", "permission denied"],
  5: ["busy", "another process has held it for too long"],
  6: ["busy", "another process has held it for too long"],
  8: ["readonly", "it is read-only"],
  10: ["unreadable", "input/output error"],
  11: ["corrupt", "parts of it are damaged"],
  13: ["full", "the disk is full"],
  14: ["unreadable", "it cannot be opened"],
  26: ["corrupt", "it is no store of harn"],
};

const reasons: Readonly<Record<string, readonly [StoreFault, string]>> = {
  EACCES: ["readonly", "permission denied"],
  EPERM: ["readonly", "operation not permitted"],
  EROFS: ["readonly", "the file system is read-only"],
  ENOSPC: ["full", "the disk is full"],
  EDQUOT: ["full", "the disk quota is used up"],
  ENOENT: ["readonly", "its folder cannot be made"],
  ENOTDIR: ["unreadable", "a part of the path is not a folder"],
  EEXIST: ["unreadable", "a file stands where the folder should be"],
};

/** Whether something could not be written for want of room; a mailbox that is full is not. */
export function isDiskFull(error: unknown): boolean {
  // A full disk comes with advice; a full mailbox has none.
  if (error instanceof StoreError) return error.fault === "full" && error.advice.length > 0;
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return error instanceof Error && typeof code === "string" && reasons[code]?.[0] === "full";
}

/** What SQLite or the file system threw, as a `StoreError` that names the file. Anything else is given back as it is. */
export function storeError(file: string, error: unknown): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  const { errcode, code } = error as { errcode?: number; code?: string };
  const known =
    typeof errcode === "number" ? faults[errcode & 0xff] : code === undefined ? undefined : reasons[code];
  if (known === undefined) {
    return typeof errcode === "number" || code?.startsWith("E") === true
      ? new StoreError("unreadable", `the store ${file} cannot be used: ${error.message}`)
      : error;
  }
  const [fault, reason] = known;
  return new StoreError(fault, `the store ${file} cannot be used: ${reason}`, adviceFor(fault));
}

function adviceFor(fault: StoreFault): string[] {
  if (fault === "corrupt") {
    return ["`harn runs repair` begins a new one with everything that can still be read"];
  }
  if (fault === "readonly") {
    const words = callerWords();
    return [`${words.storeFolder()} names another folder; ${words.flag("--no-record")} runs without a store`];
  }
  if (fault === "full") return ["make room; `harn runs prune` removes old runs"];
  return [];
}
