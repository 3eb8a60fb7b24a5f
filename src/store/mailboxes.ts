/**
 * Durable mailboxes: first in, first out within a mailbox, one message of a mailbox claimed at a time. A claimed message
 * belongs to its claimant until it is acknowledged, deferred or dead-lettered, or its owner is gone; each claim has a higher
 * number, the fencing token: whoever was taken over can't acknowledge any more. Timers are messages with a due time.
 */
import type { Json } from "../effects/index.ts";
import type { Database, SqlRow } from "./database.ts";
import type { KeptJson } from "./kept-json.ts";
import { leaseMs } from "./leases.ts";
import { mayTake, type Owner, thisProcess } from "./owner.ts";
import { StoreError } from "./store-error.ts";

export interface EnqueueOptions {
  /** While a message of this mailbox with the same key waits or is claimed, another one is not added. */
  readonly key?: string;
  /** Milliseconds since the epoch; not claimed before. */
  readonly due?: number;
  /** Most messages that may wait and be claimed; one more is refused. */
  readonly capacity?: number;
}

export interface MailboxMessage {
  readonly seq: number;
  /** `daemon:reviewer`, `session:42` */
  readonly mailbox: string;
  readonly body: Json;
  readonly key: string | undefined;
  /** Milliseconds since the epoch, as `due`. */
  readonly enqueued: number;
  readonly due: number;
  /** How often it was claimed: the fencing token of the claim. */
  readonly claims: number;
  readonly isClaimed: boolean;
  /** Why it was dead-lettered. */
  readonly deadReason: string | undefined;
}

const columns = "seq, mailbox, body, key, enqueued, due, claims, owner, owned_until, dead_reason";

export class Mailboxes {
  private readonly db: Database;
  private readonly now: () => number;
  private readonly json: KeptJson;
  constructor(db: Database, now: () => number, json: KeptJson) {
    this.db = db;
    this.now = now;
    this.json = json;
  }

  /** Adds a message, durable when this returns; `undefined` when its key is there already. Full: a `StoreError` "full". */
  enqueue(mailbox: string, body: Json, options: EnqueueOptions = {}): number | undefined {
    return this.db.transaction(() => {
      const { key, capacity } = options;
      if (key !== undefined && this.hasKey(mailbox, key)) return undefined;
      if (capacity !== undefined && this.length(mailbox) >= capacity) {
        throw new StoreError("full", `the mailbox ${mailbox} holds ${capacity} messages, more are not taken`);
      }
      const now = this.now();
      return this.db.insert(
        "INSERT INTO mailbox_message (mailbox, body, key, enqueued, due) VALUES (?, ?, ?, ?, ?)",
        mailbox,
        this.json.write(body),
        key ?? null,
        now,
        options.due ?? now,
      );
    });
  }

  /**
   * Claims the oldest due message of a mailbox that has none claimed; of all mailboxes whose names begin with what stands
   * before a final `*`.
   */
  claim(mailbox: string, ms: number = leaseMs, owner: Owner = thisProcess()): MailboxMessage | undefined {
    return this.db.transaction(() => {
      const now = this.now();
      for (const row of this.heads(mailbox, now)) {
        if (!mayTake(row.owner as Owner | null, Number(row.owned_until), now)) continue;
        const claims = Number(row.claims) + 1;
        this.db.run(
          "UPDATE mailbox_message SET owner = ?, owned_until = ?, claims = ? WHERE seq = ?",
          owner,
          now + ms,
          claims,
          row.seq as number,
        );
        return { ...this.messageOf(row), claims, isClaimed: true };
      }
      return undefined;
    });
  }

  /** False when the claim was lost. */
  renew(message: MailboxMessage, ms: number = leaseMs): boolean {
    return this.db.transaction(
      () =>
        this.db.run(
          "UPDATE mailbox_message SET owned_until = ? WHERE seq = ? AND claims = ? AND owner IS NOT NULL",
          this.now() + ms,
          message.seq,
          message.claims,
        ) === 1,
      false,
    );
  }

  /** It is done. False when the claim was lost: somebody else does it. */
  ack(message: MailboxMessage): boolean {
    return this.settle(
      "DELETE FROM mailbox_message WHERE seq = ? AND claims = ? AND owner IS NOT NULL",
      message,
    );
  }

  /** Not done: it keeps its place, and is claimed again from `due` on. */
  defer(message: MailboxMessage, due: number = this.now()): boolean {
    return this.settle(
      "UPDATE mailbox_message SET owner = NULL, due = ? WHERE seq = ? AND claims = ? AND owner IS NOT NULL",
      message,
      due,
    );
  }

  /** Given up: kept apart with the reason. */
  deadLetter(message: MailboxMessage, reason: string): boolean {
    return this.settle(
      "UPDATE mailbox_message SET owner = NULL, dead_reason = ? WHERE seq = ? AND claims = ? AND owner IS NOT NULL",
      message,
      reason,
    );
  }

  /** A dead letter waits again, at the place in its mailbox that it always had. */
  redrive(seq: number): boolean {
    return this.db.transaction(
      () =>
        this.db.run(
          "UPDATE mailbox_message SET dead_reason = NULL, due = ? WHERE seq = ? AND dead_reason IS NOT NULL",
          this.now(),
          seq,
        ) === 1,
    );
  }

  /** What waits and what is claimed, oldest first. */
  messages(mailbox: string): MailboxMessage[] {
    return this.messagesWhere(mailbox, "dead_reason IS NULL");
  }

  deadLetters(mailbox: string): MailboxMessage[] {
    return this.messagesWhere(mailbox, "dead_reason IS NOT NULL");
  }

  private messagesWhere(mailbox: string, rule: string): MailboxMessage[] {
    const query = `SELECT ${columns} FROM mailbox_message WHERE mailbox = ? AND ${rule} ORDER BY seq`;
    return this.db.all(query, mailbox).map((row) => this.messageOf(row));
  }

  /** How many wait or are claimed. */
  length(mailbox: string): number {
    const sql = "SELECT count(*) AS n FROM mailbox_message WHERE mailbox = ? AND dead_reason IS NULL";
    return Number(this.db.get(sql, mailbox)?.n);
  }

  /** Removes everything of a mailbox; gives how many messages that were. */
  clear(mailbox: string): number {
    return this.db.transaction(() => this.db.run("DELETE FROM mailbox_message WHERE mailbox = ?", mailbox));
  }

  /** Removes what waits, or of that the message with this key; what is claimed, and dead letters, stay. */
  withdraw(mailbox: string, key?: string): number {
    const [also, values] = key === undefined ? ["", []] : [" AND key = ?", [key]];
    return this.db.transaction(() =>
      this.db.run(
        `DELETE FROM mailbox_message WHERE mailbox = ? AND owner IS NULL AND dead_reason IS NULL${also}`,
        mailbox,
        ...values,
      ),
    );
  }

  /** When the next message that nobody has claimed is due, for timers; of mailboxes as in `claim`. */
  nextDue(mailbox: string): number | undefined {
    const [where, values] = namedMailbox(mailbox);
    const row = this.db.get(
      `SELECT min(due) AS due FROM mailbox_message WHERE dead_reason IS NULL AND owner IS NULL AND ${where}`,
      ...values,
    );
    return row?.due === null || row === undefined ? undefined : Number(row.due);
  }

  /** Of each mailbox the claimed message, else the oldest due one. */
  private heads(mailbox: string, now: number): SqlRow[] {
    const [where, values] = namedMailbox(mailbox);
    // With `min`, SQLite takes the other columns from the row that has it.
    return this.db.all(
      `SELECT ${columns}, min(seq + (owner IS NULL) * ${2 ** 52}) AS rank FROM mailbox_message
       WHERE dead_reason IS NULL AND (due <= ? OR owner IS NOT NULL) AND ${where}
       GROUP BY mailbox ORDER BY rank`,
      now,
      ...values,
    );
  }

  private hasKey(mailbox: string, key: string): boolean {
    const sql =
      "SELECT 1 AS found FROM mailbox_message WHERE mailbox = ? AND key = ? AND dead_reason IS NULL";
    return this.db.get(sql, mailbox, key) !== undefined;
  }

  private messageOf(row: SqlRow): MailboxMessage {
    return {
      seq: Number(row.seq),
      mailbox: String(row.mailbox),
      body: this.json.read(row.body, `a message of the mailbox ${row.mailbox}`),
      key: row.key === null ? undefined : String(row.key),
      enqueued: Number(row.enqueued),
      due: Number(row.due),
      claims: Number(row.claims),
      isClaimed: row.owner !== null,
      deadReason: row.dead_reason === null ? undefined : String(row.dead_reason),
    };
  }

  private settle(sql: string, message: MailboxMessage, ...first: (string | number)[]): boolean {
    return this.db.transaction(() => this.db.run(sql, ...first, message.seq, message.claims) === 1);
  }
}

/** One mailbox by name, or all that begin alike: a condition and its values. */
function namedMailbox(mailbox: string): readonly [string, readonly string[]] {
  if (!mailbox.endsWith("*")) return ["mailbox = ?", [mailbox]];
  const prefix = mailbox.slice(0, -1);
  return ["substr(mailbox, 1, length(?)) = ?", [prefix, prefix]];
}
