/**
 * Work that outlives processes, inside one transaction and whatever its kind: a record that goes from state to state, and a mailbox
 * `KIND:ID` by which a service sees that there is something to do. What differs between kinds is a row: where its records lie, and
 * what they are among the states of all work.
 */
import type { Json } from "../../effects/index.ts";
import type { EnqueueOptions, StoreError } from "../../store/index.ts";
import { allEntries } from "../entries.ts";
import type { Tx } from "../tx.ts";
import { type DurableKind, moved, type WorkStatus } from "./status.ts";

/** The mailbox of a work, and the name of the lease of who works on it; `*`: the mailboxes of all of its kind. */
export const workBox = (kind: DurableKind, id: string): string => `${kind}:${id}`;

/** Whose mailbox it is. */
export const idOfBox = (mailbox: string): string => mailbox.slice(mailbox.indexOf(":") + 1);

export interface DurableRow<R> {
  readonly kind: DurableKind;
  readonly status: (record: R) => WorkStatus;
  readonly find: (tx: Tx, id: string) => R | undefined;
  readonly write: (tx: Tx, record: R) => void;
  /** Somebody asks for one that was never made. */
  readonly missing: (id: string, tx: Tx) => StoreError;
}

export class DurableWork<R> {
  readonly tx: Tx;
  private readonly row: DurableRow<R>;

  constructor(tx: Tx, row: DurableRow<R>) {
    this.tx = tx;
    this.row = row;
  }

  find(id: string): R | undefined {
    return this.row.find(this.tx, id);
  }

  mustFind(id: string): R {
    const record = this.find(id);
    if (record === undefined) throw this.row.missing(id, this.tx);
    return record;
  }

  protected keep(record: R): R {
    this.row.write(this.tx, record);
    return record;
  }

  /** The record after a change of its state, if that way is open. */
  protected way(before: R | undefined, after: R): R {
    if (before !== undefined) moved(this.row.status(before), this.row.status(after));
    return after;
  }

  /** A service has something to do here. */
  protected notify(id: string, body: Json, options: EnqueueOptions): void {
    this.tx.send(workBox(this.row.kind, id), body, options);
  }

  /** What nobody has begun to do is not to be done. */
  clearMailbox(id: string): void {
    this.tx.withdraw(workBox(this.row.kind, id));
  }
}

/** Records that are entries of a space, under their names. `check` gives what was stored, or says what is wrong with it. */
export const inEntries = <R extends { readonly name: string }>(
  space: string,
  check: (name: string, stored: Json) => R = (_, stored) => stored as unknown as R,
) => ({
  find: (tx: Tx, name: string): R | undefined => {
    const stored = tx.get(space, name);
    return stored === undefined ? undefined : check(name, stored);
  },
  write: (tx: Tx, record: R): void => tx.put(space, record.name, record as unknown as Json),
  /** All names, sorted; those of damaged records, too. */
  names: (tx: Tx): string[] => [...allEntries(tx, space)].map(({ key }) => key),
});
