/**
 * What an operation sees of a store: everything that it reads and writes in one transaction. An engine gives it (`embedded-tx.ts`
 * over SQLite); operations know nothing else of where they run.
 */
import type { Json } from "../effects/index.ts";
import type {
  CellsPage,
  EnqueueOptions,
  Lease,
  NewStreamEvent,
  StoreEntry,
  StreamEvent,
} from "../store/index.ts";
import type { RowOf, TableName } from "./tables.ts";

/** The values of a row in the order of the columns that were asked for. */
export type Cells = readonly (string | number | null)[];

export interface Tx {
  /** The store's clock, milliseconds since the epoch: the same in the whole transaction. */
  readonly now: number;

  /** The value of a key in a space of entries. */
  get(space: string, key: string): Json | undefined;
  /** `undefined` removes the entry. */
  put(space: string, key: string, value: Json | undefined): void;
  /** The entries of a space after a key (null: from the first), sorted by key, at most `limit`. */
  page(space: string, after: string | null, limit: number): readonly StoreEntry[];

  /** Rows of a declared table whose columns have these values, in the order of its key. */
  rows<T extends TableName>(table: T, where: Readonly<Partial<RowOf<T>>>, limit: number): readonly RowOf<T>[];
  /** The same rows, each a list of the values of some columns: for tables of which many rows are looked at. */
  cells<T extends TableName>(table: T, where: Readonly<Partial<RowOf<T>>>, page: CellsPage): readonly Cells[];
  /** How many there are of them. */
  count<T extends TableName>(table: T, where: Readonly<Partial<RowOf<T>>>): number;
  /** The same rows, from the last key downwards: below `before` in the last column of the key, from the end when that is null. */
  latest<T extends TableName>(
    table: T,
    where: Readonly<Partial<RowOf<T>>>,
    page: { readonly before: string | number | null; readonly limit: number },
  ): readonly RowOf<T>[];
  /** Inserts the row, or replaces the columns of the row with the same key. */
  write<T extends TableName>(table: T, row: RowOf<T>): void;

  /** Inserts a row of a table whose key is its number, which is given back. */
  insert<T extends TableName>(table: T, row: Omit<RowOf<T>, "id">): number;
  /** Removes the rows whose columns have these values; gives how many there were. */
  remove<T extends TableName>(table: T, where: Readonly<Partial<RowOf<T>>>): number;

  /** Numbers of the notes or references of the library whose text has all of these words, the best first. */
  matching(table: "library" | "note", words: readonly string[], limit: number): readonly number[];

  /** Keeps a text once by its content, whose SHA-256 (64 hexadecimal digits) is `hash`; gives its number. */
  keepPiece(hash: string, text: string): number;
  /** The number of the kept text with this hash; `undefined` when there is none. */
  pieceOf(hash: string): number | undefined;
  /** A kept text; `undefined` when there is none of that number. */
  piece(id: number): string | undefined;

  /** Enqueues a message. False: one with its key is there. A `StoreError` "full" when the capacity is used up. */
  send(mailbox: string, body: Json, options?: EnqueueOptions): boolean;
  /** Removes what waits in a mailbox, or only the message of this key; what is claimed stays. Gives how many those were. */
  withdraw(mailbox: string, key?: string): number;
  /** Claims and acknowledges the oldest due message; `undefined` while there is none, or one is claimed. */
  receive(mailbox: string): Json | undefined;
  /** Bodies of what waits or is claimed, oldest first. */
  messages(mailbox: string): readonly Json[];

  /** Appends to a stream; gives the event's number. `at`: when it happened, in milliseconds; default `now`. */
  event(stream: string, type: string, body: Json, at?: number): number;
  /** Appends several, but none whose origin the stream has; gives the number of the last event. */
  append(stream: string, events: readonly NewStreamEvent[]): number;
  /** The events of a stream after a number, oldest first, at most `limit`. */
  events(stream: string, after: number, limit: number): readonly StreamEvent[];
  /** Removes a stream: what it holds is told anew from elsewhere. */
  clearStream(stream: string): void;
  /** Streams whose names begin like this with the number of their last event, sorted by name. */
  streams(prefix: string): readonly (readonly [stream: string, last: number])[];

  /** Throws a `StoreError` "taken" when the lease belongs to somebody else by now. */
  mustHold(lease: Lease): void;
}
