/** A transaction of the embedded store as operations see it. Each call is one statement or a few; nothing is kept in between. */
import type { Json } from "../effects/index.ts";
import {
  type CellsPage,
  type EnqueueOptions,
  type Lease,
  type NewStreamEvent,
  type Store,
  type StoreEntry,
  type StreamEvent,
  thisProcess,
} from "../store/index.ts";
import { type RowOf, type TableName, tableShapes } from "./tables.ts";
import type { Cells, Tx } from "./tx.ts";

export class EmbeddedTx implements Tx {
  readonly now: number;
  private readonly store: Store;

  /** Inside a transaction of the store. */
  constructor(store: Store) {
    this.store = store;
    this.now = store.now();
  }

  get(space: string, key: string): Json | undefined {
    return this.store.entries.get(space, key);
  }

  put(space: string, key: string, value: Json | undefined): void {
    if (value === undefined) this.store.entries.delete(space, key);
    else this.store.entries.set(space, key, value);
  }

  page(space: string, after: string | null, limit: number): readonly StoreEntry[] {
    return this.store.entries.page(space, after, limit);
  }

  rows<T extends TableName>(
    table: T,
    where: Readonly<Partial<RowOf<T>>>,
    limit: number,
  ): readonly RowOf<T>[] {
    return this.store.tables.rows(
      table,
      tableShapes[table],
      where as Columns,
      limit,
    ) as unknown as RowOf<T>[];
  }

  cells<T extends TableName>(
    table: T,
    where: Readonly<Partial<RowOf<T>>>,
    page: CellsPage,
  ): readonly Cells[] {
    return this.store.tables.cells(table, tableShapes[table], where as Columns, page) as unknown as Cells[];
  }

  count<T extends TableName>(table: T, where: Readonly<Partial<RowOf<T>>>): number {
    return this.store.tables.count(table, tableShapes[table], where as Columns);
  }

  latest<T extends TableName>(
    table: T,
    where: Readonly<Partial<RowOf<T>>>,
    page: { readonly before: string | number | null; readonly limit: number },
  ): readonly RowOf<T>[] {
    const rows = this.store.tables.latest(table, tableShapes[table], where as Columns, page);
    return rows as unknown as RowOf<T>[];
  }

  write<T extends TableName>(table: T, row: RowOf<T>): void {
    this.store.tables.write(table, tableShapes[table], row as unknown as Columns);
  }

  insert<T extends TableName>(table: T, row: Omit<RowOf<T>, "id">): number {
    return this.store.tables.insert(table, row as unknown as Columns);
  }

  remove<T extends TableName>(table: T, where: Readonly<Partial<RowOf<T>>>): number {
    return this.store.tables.remove(table, where as Columns);
  }

  matching(table: "library" | "note", words: readonly string[], limit: number): readonly number[] {
    return this.store.tables.matching(table, words, limit);
  }

  keepPiece(hash: string, text: string): number {
    return this.store.tables.keepPiece(hash, text);
  }

  pieceOf(hash: string): number | undefined {
    return this.store.tables.pieceOf(hash);
  }

  piece(id: number): string | undefined {
    return this.store.tables.piece(id);
  }

  send(mailbox: string, body: Json, options?: EnqueueOptions): boolean {
    return this.store.mailboxes.enqueue(mailbox, body, options) !== undefined;
  }

  withdraw(mailbox: string, key?: string): number {
    return this.store.mailboxes.withdraw(mailbox, key);
  }

  receive(mailbox: string): Json | undefined {
    const { mailboxes } = this.store;
    const message = mailboxes.claim(mailbox, 0, thisProcess());
    if (message === undefined) return undefined;
    mailboxes.ack(message);
    return message.body;
  }

  messages(mailbox: string): readonly Json[] {
    return this.store.mailboxes.messages(mailbox).map(({ body }) => body);
  }

  event(stream: string, type: string, body: Json, at: number = this.now): number {
    return this.store.streams.append(stream, { at, type, body });
  }

  append(stream: string, events: readonly NewStreamEvent[]): number {
    return this.store.streams.appendAll(stream, events);
  }

  events(stream: string, after: number, limit: number): readonly StreamEvent[] {
    return this.store.streams.after(stream, after, limit);
  }

  streams(prefix: string): readonly (readonly [string, number])[] {
    return this.store.streams.list(prefix);
  }

  clearStream(stream: string): void {
    this.store.streams.clear(stream);
  }

  mustHold(lease: Lease): void {
    this.store.leases.mustHold(lease);
  }
}

type Columns = { readonly [column: string]: string | number | null };
