/** Keys and values by space: JSON, durable when the call returns. */
import type { Json } from "../effects/index.ts";
import type { Database, SqlRow } from "./database.ts";
import type { KeptJson } from "./kept-json.ts";

export interface StoreEntry {
  readonly key: string;
  readonly value: Json;
  /** Milliseconds since the epoch. */
  readonly changed: number;
}

export class Entries {
  private readonly db: Database;
  private readonly now: () => number;
  private readonly json: KeptJson;
  constructor(db: Database, now: () => number, json: KeptJson) {
    this.db = db;
    this.now = now;
    this.json = json;
  }

  get(space: string, key: string): Json | undefined {
    const row = this.db.get("SELECT value FROM entry WHERE space = ? AND key = ?", space, key);
    return row === undefined
      ? undefined
      : this.json.read(row.value, `the entry ${space} ${key} of the store`);
  }

  set(space: string, key: string, value: Json): void {
    this.db.transaction(() => this.write(space, key, value));
  }

  /** Reads and writes with nobody in between; `undefined` removes the entry. Gives the new value. */
  update(
    space: string,
    key: string,
    change: (before: Json | undefined) => Json | undefined,
  ): Json | undefined {
    return this.db.transaction(() => {
      const value = change(this.get(space, key));
      if (value === undefined) this.remove(space, key);
      else this.write(space, key, value);
      return value;
    });
  }

  /** True when there was one. */
  delete(space: string, key: string): boolean {
    return this.db.transaction(() => this.remove(space, key));
  }

  /** The entries of a space whose keys begin with `prefix`, sorted by key. */
  list(space: string, prefix = ""): StoreEntry[] {
    return this.db
      .all(
        "SELECT key, value, changed FROM entry WHERE space = ? AND substr(key, 1, length(?)) = ? ORDER BY key",
        space,
        prefix,
        prefix,
      )
      .map((row) => this.entryOf(row));
  }

  /** The next entries of a space after a key, or the first ones, sorted by key: for those that are too many to be read at once. */
  page(space: string, after: string | null, limit: number): StoreEntry[] {
    // A key may be empty: the first page begins with it.
    return this.db
      .all(
        `SELECT key, value, changed FROM entry WHERE space = ? AND key ${after === null ? ">=" : ">"} ? ORDER BY key LIMIT ?`,
        space,
        after ?? "",
        limit,
      )
      .map((row) => this.entryOf(row));
  }

  private write(space: string, key: string, value: Json): void {
    this.db.run(
      "INSERT OR REPLACE INTO entry (space, key, value, changed) VALUES (?, ?, ?, ?)",
      space,
      key,
      this.json.write(value),
      this.now(),
    );
  }

  private remove(space: string, key: string): boolean {
    return this.db.run("DELETE FROM entry WHERE space = ? AND key = ?", space, key) === 1;
  }

  private entryOf(row: SqlRow): StoreEntry {
    return {
      key: String(row.key),
      value: this.json.read(row.value, `the entry ${String(row.key)} of the store`),
      changed: Number(row.changed),
    };
  }
}
