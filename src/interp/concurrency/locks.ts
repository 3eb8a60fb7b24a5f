/**
 * Locks between tasks: the `mutex` statement (language.md §13.7) and the `sync_*` permits (builtins.md §2.16). All of
 * them are one thing: a counter with a queue. Waiting tasks are served in order; a reader does not pass a waiting
 * writer. Permits that a task still holds when it ends are released.
 */
import { Dict, HandleValue, type MaybePromise, ScriptError } from "../../values/index.ts";
import { type Runtime, stateKey } from "../runtime.ts";
import type { Task, Wait } from "../task.ts";
import { startTimer } from "./timers.ts";

export type LockKind = "mutex" | "semaphore" | "gate" | "rwlock" | "session";

interface Waiter {
  readonly wait: Wait<Permit | undefined>;
  readonly permits: number;
  readonly exclusive: boolean;
  readonly since: number;
}

/** What `sync_*_acquire` gives. */
export class Permit extends HandleValue {
  override readonly type = "sync_permit";
  readonly lock: Lock;
  readonly permits: number;
  readonly exclusive: boolean;
  readonly holder: Task;
  /** When it was got; see `Lock.now`. */
  readonly since: number;
  held = true;
  /** Registered with the holder, for its end. */
  readonly drop: () => void = () => {
    this.lock.release(this);
  };

  constructor(lock: Lock, permits: number, exclusive: boolean, holder: Task) {
    super();
    this.lock = lock;
    this.permits = permits;
    this.exclusive = exclusive;
    this.holder = holder;
    this.since = lock.now();
  }
  display(): string {
    return `<sync_permit:${this.lock.kind}:${this.lock.key}>`;
  }
}

/** The string key and kind name a lock; the capacity is that of its first use. */
export class Lock {
  readonly kind: LockKind;
  readonly key: string;
  readonly capacity: number;
  private readonly runtime: Runtime;
  private readonly holders = new Set<Permit>();
  private readonly waiters = new Set<Waiter>();
  private used = 0;
  private readonly counts = {
    acquired: 0,
    timeouts: 0,
    cancelled: 0,
    released: 0,
    maxQueueDepth: 0,
    waited: 0,
    held: 0,
  };

  constructor(runtime: Runtime, kind: LockKind, key: string, capacity: number) {
    this.runtime = runtime;
    this.kind = kind;
    this.key = key;
    this.capacity = capacity;
  }

  /** How many permits a task has of it. */
  permitsOf(task: Task): number {
    let held = 0;
    for (const permit of this.holders) if (permit.holder === task) held += permit.permits;
    return held;
  }

  /** Milliseconds, for the metrics only: reading those is the effect, so a replay needs no clock here. */
  now(): number {
    return this.runtime.effects.mode === "replay" ? 0 : this.runtime.host.clock.monotonic();
  }

  /** A permit; `undefined` on a timeout (0: only if it is free now). */
  acquire(
    task: Task,
    permits: number,
    exclusive: boolean,
    timeoutMs?: number,
  ): MaybePromise<Permit | undefined> {
    if (this.waiters.size === 0 && this.free(permits, exclusive)) return this.grant(task, permits, exclusive);
    if (timeoutMs !== undefined && timeoutMs <= 0) {
      this.counts.timeouts++;
      return undefined;
    }
    if (timeoutMs === undefined) this.refuseCycle(task);
    return task.park<Permit | undefined>(`${this.kind} \`${this.key}\`${this.heldBy()}`, (wait) =>
      this.enqueue(task, wait, permits, exclusive, timeoutMs),
    );
  }

  private enqueue(
    task: Task,
    wait: Wait<Permit | undefined>,
    permits: number,
    exclusive: boolean,
    timeoutMs: number | undefined,
  ): () => void {
    const waiter: Waiter = { wait, permits, exclusive, since: this.now() };
    this.waiters.add(waiter);
    if (timeoutMs === undefined) this.waitingFor().set(task, this);
    this.counts.maxQueueDepth = Math.max(this.counts.maxQueueDepth, this.waiters.size);
    const stop =
      timeoutMs === undefined
        ? undefined
        : startTimer(task, timeoutMs, "lock timeout", () => this.expire(waiter));
    if (stop !== undefined) wait.promise.then(stop, stop);
    return () => {
      this.counts.cancelled++;
      this.waiters.delete(waiter);
      this.waitingFor().delete(task);
      stop?.();
      this.serve();
    };
  }

  private expire(waiter: Waiter): void {
    if (!this.waiters.delete(waiter)) return;
    this.counts.timeouts++;
    waiter.wait.wake(undefined);
    this.serve();
  }

  /** True once, then false. */
  release(permit: Permit): boolean {
    if (!permit.held) return false;
    permit.held = false;
    this.holders.delete(permit);
    permit.holder.onEnd?.delete(permit.drop);
    this.used -= permit.permits;
    this.counts.released++;
    this.counts.held += this.now() - permit.since;
    this.serve();
    return true;
  }

  private serve(): void {
    for (const waiter of this.waiters) {
      if (!this.free(waiter.permits, waiter.exclusive)) return;
      this.waiters.delete(waiter);
      this.waitingFor().delete(waiter.wait.task);
      this.counts.waited += this.now() - waiter.since;
      waiter.wait.wake(this.grant(waiter.wait.task, waiter.permits, waiter.exclusive));
    }
  }

  private free(permits: number, exclusive: boolean): boolean {
    if (this.kind !== "rwlock") return this.used + permits <= this.capacity;
    if (exclusive) return this.holders.size === 0;
    for (const holder of this.holders) if (holder.exclusive) return false;
    return true;
  }

  private grant(task: Task, permits: number, exclusive: boolean): Permit {
    const permit = new Permit(this, permits, exclusive, task);
    this.holders.add(permit);
    this.used += permits;
    this.counts.acquired++;
    task.onEnd ??= new Set();
    task.onEnd.add(permit.drop);
    return permit;
  }

  /**
   * Follows who holds what this task would wait for, and what the holder waits for itself. Coming back to the task means
   * that nobody in the circle can ever go on: the one who closes it is told at once, whatever else still runs.
   */
  private refuseCycle(task: Task): void {
    const circle: string[] = [];
    let lock: Lock | undefined = this;
    while (lock !== undefined) {
      const holder: Task | undefined = lock.soleHolder;
      if (holder === undefined) return;
      circle.push(`${holder.id} holds ${lock.kind} \`${lock.key}\``);
      if (holder === task) throw deadlocked(circle);
      lock = this.waitingFor().get(holder);
    }
  }

  /** The only task that can set the lock free. */
  private get soleHolder(): Task | undefined {
    const [first] = this.holders;
    return this.holders.size === 1 ? first?.holder : undefined;
  }

  /** Which lock each task of the run waits for, without a timeout. */
  private waitingFor(): Map<Task, Lock> {
    return this.runtime.state(lockWaits);
  }

  /** Nobody holds it, nobody waits for it. */
  get idle(): boolean {
    return this.holders.size === 0 && this.waiters.size === 0;
  }

  private heldBy(): string {
    const [first] = this.holders;
    return first === undefined ? "" : `, held by ${first.holder.id}`;
  }

  metrics(): Dict {
    return Dict.of({
      kind: this.kind,
      key: this.key,
      capacity: this.capacity,
      acquisition_count: this.counts.acquired,
      timeout_count: this.counts.timeouts,
      cancellation_count: this.counts.cancelled,
      release_count: this.counts.released,
      current_held: this.used,
      current_queue_depth: this.waiters.size,
      max_queue_depth: this.counts.maxQueueDepth,
      total_wait_ms: Math.round(this.counts.waited),
      total_held_ms: Math.round(this.counts.held),
    });
  }
}

function deadlocked(circle: readonly string[]): ScriptError {
  if (circle.length === 1) {
    const [, held = ""] = circle[0]!.split(" holds ");
    return new ScriptError("runtime", `deadlock: this task already holds ${held}`, { code: "HARN-ORC-011" });
  }
  const text = `deadlock: tasks wait for each other (${circle.join(", ")})`;
  return new ScriptError("runtime", text, { code: "HARN-ORC-012" });
}

const lockWaits = stateKey<Map<Task, Lock>>("lock waits", () => new Map());

/** All locks of a run, by kind and key. */
export const locks = stateKey<Map<string, Lock>>("locks", () => new Map());

/** The lock of that name, made on first use. */
export function lockOf(runtime: Runtime, kind: LockKind, key: string, capacity: number): Lock {
  const all = runtime.state(locks);
  const name = `${kind}:${key}`;
  let lock = all.get(name);
  if (lock === undefined) {
    lock = new Lock(runtime, kind, key, capacity);
    all.set(name, lock);
  }
  return lock;
}

/** The key of the `mutex` statement without one. */
const defaultMutex = "__default__";

/** Runs `mutex { body }` (or `mutex(key)`): holds the lock until the body ends, whatever way. Its value is nil. */
export function withMutex(
  task: Task,
  key: string | undefined,
  body: () => MaybePromise<unknown>,
): MaybePromise<null> {
  const lock = lockOf(task.runtime, "mutex", key ?? defaultMutex, 1);
  const permit = lock.acquire(task, 1, true);
  if (permit instanceof Promise) return permit.then((held) => whileLocked(lock, held as Permit, body));
  return whileLocked(lock, permit as Permit, body);
}

function whileLocked(lock: Lock, permit: Permit, body: () => MaybePromise<unknown>): MaybePromise<null> {
  let result: MaybePromise<unknown>;
  try {
    result = body();
  } catch (error) {
    lock.release(permit);
    throw error;
  }
  if (!(result instanceof Promise)) {
    lock.release(permit);
    return null;
  }
  return result.then(
    () => {
      lock.release(permit);
      return null;
    },
    (error) => {
      lock.release(permit);
      throw error;
    },
  );
}
