/** The system's own watcher: says that something at or below a path may have changed, nothing more. */
import { type FSWatcher, statSync, watch } from "node:fs";
import { dirname } from "node:path";

/**
 * Resolves when something stirs. `undefined` when one of the paths can't be watched: the system has no watches left, or
 * does not know how.
 */
export function nodeWatch(paths: readonly string[], signal: AbortSignal): Promise<void> | undefined {
  const watchers: FSWatcher[] = [];
  const close = (): void => {
    for (const watcher of watchers) watcher.close();
  };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  try {
    for (const path of new Set(paths.map(placeOf))) {
      const watcher = watch(path.folder, { recursive: path.deep, persistent: true }, () => resolve());
      // A folder that went away: look again.
      watcher.on("error", () => resolve());
      watchers.push(watcher);
    }
  } catch {
    close();
    return undefined;
  }
  const stop = (): void => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  return promise.finally(() => {
    signal.removeEventListener("abort", stop);
    close();
  });
}

/** A file is watched through its folder: an editor that saves it puts another file in its place. */
function placeOf(path: string): { readonly folder: string; readonly deep: boolean } {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return { folder: path, deep: true };
  return { folder: dirname(path), deep: false };
}
