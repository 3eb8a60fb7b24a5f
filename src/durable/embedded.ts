/**
 * The engine over the SQLite file of a project: an operation is one transaction of the store. It is done when the call returns:
 * builtins, whose effects are synchronous, wait for it.
 */
import type { Json } from "../effects/index.ts";
import { type Store, StoreError } from "../store/index.ts";
import { EmbeddedTx } from "./embedded-tx.ts";
import type { Change, OperateOptions, WaitClock } from "./ledger.ts";
import type { Engine, Operation } from "./operation.ts";
import { Waiters } from "./waiters.ts";

/** Operations alone, over a store that somebody else closes. */
export class EmbeddedOperations implements Engine {
  readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }

  operateSync<Args, Result>(
    operation: Operation<Args, Result>,
    args: Args,
    options: OperateOptions = {},
  ): Result {
    const { lease, message, key } = options;
    // What is read is true at one moment, and nobody who writes is waited for.
    if (operation.reads === true)
      return this.store.look(() => operation.run(new EmbeddedTx(this.store), args));
    const result = this.store.transaction(() => {
      if (lease !== undefined) this.store.leases.mustHold(lease);
      const run = (): Result => {
        if (message !== undefined && !this.store.mailboxes.ack(message))
          throw new StoreError(
            "taken",
            `message ${message.seq} of ${message.mailbox} was taken over by another process`,
          );
        return operation.run(new EmbeddedTx(this.store), args);
      };
      if (key === undefined) return run();
      return this.store.requestKeys.once(key, () => (run() ?? null) as Json) as Result;
    }, operation.commit !== "process");
    this.noteWritten(operation.scopes(args));
    return result;
  }

  /** Several operations, or what is written to files with them, as one transaction. */
  together<T>(work: () => T): T {
    return this.store.transaction(work);
  }

  /** Called after each operation that writes. */
  protected noteWritten(_scopes: readonly string[]): void {}
}

export class EmbeddedLedger extends EmbeddedOperations {
  private readonly clock: WaitClock;
  private readonly waiters = new Waiters();
  /** Of those who watch: the scopes that this process has written since they looked. */
  private readonly watches = new Set<ScopeWatch>();

  /** The store belongs to the ledger: `close` closes it. */
  constructor(store: Store, clock: WaitClock) {
    super(store);
    this.clock = clock;
  }

  /** Nothing that happens from this call on is missed. Other processes' changes are noticed together: all scopes are named then. */
  changes(scopes: readonly string[], signal: AbortSignal): AsyncGenerator<Change> {
    const watch = { scopes: new Set(scopes), written: new Set<string>() };
    const version = this.store.othersVersion();
    if (!signal.aborted) {
      this.watches.add(watch);
      signal.addEventListener("abort", () => this.watches.delete(watch), { once: true });
    }
    return this.follow(watch, version, signal);
  }

  private async *follow(watch: ScopeWatch, version: number, signal: AbortSignal): AsyncGenerator<Change> {
    for (let known = version; !signal.aborted; ) {
      const now = this.store.othersVersion();
      const changed = now === known ? [...watch.written] : [...watch.scopes];
      known = now;
      watch.written.clear();
      if (changed.length > 0) yield { scopes: changed };
      else await this.waiters.wait(this.clock, Number.POSITIVE_INFINITY, signal);
    }
  }

  async close(): Promise<void> {
    this.store.close();
  }

  protected override noteWritten(scopes: readonly string[]): void {
    for (const watch of this.watches)
      for (const scope of scopes) if (watch.scopes.has(scope)) watch.written.add(scope);
    this.waiters.wake();
  }
}

interface ScopeWatch {
  readonly scopes: ReadonlySet<string>;
  readonly written: Set<string>;
}
