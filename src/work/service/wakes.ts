/** What wakes a background daemon besides its mailbox: its timer, and watched files. */
import { isAbsolute, join } from "node:path";
import type { DaemonRecord, Wish } from "../../durable/index.ts";
import { changedPaths, type Host, lookAt, untilChanged, type WatchState } from "../../host/index.ts";

/** Each resolves with what it wants when its moment has come; all reject with the signal. */
export function wakes(record: DaemonRecord, host: Host, signal: AbortSignal): Promise<Wish>[] {
  const { idle, wakeAt } = record;
  const found: Promise<Wish>[] = [];
  if (wakeAt !== null && idle?.wakeIntervalMs != null) {
    // A clock that was set back must not put the timer off by more than its interval.
    const ms = Math.min(Math.max(0, wakeAt - host.clock.now()), idle.wakeIntervalMs);
    found.push(host.clock.sleep(ms, signal).then(() => ({ kind: "timer" })));
  }
  if (idle !== null && idle.watchPaths.length > 0) found.push(waitForFileChange(record, host, signal));
  return found;
}

async function waitForFileChange(record: DaemonRecord, host: Host, signal: AbortSignal): Promise<Wish> {
  const seen: WatchState = new Map(Object.entries(record.watched ?? {}));
  const now = await untilChanged(host, watchPaths(record), seen, signal);
  return { kind: "watch", paths: changedPaths(seen, now) };
}

/** How its files are; `null` when it watches none. */
export function watchedNow(record: DaemonRecord, host: Host): { readonly [path: string]: number } | null {
  const paths = watchPaths(record);
  return paths.length === 0 ? null : Object.fromEntries(lookAt(host.files, paths));
}

/** As its script means them: relative ones lie under its working folder. */
const watchPaths = ({ cwd, idle }: DaemonRecord): string[] =>
  (idle?.watchPaths ?? []).map((path) => (isAbsolute(path) ? path : join(cwd, path)));
