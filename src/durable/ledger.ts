/**
 * The port behind which a project's durable state lies: operations over transactions, mailboxes, and hints of what has changed.
 * One engine now (`embedded.ts`, the SQLite file of a project); a second one changes nothing in its callers.
 */
import type { Lease, MailboxMessage } from "../store/index.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Operation } from "./operation.ts";

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

/** Runs an operation and waits for it: for those who are asked synchronously (builtins inside an effect). */
export type Operate = <Args, Result>(
  operation: Operation<Args, Result>,
  args: Args,
  options?: OperateOptions,
) => Result;

/** Something within these scopes may have changed: look again. A hint; the rows count. */
export interface Change {
  readonly scopes: readonly string[];
}

export interface Ledger {
  /** Resolves when what it wrote is durable. */
  operate<Args, Result>(
    operation: Operation<Args, Result>,
    args: Args,
    options?: OperateOptions,
  ): Promise<Result>;
  /** Of an operation that only looks. */
  read<Args, Result>(operation: Operation<Args, Result>, args: Args): Promise<Result>;
  /** Mailboxes and leases. */
  readonly dispatcher: Dispatcher;
  /** A hint each time that something in one of these scopes may have changed, until the signal ends it. */
  changes(scopes: readonly string[], signal: AbortSignal): AsyncIterable<Change>;
  close(): Promise<void>;
}

/** What of a clock waiting needs; milliseconds. */
export interface WaitClock {
  now(): number;
  /** Rejects when the signal ends it. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
