/**
 * The disk of a worker. What jobs leave there is removed with the job, or after a week where it rested here, was taken over or failed.
 * While the disk is full the worker takes no more jobs, and says so once.
 */
import { createHash } from "node:crypto";
import { chmodSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as later } from "node:timers/promises";
import { evalStoreOf, removeLeftContainers } from "../eval/local/index.ts";
import { FullDiskWait } from "../server/service/index.ts";
import { isDiskFull, openStore, type Store, StoreError, storeFile } from "../store/index.ts";
import { AttemptOver } from "./ports.ts";

/** Nobody comes back to it after so long. */
const keptMs = 7 * 86_400_000;
/** A job that has less fails at its first records. */
const leastBytes = 1 << 20;
/** How long a job that came is held before somebody else is asked. */
const holdMs = 10_000;

/** Where a chunk lies, below the state folder of the worker. The same for each attempt: sandboxes and containers are named after it. */
export const chunkFolder = (stateFolder: string, job: string): string =>
  join(chunksIn(stateFolder), createHash("sha256").update(job).digest("hex").slice(0, 24));

const chunksIn = (stateFolder: string): string => join(stateFolder, "chunks");

/** The folder of a chunk, with the containers of its trials. */
export async function removeChunk(folder: string): Promise<void> {
  if (existsSync(join(folder, storeFile)))
    for (const set of setsIn(folder)) await removeLeftContainers(set, folder);
  removeReadOnly(folder);
}

function setsIn(folder: string): string[] {
  const files = openStore(folder);
  try {
    return evalStoreOf(files)
      .sets()
      .map(({ name }) => name);
  } finally {
    files.close();
  }
}

/** A trial may have taken the right to write away from its own folders. */
function removeReadOnly(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    makeWritable(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeWritable(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) makeWritable(join(folder, entry.name));
}

/** Removes what is older than a week, but of those jobs that are `atWork`. What can't be removed is told, and is in nobody's way. */
export async function removeLeftWork(
  store: Store,
  atWork: ReadonlyMap<string, unknown>,
  report: (line: string) => void,
): Promise<void> {
  const since = Date.now() - keptMs;
  const drop = async (what: string, remove: () => Promise<void> | void): Promise<void> => {
    try {
      await remove();
    } catch (error) {
      report(`${what}, which a job left here a week ago, can't be removed: ${(error as Error).message}`);
    }
  };
  for (const { name, began } of store.runs.list())
    if (began < since && !atWork.has(name)) await drop(name, () => store.runs.delete(name));
  const chunks = chunksIn(store.folder);
  const held = new Set([...atWork.keys()].map((job) => chunkFolder(store.folder, job)));
  for (const folder of existsSync(chunks) ? readdirSync(chunks).map((name) => join(chunks, name)) : []) {
    const changed = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? since;
    if (changed < since && !held.has(folder)) await drop(folder, () => removeChunk(folder));
  }
}

export class DiskRoom {
  private readonly folder: string;
  private readonly wait: FullDiskWait;
  /** While the disk is full: resolves when there is room. */
  private full: Promise<void> | undefined;

  constructor(folder: string, report: (line: string) => void) {
    this.folder = folder;
    this.wait = new FullDiskWait({ now: Date.now, report });
  }

  /** Makes an attempt where there is room. One that is over may have ended for want of it. */
  async of<T>(signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
    if (this.full !== undefined)
      await Promise.race([this.full, later(holdMs, undefined, { signal }).catch(() => {})]);
    if (this.full !== undefined) throw new AttemptOver(`the disk of this worker is full: ${this.folder}`);
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof AttemptOver) this.look();
      throw error;
    }
  }

  giveUp(): void {
    this.wait.giveUp();
  }

  private look(): void {
    this.full ??= this.wait
      .of(() => this.mustHaveRoom())
      .catch(() => {})
      .finally(() => {
        this.full = undefined;
      });
  }

  private mustHaveRoom(): void {
    const file = join(this.folder, `room-${process.pid}`);
    try {
      writeFileSync(file, Buffer.alloc(leastBytes));
    } catch (error) {
      if (!isDiskFull(error)) return;
      throw new StoreError("full", `the disk of this worker is full: ${this.folder}`, ["make room"]);
    } finally {
      rmSync(file, { force: true });
    }
  }
}
