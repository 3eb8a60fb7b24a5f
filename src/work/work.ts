/**
 * Work: something that is done for somebody and outlives the call that asked for it. One record, whatever does it and
 * wherever it is kept: a worker or daemon of a run (`LiveWork`), a background daemon or a session of the project's store.
 */

import { isPending as mayCome, moved, statusWord, type WorkKind, type WorkStatus } from "../durable/index.ts";
import type { Runtime, Task, Wait } from "../interp/index.ts";
import { Dict, type Value } from "../values/index.ts";

export interface Work {
  readonly id: string;
  readonly kind: WorkKind;
  readonly name: string;
  readonly status: WorkStatus;
  /** What it works on now, or worked on last. */
  readonly task: string;
  /** The work that it was begun for; `null`: a program's own. */
  readonly parent: string | null;
  /** The process that may change it; `null`: whoever takes it. */
  readonly owner: WorkOwner | null;
}

export interface WorkOwner {
  readonly host: string;
  readonly pid: number;
}

/** Work of a run that is in progress. */
export abstract class LiveWork implements Work {
  readonly id: string;
  readonly kind: WorkKind;
  readonly parent: string | null;
  /** The task of its cycle. */
  cycle: Task | null = null;
  private current: WorkStatus;
  private readonly process: WorkOwner;
  private readonly watchers = new Watchers();

  constructor(
    runtime: Runtime,
    made: { readonly id: string; readonly kind: WorkKind; readonly parent: string | null },
    status: WorkStatus,
  ) {
    this.id = made.id;
    this.kind = made.kind;
    this.parent = made.parent;
    this.current = status;
    this.process = { host: runtime.host.hostName, pid: runtime.host.pid };
  }

  abstract get name(): string;
  abstract get task(): string;

  get status(): WorkStatus {
    return this.current;
  }

  /** Whoever waits is told by `changed`, when the change is on disk. */
  move(to: WorkStatus): void {
    this.current = moved(this.current, to);
  }

  /** The status as its documents say it. */
  get statusWord(): string {
    return statusWord(this.kind, this.current);
  }

  /** Something may still come without anybody asking for it. */
  get isPending(): boolean {
    return mayCome(this.current);
  }

  get owner(): WorkOwner | null {
    return this.isPending ? this.process : null;
  }

  /** Waits in `waiter` for the next change. */
  change(waiter: Task, what: string): Promise<void> {
    return this.watchers.next(waiter, what);
  }

  /** Whoever waits looks again. */
  changed(): void {
    this.watchers.changed();
  }
}

/** The work of a run, of one sort; values name it by handle or id. */
export abstract class WorkTable<T extends LiveWork> {
  private readonly byId = new Map<string, T>();

  add(work: T): void {
    this.byId.set(work.id, work);
  }

  /** In the order in which it was added. */
  get all(): T[] {
    return [...this.byId.values()];
  }

  find(value: Value): T | undefined {
    const id = idOf(value);
    return typeof id === "string" ? this.byId.get(id) : undefined;
  }
}

/** The id in a handle, or the value itself. */
export const idOf = (value: Value): Value | undefined => (value instanceof Dict ? value.get("id") : value);

/** Tasks that wait for the next change of something. */
class Watchers {
  private readonly waiting: Wait<void>[] = [];

  /** Waits in `waiter` for the next change; `what` says for what, to those who look why a task stands still. */
  next(waiter: Task, what: string): Promise<void> {
    return waiter.park<void>(what, (wait) => {
      this.waiting.push(wait);
      return () => {
        const at = this.waiting.indexOf(wait);
        if (at >= 0) this.waiting.splice(at, 1);
      };
    });
  }

  /** Whoever waits looks again. */
  changed(): void {
    for (const wait of this.waiting.splice(0)) wait.wake(undefined);
  }
}
