/** What may be asked of an engine besides the operation, and what it tells of changes. */
import type { Lease, MailboxMessage } from "../store/index.ts";

export interface OperateOptions {
  /** Only as its owner: a `StoreError` "taken" when it belongs to somebody else by now. */
  readonly lease?: Lease;
  /** Acknowledges the message in the same transaction: a `StoreError` "taken", and nothing is written, when its claim is lost. */
  readonly message?: MailboxMessage;
  /**
   * For what must happen once: whoever repeats the operation with this key, because nobody knows whether it happened, gets
   * what it gave the first time. Kept for 30 days.
   */
  readonly key?: string;
}

/** Something within these scopes may have changed: look again. A hint; the rows count. */
export interface Change {
  readonly scopes: readonly string[];
}

/** What of a clock waiting needs; milliseconds. */
export interface WaitClock {
  now(): number;
  /** Rejects when the signal ends it. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
