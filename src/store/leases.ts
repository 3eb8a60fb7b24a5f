/**
 * Named leases: at most one owner at a time, each with a higher fencing number than the one before. Whoever writes under a
 * lease passes its number along (`holds` inside the same transaction), so an owner that was frozen and taken over can't
 * write any more.
 */
import type { Database } from "./database.ts";
import { describeOwner, mayTake, type Owner, processOf, thisProcess } from "./owner.ts";
import { StoreError } from "./store-error.ts";

/** A lease should be renewed every third of this. */
export const leaseMs = 30_000;

export interface Lease {
  readonly name: string;
  readonly fence: number;
}

export interface LeaseOwner {
  readonly owner: Owner;
  /** In words: `process 4711`. */
  readonly who: string;
  /** On this machine; `undefined` elsewhere. */
  readonly pid: number | undefined;
}

export class Leases {
  private readonly db: Database;
  private readonly now: () => number;
  constructor(db: Database, now: () => number) {
    this.db = db;
    this.now = now;
  }

  /** Takes a lease that is free, or whose owner has lost it; `undefined` while somebody else holds it. */
  take(name: string, ms: number = leaseMs, owner: Owner = thisProcess()): Lease | undefined {
    return this.db.transaction(() => {
      const held = this.db.get("SELECT owner, fence, owned_until FROM lease WHERE name = ?", name);
      const now = this.now();
      const leaseOwner = (held?.owner ?? null) as Owner | null;
      if (held !== undefined && !mayTake(leaseOwner, Number(held.owned_until), now)) return undefined;
      const fence = Number(held?.fence ?? 0) + 1;
      this.db.run(
        "INSERT OR REPLACE INTO lease (name, owner, fence, owned_until) VALUES (?, ?, ?, ?)",
        name,
        owner,
        fence,
        now + ms,
      );
      return { name, fence };
    });
  }

  /** False when the lease was lost: whoever held it must stop. */
  renew(lease: Lease, ms: number = leaseMs): boolean {
    return this.db.transaction(
      () =>
        this.db.run(
          "UPDATE lease SET owned_until = ? WHERE name = ? AND fence = ? AND owner IS NOT NULL",
          this.now() + ms,
          lease.name,
          lease.fence,
        ) === 1,
      false,
    );
  }

  /** Gives it back; nothing happens when it was lost. */
  release(lease: Lease): void {
    this.db.transaction(
      () =>
        this.db.run("UPDATE lease SET owner = NULL WHERE name = ? AND fence = ?", lease.name, lease.fence),
      false,
    );
  }

  /** Who holds it now. */
  leaseOwner(name: string): LeaseOwner | undefined {
    const row = this.db.get("SELECT owner, owned_until FROM lease WHERE name = ?", name);
    if (row === undefined || row.owner === null) return undefined;
    const owner = String(row.owner);
    if (mayTake(owner, Number(row.owned_until), this.now())) return undefined;
    return { owner, who: describeOwner(owner), pid: processOf(owner) };
  }

  /** As `mustHold`, for whoever knows the lease by its name: this process has taken it. */
  mustBeOwn(name: string, owner: Owner = thisProcess()): void {
    const row = this.db.get("SELECT owner FROM lease WHERE name = ?", name);
    if (row?.owner !== owner) throw lostLease(name);
  }

  /** To be called inside a transaction, before what must not be written by a former owner. */
  mustHold(lease: Lease): void {
    const row = this.db.get("SELECT owner, fence FROM lease WHERE name = ?", lease.name);
    if (row === undefined || row.owner === null || Number(row.fence) !== lease.fence) {
      throw lostLease(lease.name);
    }
  }
}

const lostLease = (name: string): StoreError =>
  new StoreError("taken", `${name} was taken over by another process`);
