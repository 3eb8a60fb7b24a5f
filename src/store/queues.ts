/**
 * Durable queues: first in, first out within a queue, one item of a queue in work at a time. A claimed item belongs to its
 * claimant until it is acknowledged, failed, or its owner is gone; each claim has a higher number, and whoever was taken
 * over can't acknowledge any more. Timers are items with a due time.
 */
import type { Json } from "../effects/index.ts";
import type { Database, Row } from "./database.ts";
import type { KeptJson } from "./kept-json.ts";
import { leaseMs } from "./leases.ts";
import { mayTake, type Owner, thisProcess } from "./owner.ts";
import { StoreError } from "./store-error.ts";

export interface Enqueue {
  /** While an item of this queue with the same key waits or is in work, another one is not added. */
  readonly key?: string;
  /** Milliseconds since the epoch; not claimed before. */
  readonly due?: number;
  /** Most items that may wait and be in work; one more is refused. */
  readonly capacity?: number;
}

export interface Item {
  readonly seq: number;
  readonly queue: string;
  readonly body: Json;
  readonly key: string | undefined;
  readonly enqueued: number;
  readonly due: number;
  /** How often it was claimed: the fencing number of the claim. */
  readonly claims: number;
  readonly inWork: boolean;
  /** Why it was given up. */
  readonly dead: string | undefined;
}

const columns = "seq, queue, body, key, enqueued, due, claims, owner, owned_until, dead";

export class Queues {
  private readonly db: Database;
  private readonly now: () => number;
  private readonly json: KeptJson;
  constructor(db: Database, now: () => number, json: KeptJson) {
    this.db = db;
    this.now = now;
    this.json = json;
  }

  /** Adds an item, durable when this returns; `undefined` when its key is there already. Full: a `StoreError` "full". */
  enqueue(queue: string, body: Json, options: Enqueue = {}): number | undefined {
    return this.db.transaction(() => {
      const { key, capacity } = options;
      if (key !== undefined && this.hasKey(queue, key)) return undefined;
      if (capacity !== undefined && this.length(queue) >= capacity) {
        throw new StoreError("full", `the queue ${queue} holds ${capacity} items, more are not taken`);
      }
      const now = this.now();
      this.db.run(
        "INSERT INTO item (queue, body, key, enqueued, due) VALUES (?, ?, ?, ?, ?)",
        queue,
        this.json.write(body),
        key ?? null,
        now,
        options.due ?? now,
      );
      return this.db.lastId();
    });
  }

  /**
   * Takes the oldest due item of a queue that has none in work; of all queues whose names begin with `prefix` when it
   * ends with `*`.
   */
  claim(queue: string, ms: number = leaseMs, owner: Owner = thisProcess()): Item | undefined {
    return this.db.transaction(() => {
      const now = this.now();
      for (const row of this.heads(queue, now)) {
        if (!mayTake(row.owner as Owner | null, Number(row.owned_until), now)) continue;
        const claims = Number(row.claims) + 1;
        this.db.run(
          "UPDATE item SET owner = ?, owned_until = ?, claims = ? WHERE seq = ?",
          owner,
          now + ms,
          claims,
          row.seq as number,
        );
        return { ...this.itemOf(row), claims, inWork: true };
      }
      return undefined;
    });
  }

  /** False when the claim was lost. */
  renew(item: Item, ms: number = leaseMs): boolean {
    return this.db.transaction(
      () =>
        this.db.run(
          "UPDATE item SET owned_until = ? WHERE seq = ? AND claims = ? AND owner IS NOT NULL",
          this.now() + ms,
          item.seq,
          item.claims,
        ) === 1,
      false,
    );
  }

  /** It is done. False when the claim was lost: somebody else does it. */
  ack(item: Item): boolean {
    return this.settle("DELETE FROM item WHERE seq = ? AND claims = ? AND owner IS NOT NULL", item);
  }

  /** Not done: it goes back to its place, to be claimed again from `due` on. */
  release(item: Item, due: number = this.now()): boolean {
    return this.settle(
      "UPDATE item SET owner = NULL, due = ? WHERE seq = ? AND claims = ? AND owner IS NOT NULL",
      item,
      due,
    );
  }

  /** Given up: it is kept apart with the reason. */
  giveUp(item: Item, reason: string): boolean {
    return this.settle(
      "UPDATE item SET owner = NULL, dead = ? WHERE seq = ? AND claims = ? AND owner IS NOT NULL",
      item,
      reason,
    );
  }

  /** A dead item waits again, at the end of its queue's order it always had. */
  revive(seq: number): boolean {
    return this.db.transaction(
      () =>
        this.db.run(
          "UPDATE item SET dead = NULL, due = ? WHERE seq = ? AND dead IS NOT NULL",
          this.now(),
          seq,
        ) === 1,
    );
  }

  /** What waits and what is in work, oldest first. */
  items(queue: string): Item[] {
    return this.db
      .all(`SELECT ${columns} FROM item WHERE queue = ? AND dead IS NULL ORDER BY seq`, queue)
      .map((row) => this.itemOf(row));
  }

  dead(queue: string): Item[] {
    return this.db
      .all(`SELECT ${columns} FROM item WHERE queue = ? AND dead IS NOT NULL ORDER BY seq`, queue)
      .map((row) => this.itemOf(row));
  }

  length(queue: string): number {
    return Number(this.db.get("SELECT count(*) AS n FROM item WHERE queue = ? AND dead IS NULL", queue)?.n);
  }

  /** Removes everything of a queue; gives how many items that were. */
  clear(queue: string): number {
    return this.db.transaction(() => this.db.run("DELETE FROM item WHERE queue = ?", queue));
  }

  /** Removes what waits; what somebody works on, and what was given up, stays. */
  withdraw(queue: string): number {
    return this.db.transaction(() =>
      this.db.run("DELETE FROM item WHERE queue = ? AND owner IS NULL AND dead IS NULL", queue),
    );
  }

  /** When the next item that nobody has is due, for timers; of queues as in `claim`. */
  nextDue(queue: string): number | undefined {
    const [where, values] = named(queue);
    const row = this.db.get(
      `SELECT min(due) AS due FROM item WHERE dead IS NULL AND owner IS NULL AND ${where}`,
      ...values,
    );
    return row?.due === null || row === undefined ? undefined : Number(row.due);
  }

  /** Of each queue the item in work, else the oldest due one. */
  private heads(queue: string, now: number): Row[] {
    const [where, values] = named(queue);
    // With `min`, SQLite takes the other columns from the row that has it.
    return this.db.all(
      `SELECT ${columns}, min(seq + (owner IS NULL) * ${2 ** 52}) AS rank FROM item
       WHERE dead IS NULL AND (due <= ? OR owner IS NOT NULL) AND ${where}
       GROUP BY queue ORDER BY rank`,
      now,
      ...values,
    );
  }

  private hasKey(queue: string, key: string): boolean {
    return (
      this.db.get("SELECT 1 AS found FROM item WHERE queue = ? AND key = ? AND dead IS NULL", queue, key) !==
      undefined
    );
  }

  private itemOf(row: Row): Item {
    return {
      seq: Number(row.seq),
      queue: String(row.queue),
      body: this.json.read(row.body, `an item of the queue ${row.queue}`),
      key: row.key === null ? undefined : String(row.key),
      enqueued: Number(row.enqueued),
      due: Number(row.due),
      claims: Number(row.claims),
      inWork: row.owner !== null,
      dead: row.dead === null ? undefined : String(row.dead),
    };
  }

  private settle(sql: string, item: Item, ...first: (string | number)[]): boolean {
    return this.db.transaction(() => this.db.run(sql, ...first, item.seq, item.claims) === 1);
  }
}

/** One queue by name, or all that begin alike: a condition and its values. */
function named(queue: string): readonly [string, readonly string[]] {
  if (!queue.endsWith("*")) return ["queue = ?", [queue]];
  const prefix = queue.slice(0, -1);
  return ["substr(queue, 1, length(?)) = ?", [prefix, prefix]];
}
