/** Rows of a table by its declared columns: a plain look and a plain write for those who know no SQL. */
import type { Column, Database, Row } from "./database.ts";

export interface TableShape {
  /** Columns of the primary key: rows are given in their order. */
  readonly key: readonly string[];
  readonly columns: readonly string[];
}

export class Tables {
  private readonly db: Database;
  constructor(db: Database) {
    this.db = db;
  }

  /** Rows whose columns have these values, at most `limit`. */
  rows(table: string, shape: TableShape, where: { readonly [column: string]: Column }, limit: number): Row[] {
    const names = shape.columns.filter((column) => where[column] !== undefined);
    const condition = names.length === 0 ? "" : ` WHERE ${names.map((name) => `${name} IS ?`).join(" AND ")}`;
    const sql = `SELECT ${shape.columns.join(", ")} FROM ${table}${condition} ORDER BY ${shape.key.join(", ")} LIMIT ?`;
    return this.db.all(sql, ...names.map((name) => where[name] ?? null), limit);
  }

  /** Inserts the row, or replaces the other columns of the one with its key. */
  write(table: string, { key, columns }: TableShape, row: { readonly [column: string]: Column }): void {
    const others = columns.filter((column) => !key.includes(column));
    const changed = others.map((column) => `${column} = excluded.${column}`).join(", ");
    this.db.run(
      `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})
       ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${changed}`,
      ...columns.map((column) => row[column] ?? null),
    );
  }
}
