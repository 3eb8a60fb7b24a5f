/**
 * Waiting for what wakes an idle loop: an event, a message of the session, the timer, a watched file. Whatever comes first
 * ends the wait for the others. What comes from inside the run (events, messages) needs no record; timer and files are
 * effects, so a replay is woken by the same one.
 */
import { InFlightEffect, shape } from "../../effects/index.ts";
import { changedPaths, lookAt, untilChanged, type WatchState } from "../../host/index.ts";
import { onChildPath, startTimer, type Task, type Wait } from "../../interp/index.ts";
import { hostPathOf } from "../checks/files.ts";

export interface DaemonWait {
  /** Milliseconds until it is woken by the clock; `null`: never. */
  readonly ms: number | null;
  readonly paths: readonly string[];
  /** How the files were when they were looked at last; `null`: not yet. */
  readonly seen: WatchState | null;
  /** Registers for events and messages; gives what ends that. */
  readonly onArrival: (wake: () => void) => () => void;
}

export type WakeCause =
  | { readonly reason: "message" }
  | { readonly reason: "clock" }
  | { readonly reason: "watch"; readonly paths: readonly string[]; readonly now: WatchState };

/** Waits in `task` until something wakes it. */
export async function waitForWake(task: Task, ask: DaemonWait): Promise<WakeCause> {
  const ends: (() => void)[] = [];
  const endAll = (): void => {
    for (const end of ends.splice(0)) end();
  };
  try {
    return await onChildPath(task, () =>
      task.park<WakeCause>("the wake of a daemon", (wait) => {
        beginWait(task, ask, wait, ends);
        return endAll;
      }),
    );
  } finally {
    endAll();
  }
}

function beginWait(task: Task, ask: DaemonWait, wait: Wait<WakeCause>, ends: (() => void)[]): void {
  ends.push(ask.onArrival(() => wait.wake({ reason: "message" })));
  if (ask.ms !== null)
    ends.push(startTimer(task, ask.ms, "daemon timer", () => wait.wake({ reason: "clock" })));
  if (ask.paths.length > 0 && ask.seen !== null)
    ends.push(
      startWatch(
        task,
        ask.paths,
        ask.seen,
        (found) => wait.wake(found),
        (error) => wait.fail(error),
      ),
    );
}

const watchStateShape = shape.numbers.as<WatchState>(
  (state) => Object.fromEntries(state),
  (stored) => new Map(Object.entries(stored)),
);

/** How watched files are now. */
export const lookAtFiles = (task: Task, paths: readonly string[]): WatchState | Promise<WatchState> =>
  task.perform<WatchState>({
    effect: "read",
    kind: "daemon.look",
    args: () => ({ paths }),
    run: () =>
      lookAt(
        task.runtime.host.files,
        paths.map((path) => hostPathOf(task, path)),
      ),
    result: watchStateShape,
  });

function startWatch(
  task: Task,
  paths: readonly string[],
  seen: WatchState,
  found: (wake: WakeCause) => void,
  failed: (error: unknown) => void,
): () => void {
  const { effects, host } = task.runtime;
  const inFlight = new InFlightEffect();
  const full = paths.map((path) => hostPathOf(task, path));
  const asked = effects.perform<WatchState>(
    effects.child(task.scope),
    {
      effect: "observe",
      kind: "daemon.watch",
      args: () => ({ paths }),
      run: (signal) => untilChanged(host, full, seen, signal),
      result: watchStateShape,
    },
    inFlight,
  );
  let over = false;
  Promise.resolve(asked).then(
    (now) => found({ reason: "watch", paths: changedPaths(seen, now), now }),
    (error) => {
      if (!over) failed(error);
    },
  );
  return () => {
    over = true;
    inFlight.abandon(new Error("the watch is over"));
  };
}
