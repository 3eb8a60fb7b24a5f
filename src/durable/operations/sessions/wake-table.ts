/**
 * The wakes that wait. A wake in the table is durable; when it is due, orchestration takes it out and makes an event of it in
 * one step.
 */
import { StoreError } from "../../../store/index.ts";
import { allEntries } from "../../entries.ts";
import type { Tx } from "../../tx.ts";
import type { Wake } from "./wakes.ts";

export const maxWakes = 32;

export interface StoredWake extends Wake {
  readonly queued: number;
  readonly by: "agent" | "user";
}

const spaceOf = (session: string): string => `session.wakes/${session}`;

/** The waiting wakes of all sessions. Called inside the transactions of those who change a session. */
export class WakeTable {
  private readonly tx: Tx;
  constructor(tx: Tx) {
    this.tx = tx;
  }

  /** Soonest first. */
  list(session: string): StoredWake[] {
    return [...allEntries(this.tx, spaceOf(session))]
      .map(({ value }) => value as unknown as StoredWake)
      .sort((a, b) => a.due - b.due || (a.key < b.key ? -1 : 1));
  }

  /** One of the same key is replaced. */
  put(session: string, wake: StoredWake): void {
    if (!this.hasRoom(session, wake.key)) {
      throw new StoreError(
        "full",
        `${maxWakes} wakes of the session ${session} are waiting; more are not taken`,
      );
    }
    this.tx.put(spaceOf(session), wake.key, { ...wake });
  }

  /** Whether a wake of this key would be taken. */
  hasRoom(session: string, key: string): boolean {
    const waiting = this.list(session);
    return waiting.length < maxWakes || waiting.some((wake) => wake.key === key);
  }

  /** True when there was one. */
  cancel(session: string, key: string): boolean {
    const isThere = this.tx.get(spaceOf(session), key) !== undefined;
    if (isThere) this.tx.put(spaceOf(session), key, undefined);
    return isThere;
  }

  /** Takes those out that are due. */
  takeDue(session: string, now: number): StoredWake[] {
    const due = this.list(session).filter((wake) => wake.due <= now);
    for (const { key } of due) this.cancel(session, key);
    return due;
  }

  nextDue(session: string): number | undefined {
    return this.list(session)[0]?.due;
  }
}
