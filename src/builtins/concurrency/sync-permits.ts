/** Locks with permits (builtins.md §2.16): `sync_mutex_acquire` and its relatives. */
import { type Lock, type LockKind, lockOf, locks, type Permit, type Task } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { type MaybePromise, proceed, runtimeError, type Value } from "../../values/index.ts";
import { type Argument, intOr, textOf } from "../arguments.ts";
import { waitMs } from "../time/timed-wait.ts";

function acquire(
  task: Task,
  caller: string,
  lock: Lock,
  permits: number,
  exclusive: boolean,
  timeout: Argument,
): MaybePromise<Value> {
  return proceed(lock.acquire(task, permits, exclusive, waitMs(caller, timeout)), (permit) => permit ?? null);
}

export const syncPermits = defineBuiltins("concurrency", {
  sync_mutex_acquire: {
    doc: "A permit for the lock of that name, held by one at a time; nil on a timeout (0: only if it is free now).",
    sig: "(key: string, timeout?: int | duration) -> sync_permit | nil",
    effect: "state",
    suspends: "may",
    example: 'sync_release(sync_mutex_acquire("m"))  // true',
    run: (task, key: Argument, timeout: Argument) =>
      acquire(task, "sync_mutex_acquire", lockOf(task.runtime, "mutex", textOf(key), 1), 1, true, timeout),
  },
  sync_semaphore_acquire: {
    doc: "`permits` of a semaphore's `capacity` (that of its first use); nil on a timeout.",
    sig: "(key: string, capacity: int, permits: int = 1, timeout?: int | duration) -> sync_permit | nil",
    effect: "state",
    suspends: "may",
    run: (task, key: Argument, capacity: Argument, permits: Argument, timeout: Argument) => {
      const name = textOf(key);
      const lock = lockOf(task.runtime, "semaphore", name, Math.max(1, intOr(capacity, 1)));
      const wanted = Math.max(1, intOr(permits, 1));
      if (wanted > lock.capacity) {
        throw runtimeError(
          `sync semaphore '${name}' requested ${wanted} permits from capacity ${lock.capacity}`,
        );
      }
      return acquire(task, "sync_semaphore_acquire", lock, wanted, false, timeout);
    },
  },
  sync_gate_acquire: {
    doc: "A permit of a gate that lets `limit` through at a time; nil on a timeout.",
    sig: "(key: string, limit: int, timeout?: int | duration) -> sync_permit | nil",
    effect: "state",
    suspends: "may",
    run: (task, key: Argument, limit: Argument, timeout: Argument) =>
      acquire(
        task,
        "sync_gate_acquire",
        lockOf(task.runtime, "gate", textOf(key), Math.max(1, intOr(limit, 1))),
        1,
        false,
        timeout,
      ),
  },
  sync_rwlock_acquire: {
    doc: 'A permit to read (shared) or write (alone): mode "read" or "write"; nil on a timeout.',
    sig: '(key: string, mode!: "read" | "write", timeout?: int | duration) -> sync_permit | nil',
    effect: "state",
    suspends: "may",
    run: (task, key: Argument, mode: Argument, timeout: Argument) => {
      return acquire(
        task,
        "sync_rwlock_acquire",
        lockOf(task.runtime, "rwlock", textOf(key), 1),
        1,
        mode === "write",
        timeout,
      );
    },
  },
  sync_release: {
    doc: "Gives a permit back: true the first time, then false.",
    sig: "(permit!: sync_permit) -> bool",
    effect: "state",
    run: (_task, permit: Permit) => permit.lock.release(permit),
  },
  sync_metrics: {
    doc: "Counts and times of a lock; nil when it was never used.",
    sig: "(kind: string, key: string) -> dict | nil",
    // The times come from the clock.
    effect: "observe",
    example: 'sync_metrics("mutex", "never used")  // nil',
    run: (task, kind: Argument, key: Argument) =>
      task.runtime
        .state(locks)
        .get(`${textOf(kind) as LockKind}:${textOf(key)}`)
        ?.metrics() ?? null,
  },
});
