/**
 * The sessions of a project: the operations on them (`durable/operations/sessions/`), which can be repeated as those say, and
 * who works on one.
 */
import {
  clientOf,
  EmbeddedOperations,
  type Engine,
  missingSession,
  type SessionEvent,
  type SessionRecord,
  sessionOperations,
  workBox,
} from "../../../durable/index.ts";
import { type Lease, leaseMs, type Store, StoreError, thisProcess } from "../../../store/index.ts";

const pageSize = 200;

export class SessionStore extends clientOf(sessionOperations) {
  readonly store: Store;

  constructor(store: Store, engine: Engine = new EmbeddedOperations(store)) {
    super(engine);
    this.store = store;
  }

  /** The same sessions for a step of a script: repeated with the same token, it gets what it gave the first time. */
  once(token: string): SessionStore {
    const { engine } = this;
    return new SessionStore(this.store, {
      operateSync: (operation, args) =>
        engine.operateSync(operation, args, { key: `${operation.name}/${token}` }),
    });
  }

  mustFind(name: string): SessionRecord {
    const record = this.find({ name });
    if (record !== undefined) return record;
    throw missingSession(name);
  }

  /** Walks over the events after a number, without reading them all at once. */
  *eventsFrom(name: string, after: number): Generator<SessionEvent> {
    for (let at = after; ; ) {
      const page = this.events({ name, after: at, limit: pageSize });
      yield* page;
      if (page.length < pageSize) return;
      at = page[page.length - 1]?.n ?? at;
    }
  }

  /**
   * Takes the session's lease; `undefined` when this process has it already. Throws while another process has it. An
   * owner on this machine keeps it as long as it lives, one elsewhere for `ms` unless it renews.
   */
  hold(name: string, ms: number = leaseMs): Lease | undefined {
    const holder = this.store.leases.leaseOwner(workBox("session", name));
    if (holder?.owner === thisProcess()) return undefined;
    const lease = this.store.leases.take(workBox("session", name), ms);
    if (lease !== undefined) return lease;
    const who = this.holder(name) ?? "another process";
    throw new StoreError("taken", `the session ${name} is being run by ${who}`, [
      "wait until it has ended; what you send meanwhile is handled afterwards",
    ]);
  }

  /** Who runs it now, in words. */
  holder(name: string): string | undefined {
    return this.store.leases.leaseOwner(workBox("session", name))?.who;
  }
}
