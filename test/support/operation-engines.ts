/**
 * Two engines for operations besides the embedded one, in memory: `run` does an operation on a copy of the state, `unread`
 * as a database would: nothing is loaded at first, each look at something unknown begins the operation anew.
 */

import type { Cells, Tx } from "../../src/durable/index.ts";
import type { AnyOperation } from "../../src/durable/operation.ts";
import type { RowOf, TableName } from "../../src/durable/tables.ts";
import { tableShapes } from "../../src/durable/tables.ts";
import type { Json } from "../../src/effects/index.ts";
import {
  type CellsPage,
  type EnqueueOptions,
  type Lease,
  type NewStreamEvent,
  type StoreEntry,
  StoreError,
  type StreamEvent,
} from "../../src/store/index.ts";

interface Message {
  readonly key: string | undefined;
  readonly due: number;
  readonly body: Json;
}

/** Plain data, so that two states can be compared. */
export interface State {
  readonly entries: { [space: string]: { [key: string]: Json } };
  readonly tables: { [table: string]: { [column: string]: Json }[] };
  readonly mailboxes: { [mailbox: string]: Message[] };
  readonly streams: { [stream: string]: StreamEvent[] };
}

export const emptyState = (): State => ({ entries: {}, tables: {}, mailboxes: {}, streams: {} });

export const now = 1_700_000_000_000;

export class MemoryTx implements Tx {
  readonly now = now;
  readonly state: State;
  private readonly touch: (what: string) => void;

  constructor(state: State, touch: (what: string) => void = () => {}) {
    this.state = structuredClone(state);
    this.touch = touch;
  }

  get(space: string, key: string): Json | undefined {
    this.touch(`entry ${space} ${key}`);
    return frozen(this.state.entries[space]?.[key]);
  }

  put(space: string, key: string, value: Json | undefined): void {
    this.state.entries[space] ??= {};
    const entries = this.state.entries[space];
    if (value === undefined) delete entries[key];
    else entries[key] = structuredClone(value);
  }

  page(space: string, after: string | null, limit: number): readonly StoreEntry[] {
    this.touch(`page ${space} ${after} ${limit}`);
    return Object.entries(this.state.entries[space] ?? {})
      .filter(([key]) => after === null || key > after)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, limit)
      .map(([key, value]) => ({ key, value: frozen(value) as Json, changed: now }));
  }

  rows<T extends TableName>(table: T, where: Partial<RowOf<T>>, limit: number): readonly RowOf<T>[] {
    this.touch(`rows ${table} ${JSON.stringify(where)}`);
    return (this.state.tables[table] ?? [])
      .filter((row) => Object.entries(where).every(([column, value]) => row[column] === value))
      .slice(0, limit) as unknown as RowOf<T>[];
  }

  cells<T extends TableName>(
    table: T,
    where: Partial<RowOf<T>>,
    { columns, after, upTo, limit }: CellsPage,
  ): readonly Cells[] {
    const rows = this.rows(table, where, Number.POSITIVE_INFINITY) as unknown as {
      [column: string]: never;
    }[];
    const [key] = tableShapes[table].key as [string];
    return rows
      .filter(
        (row) => (after === null || Number(row[key]) > after) && (upTo === null || Number(row[key]) <= upTo),
      )
      .slice(0, limit)
      .map((row) => columns.map((column) => row[column] ?? null));
  }

  count<T extends TableName>(table: T, where: Partial<RowOf<T>>): number {
    return this.rows(table, where, Number.POSITIVE_INFINITY).length;
  }

  latest<T extends TableName>(
    table: T,
    where: Partial<RowOf<T>>,
    { before, limit }: { readonly before: string | number | null; readonly limit: number },
  ): readonly RowOf<T>[] {
    this.touch(`latest ${table} ${JSON.stringify(where)} ${before}`);
    const key = tableShapes[table].key.at(-1) as string;
    return (this.state.tables[table] ?? [])
      .filter((row) => Object.entries(where).every(([column, value]) => row[column] === value))
      .filter((row) => before === null || (row[key] as string | number) < before)
      .sort((a, b) => ((a[key] as string) < (b[key] as string) ? 1 : -1))
      .slice(0, limit) as unknown as RowOf<T>[];
  }

  write<T extends TableName>(table: T, row: RowOf<T>): void {
    const { key } = tableShapes[table];
    const input = { ...row } as unknown as { [column: string]: Json };
    this.state.tables[table] ??= [];
    const rows = this.state.tables[table];
    const at = rows.findIndex((one) => key.every((column) => one[column] === input[column]));
    if (at < 0) rows.push(input);
    else rows[at] = input;
  }

  insert<T extends TableName>(table: T, row: Omit<RowOf<T>, "id">): number {
    this.touch(`numbers ${table}`);
    this.state.tables[table] ??= [];
    const rows = this.state.tables[table];
    const id = rows.reduce((most, one) => Math.max(most, Number(one.id)), 0) + 1;
    rows.push({ id, ...(row as unknown as { [column: string]: Json }) });
    return id;
  }

  remove<T extends TableName>(table: T, where: Partial<RowOf<T>>): number {
    this.touch(`rows ${table} ${JSON.stringify(where)}`);
    const rows = this.state.tables[table] ?? [];
    const left = rows.filter((row) => !Object.entries(where).every(([key, value]) => row[key] === value));
    this.state.tables[table] = left;
    return rows.length - left.length;
  }

  matching(table: "library" | "note", words: readonly string[], limit: number): readonly number[] {
    this.touch(`words ${table} ${words.join(" ")}`);
    return (this.state.tables[table] ?? [])
      .filter((row) => words.every((word) => JSON.stringify(row).toLowerCase().includes(word.toLowerCase())))
      .map((row) => Number(row.id))
      .sort((a, b) => b - a)
      .slice(0, limit);
  }

  keepPiece(hash: string, text: string): number {
    this.touch("pieces");
    this.state.tables.blob ??= [];
    const known = this.state.tables.blob.find((one) => one.hash === hash);
    if (known === undefined) this.state.tables.blob.push({ hash, text });
    return this.state.tables.blob.findIndex((one) => one.hash === hash) + 1;
  }

  pieceOf(hash: string): number | undefined {
    this.touch("pieces");
    const at = (this.state.tables.blob ?? []).findIndex((one) => one.hash === hash);
    return at < 0 ? undefined : at + 1;
  }

  piece(id: number): string | undefined {
    this.touch("pieces");
    return this.state.tables.blob?.[id - 1]?.text as string | undefined;
  }

  send(mailbox: string, body: Json, options: EnqueueOptions = {}): boolean {
    this.touch(`mailbox ${mailbox}`);
    this.state.mailboxes[mailbox] ??= [];
    const waiting = this.state.mailboxes[mailbox];
    if (options.key !== undefined && waiting.some(({ key }) => key === options.key)) return false;
    if (options.capacity !== undefined && waiting.length >= options.capacity)
      throw new StoreError("full", `the mailbox ${mailbox} is full`);
    waiting.push({ key: options.key, due: options.due ?? now, body: structuredClone(body) });
    return true;
  }

  withdraw(mailbox: string, key?: string): number {
    this.touch(`mailbox ${mailbox}`);
    const before = this.state.mailboxes[mailbox] ?? [];
    const left = before.filter((one) => key !== undefined && one.key !== key);
    this.state.mailboxes[mailbox] = left;
    return before.length - left.length;
  }

  receive(mailbox: string): Json | undefined {
    this.touch(`mailbox ${mailbox}`);
    const waiting = this.state.mailboxes[mailbox] ?? [];
    const at = waiting.findIndex(({ due }) => due <= now);
    return at < 0 ? undefined : waiting.splice(at, 1)[0]?.body;
  }

  messages(mailbox: string): readonly Json[] {
    this.touch(`mailbox ${mailbox}`);
    return (this.state.mailboxes[mailbox] ?? []).map(({ body }) => body);
  }

  event(stream: string, type: string, body: Json, at: number = now): number {
    this.touch(`head ${stream}`);
    this.state.streams[stream] ??= [];
    const events = this.state.streams[stream];
    events.push({ seq: events.length + 1, at, type, body: structuredClone(body) });
    return events.length;
  }

  append(stream: string, events: readonly NewStreamEvent[]): number {
    this.touch(`head ${stream}`);
    const known = this.state.streams[stream] ?? [];
    this.state.streams[stream] = known;
    for (const { at, type, body, origin } of events) {
      if (origin !== undefined && known.some((one) => "origin" in one && one.origin === origin)) continue;
      const seq = known.length + 1;
      const made = { seq, at, type, body: structuredClone(body) };
      known.push(origin === undefined ? made : ({ ...made, origin } as StreamEvent));
    }
    return known.length;
  }

  events(stream: string, after: number, limit: number): readonly StreamEvent[] {
    this.touch(`events ${stream} ${after} ${limit}`);
    return (this.state.streams[stream] ?? []).slice(after, after + limit);
  }

  clearStream(stream: string): void {
    delete this.state.streams[stream];
  }

  streams(prefix: string): readonly (readonly [string, number])[] {
    this.touch(`streams ${prefix}`);
    return Object.entries(this.state.streams)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, events]) => [name, events.length] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }

  mustHold(_lease: Lease): void {}
}

/** What was read must not be changed: an engine may hand the same out again. */
function frozen(value: Json | undefined): Json | undefined {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

export interface Outcome {
  /** As JSON text, or the message of what it threw. */
  readonly result: string;
  readonly state: State;
}

export function run(operation: AnyOperation, args: Json, state: State): Outcome {
  return attempt(operation, args, new MemoryTx(state));
}

/** Something that was not loaded; the operation begins anew when it is. */
class Unread extends Error {}

export function runUnread(operation: AnyOperation, args: Json, state: State): Outcome {
  const loaded = new Set<string>();
  for (let attempts = 0; attempts < 1000; attempts++) {
    const missing: string[] = [];
    const tx = new MemoryTx(state, (what) => {
      // What an operation wrote itself is known: here everything is asked for once, which is the harder case.
      if (loaded.has(what)) return;
      missing.push(what);
      throw new Unread(what);
    });
    try {
      return attempt(operation, args, tx);
    } catch (error) {
      if (!(error instanceof Unread)) throw error;
      for (const what of missing) loaded.add(what);
    }
  }
  throw new Error(`${operation.name} does not end`);
}

function attempt(operation: AnyOperation, args: Json, tx: MemoryTx): Outcome {
  let result: string;
  try {
    const input = frozen(structuredClone(args)) as never;
    result = JSON.stringify(operation.run(tx, input) ?? null);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    result = `${error.fault}: ${error.message}`;
    // A transaction that failed has written nothing.
    return { result, state: emptyState() };
  }
  return { result, state: tx.state };
}
