/**
 * Rows of a table by its declared columns: a plain look and a plain write for those who know no SQL. Secrets stand in what was said by
 * name (`KeptJson`), and nobody above sees that.
 */
import { damagedPart, hasHash, sha256 } from "./checked-text.ts";
import type { Column, Database, SqlRow } from "./database.ts";
import type { KeptJson } from "./kept-json.ts";
import { keptColumns } from "./schema/kept-columns.ts";

export interface TableShape {
  /** Columns of the primary key: rows are given in their order. */
  readonly key: readonly string[];
  readonly columns: readonly string[];
}

/** Which cells of which rows. */
export interface CellsPage {
  readonly columns: readonly string[];
  /** Rows whose first column of the key is above this one, and not above that one; null: no bound. */
  readonly after: number | null;
  readonly upTo: number | null;
  /** At most so many rows. */
  readonly limit: number;
}

export class Tables {
  private readonly db: Database;
  private readonly json: KeptJson;
  constructor(db: Database, json: KeptJson) {
    this.db = db;
    this.json = json;
  }

  private shown(table: string, rows: SqlRow[]): SqlRow[] {
    return rows.map((row) => this.json.shownRow(table, row));
  }

  /** Rows whose columns have these values, at most `limit`. */
  rows(
    table: string,
    shape: TableShape,
    where: { readonly [column: string]: Column },
    limit: number,
  ): SqlRow[] {
    const { condition, values } = fitting(shape, where);
    const sql = `SELECT ${shape.columns.join(", ")} FROM ${table}${condition} ORDER BY ${shape.key.join(", ")} LIMIT ?`;
    return this.shown(table, this.db.records(sql, shape.columns, ...values, limit));
  }

  /** Rows whose columns have these values, each a list of the values of some columns. */
  cells(
    table: string,
    shape: TableShape,
    where: { readonly [column: string]: Column },
    { columns, after, upTo, limit }: CellsPage,
  ): Column[][] {
    const { condition, values } = fitting(shape, where);
    const [first] = shape.key as [string];
    const bounds = [...(after === null ? [] : [`${first} > ?`]), ...(upTo === null ? [] : [`${first} <= ?`])];
    const all = [...(condition === "" ? [] : [condition.slice(" WHERE ".length)]), ...bounds];
    const sql = `SELECT ${columns.join(", ")} FROM ${table}${all.length === 0 ? "" : ` WHERE ${all.join(" AND ")}`} ORDER BY ${shape.key.join(", ")} LIMIT ?`;
    const ends = [after, upTo].filter((end) => end !== null);
    const lists = this.db.lists(sql, ...values, ...ends, limit);
    for (const [at, column] of columns.entries()) {
      if (keptColumns[table]?.[column] === undefined) continue;
      for (const list of lists) list[at] = this.json.shownCell(table, column, list[at] as Column);
    }
    return lists;
  }

  /** How many there are. */
  count(table: string, shape: TableShape, where: { readonly [column: string]: Column }): number {
    const { condition, values } = fitting(shape, where);
    return Number(this.db.get(`SELECT count(*) AS n FROM ${table}${condition}`, ...values)?.n);
  }

  /**
   * The same from the last key downwards: below `before` in the last column of the key, from the end when that is null.
   */
  latest(
    table: string,
    shape: TableShape,
    where: { readonly [column: string]: Column },
    { before, limit }: { readonly before: Column; readonly limit: number },
  ): SqlRow[] {
    const key = shape.key.at(-1) as string;
    const names = shape.columns.filter((column) => where[column] !== undefined);
    const conditions = names.map((name) => `${name} IS ?`);
    if (before !== null) conditions.push(`${key} < ?`);
    const condition = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
    const sql = `SELECT ${shape.columns.join(", ")} FROM ${table}${condition} ORDER BY ${key} DESC LIMIT ?`;
    const values = names.map((name) => where[name] ?? null);
    const ends = before === null ? [] : [before];
    return this.shown(table, this.db.records(sql, shape.columns, ...values, ...ends, limit));
  }

  /** Inserts a row without the key that SQLite gives it; gives the key. */
  insert(table: string, row: { readonly [column: string]: Column }): number {
    const columns = Object.keys(row);
    const places = columns.map(() => "?").join(", ");
    const hidden = this.json.hiddenRow(table, row);
    const values = columns.map((column) => hidden[column] ?? null);
    return this.db.insert(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`, ...values);
  }

  /** Removes the rows whose columns have these values; gives how many there were. */
  remove(table: string, where: { readonly [column: string]: Column }): number {
    const names = Object.keys(where);
    const condition = names.map((name) => `${name} IS ?`).join(" AND ");
    return this.db.run(
      `DELETE FROM ${table} WHERE ${condition}`,
      ...names.map((name) => where[name] ?? null),
    );
  }

  /**
   * Row ids of a table with a full-text index `TABLE_words` whose rows have all of these words, by rank. Each word is a
   * phrase of its own: nothing in it is syntax. The last letters of a word may be missing.
   */
  matching(table: string, words: readonly string[], limit: number): number[] {
    const phrases = words.map((word) => word.replaceAll('"', " ").trim()).filter((word) => word !== "");
    if (phrases.length === 0) return [];
    const query = phrases.map((word) => `"${word}"*`).join(" ");
    const sql = `SELECT rowid AS id FROM ${table}_words WHERE ${table}_words MATCH ? ORDER BY rank, rowid DESC LIMIT ?`;
    return this.db.all(sql, query, limit).map((row) => Number(row.id));
  }

  /** Keeps a text once by the hash of its content (64 hexadecimal digits); gives its number. */
  keepPiece(hash: string, text: string): number {
    const body = this.json.hiddenPiece(text);
    // A journal may keep the same text as it is: what is in an envelope lies under a key of its own.
    const key = Buffer.from(body === text ? hash : keyOfHidden(hash), "hex");
    this.db.run("INSERT OR IGNORE INTO blob (hash, body) VALUES (?, ?)", key, body);
    return Number(this.db.get("SELECT id FROM blob WHERE hash = ?", key)?.id);
  }

  /** The number of a kept text by its hash; `undefined` when there is none. */
  pieceOf(hash: string): number | undefined {
    for (const key of [hash, keyOfHidden(hash)]) {
      const row = this.db.get("SELECT id FROM blob WHERE hash = ?", Buffer.from(key, "hex"));
      if (row !== undefined) return Number(row.id);
    }
    return undefined;
  }

  /** A kept text by its number. */
  piece(id: number): string | undefined {
    const row = this.db.get("SELECT hash, body FROM blob WHERE id = ?", id);
    if (row === undefined) return undefined;
    const body = String(row.body);
    const hash = Buffer.from(row.hash as Uint8Array).toString("hex");
    const shown =
      this.json.shownPiece(body) ?? (sha256(body) === hash || hasHash(body, hash) ? body : undefined);
    if (shown === undefined) throw damagedPart(`a piece of what is kept (${hash.slice(0, 12)}…)`);
    return shown;
  }

  /** Inserts the row, or replaces the other columns of the one with its key. */
  write(table: string, { key, columns }: TableShape, row: { readonly [column: string]: Column }): void {
    const others = columns.filter((column) => !key.includes(column));
    const changed = others.map((column) => `${column} = excluded.${column}`).join(", ");
    const hidden = this.json.hiddenRow(table, row);
    this.db.run(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})
       ON CONFLICT (${key.join(", ")}) DO ${changed === "" ? "NOTHING" : `UPDATE SET ${changed}`}`,
      ...columns.map((column) => hidden[column] ?? null),
    );
  }
}

const keyOfHidden = (hash: string): string => sha256(`hidden:${hash}`);

/** What rows must have: the named columns, compared so that null is a value. */
function fitting(
  shape: TableShape,
  where: { readonly [column: string]: Column },
): { readonly condition: string; readonly values: Column[] } {
  const names = shape.columns.filter((column) => where[column] !== undefined);
  return {
    condition: names.length === 0 ? "" : ` WHERE ${names.map((name) => `${name} IS ?`).join(" AND ")}`,
    values: names.map((name) => where[name] ?? null),
  };
}
