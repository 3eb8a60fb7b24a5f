/**
 * Waiting for files to change. What counts is the time of their last change, looked at; a watcher of the system only says
 * when to look (inotify and its kin miss network folders, run out of watches, and see an atomic save as a new file), so a
 * slow look at intervals stays behind it.
 */
import { type Files, type Host, HostError } from "./ports.ts";

/** Path → microseconds of its last change; a path that is not there is absent. */
export type WatchState = ReadonlyMap<string, number>;

/** Between two looks where the system tells of changes, and where it does not. */
const slowLookMs = 2000;
const fastLookMs = 250;
/** An editor that saves a file touches several: they are one change. */
const settleMs = 25;
/** Most files below watched folders; more of them are not looked at. */
const maxFiles = 10_000;
/** Folders of others' that change all the time. */
const skipped: ReadonlySet<string> = new Set([".git", ".harn", "node_modules"]);

/** When each file at or below these absolute paths was changed last. Folders are walked; links are not followed. */
export function lookAt(files: Files, paths: readonly string[]): WatchState {
  const state = new Map<string, number>();
  for (const path of paths) noteModified(files, path, state);
  return state;
}

function noteModified(files: Files, path: string, state: Map<string, number>): void {
  if (state.size >= maxFiles) return;
  try {
    const info = files.stat(path);
    if (info === undefined) return;
    if (info.kind !== "dir") state.set(path, Math.floor(info.modified * 1000));
    else
      for (const { name, kind } of files.list(path)) {
        if (kind !== "symlink" && !skipped.has(name)) noteModified(files, `${path}/${name}`, state);
      }
  } catch (error) {
    // What can't be looked at, or goes while it is looked at, is not there.
    if (!(error instanceof HostError)) throw error;
  }
}

/** Paths that came, changed or went, sorted. */
export function changedPaths(before: WatchState, after: WatchState): string[] {
  const changed = [...after].filter(([path, time]) => before.get(path) !== time).map(([path]) => path);
  const gone = [...before.keys()].filter((path) => !after.has(path));
  return [...changed, ...gone].sort();
}

/** Rests until a look differs from `before`; gives the look. Rejects with the signal's reason. */
export async function untilChanged(
  host: Pick<Host, "files" | "clock" | "watch">,
  paths: readonly string[],
  before: WatchState,
  signal: AbortSignal,
): Promise<WatchState> {
  const look = (): WatchState | undefined => {
    const now = lookAt(host.files, paths);
    return changedPaths(before, now).length > 0 ? now : undefined;
  };
  for (;;) {
    signal.throwIfAborted();
    const changed = await stirred(host, paths, look, signal);
    if (changed === undefined) continue;
    await host.clock.sleep(settleMs, signal);
    return lookAt(host.files, paths);
  }
}

/** Watches, looks, and rests only when there is nothing to see: what happens before the watcher stands is seen, too. */
async function stirred(
  { clock, watch }: Pick<Host, "clock" | "watch">,
  paths: readonly string[],
  look: () => WatchState | undefined,
  signal: AbortSignal,
): Promise<WatchState | undefined> {
  const over = new AbortController();
  const end = (): void => over.abort(signal.reason);
  signal.addEventListener("abort", end, { once: true });
  const watching = watch?.(paths, over.signal);
  // Whichever loses ends with the signal; nobody waits for it any more.
  watching?.catch(() => {});
  try {
    const seen = look();
    if (seen !== undefined) return seen;
    const slept = clock.sleep(watching === undefined ? fastLookMs : slowLookMs, over.signal);
    slept.catch(() => {});
    await Promise.race(watching === undefined ? [slept] : [slept, watching]);
    return undefined;
  } finally {
    signal.removeEventListener("abort", end);
    over.abort(new Error("the watch is over"));
  }
}
