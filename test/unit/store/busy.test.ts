/** A lock that another process holds: it is asked for every few milliseconds, by whatever statement, and given up in time. */
// suite: slow
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { SqliteModule } from "../../../src/process/index.ts";
import { Database } from "../../../src/store/database.ts";
import { StoreError } from "../../../src/store/index.ts";
import { tempFolders } from "../../support/temp-folder.ts";

const freshFolder = tempFolders("busy");

let refusals = 0;

/** What SQLite answers while another process holds the lock. */
function look(): void {
  if (refusals === 0) return;
  refusals -= 1;
  throw Object.assign(new Error("database is locked"), { code: "ERR_SQLITE_ERROR", errcode: 5 });
}

const timeouts: unknown[] = [];

class Contended extends DatabaseSync {
  constructor(file: string, options: { readonly timeout?: number }) {
    super(file, options);
    timeouts.push(options.timeout);
  }
  override exec(sql: string): void {
    look();
    super.exec(sql);
  }
  override prepare(sql: string): StatementSync {
    const statement = super.prepare(sql);
    for (const name of ["run", "get", "all", "iterate"] as const) {
      const plain = statement[name].bind(statement) as (...values: unknown[]) => unknown;
      Object.defineProperty(statement, name, {
        value: (...values: unknown[]) => {
          look();
          return plain(...values);
        },
      });
    }
    return statement;
  }
}

const contended = { ...process.getBuiltinModule("node:sqlite"), DatabaseSync: Contended } as SqliteModule;

function database(busyTimeoutMs?: number): Database {
  const file = join(freshFolder(), "a.db");
  const db = new Database(file, {
    sqlite: contended,
    ...(busyTimeoutMs === undefined ? {} : { busyTimeoutMs }),
  });
  db.exec("CREATE TABLE t (n INTEGER)");
  db.run("INSERT INTO t VALUES (?)", 7);
  return db;
}

const ways: { readonly [way: string]: readonly [work: (db: Database) => unknown, result: unknown] } = {
  exec: [(db) => db.exec("DELETE FROM t"), undefined],
  run: [(db) => db.run("DELETE FROM t"), 1],
  insert: [(db) => db.insert("INSERT INTO t VALUES (8)"), 2],
  get: [(db) => db.get("SELECT n FROM t")?.n, 7],
  all: [(db) => db.all("SELECT n FROM t").map(({ n }) => n), [7]],
  records: [(db) => db.records("SELECT n FROM t", ["n"]), [{ n: 7 }]],
  lists: [(db) => db.lists("SELECT n FROM t"), [[7]]],
  each: [
    (db) => {
      const seen: unknown[] = [];
      db.each("SELECT n FROM t UNION ALL SELECT 8", ({ n }) => seen.push(n));
      return seen;
    },
    [7, 8],
  ],
  look: [(db) => db.look(() => "seen"), "seen"],
  transaction: [(db) => db.transaction(() => db.run("UPDATE t SET n = 9")), 1],
};

test.each(Object.keys(ways))("%s gets the lock at the fiftieth look", (way) => {
  const [work, result] = ways[way] as (typeof ways)[string];
  const db = database();
  refusals = 49;
  expect(work(db)).toEqual(result);
  expect(refusals).toBe(0);
  db.close();
});

test("SQLite does not wait by itself: its pauses grow to a tenth of a second, and others commit in between", () => {
  timeouts.length = 0;
  database().close();
  expect(timeouts).toEqual([0]);
});

test("a lock that is never free is given up, and said", () => {
  const db = database(50);
  refusals = Number.POSITIVE_INFINITY;
  let fault: unknown;
  try {
    db.transaction(() => null);
  } catch (error) {
    fault = error;
  }
  refusals = 0;
  expect(fault).toBeInstanceOf(StoreError);
  expect(fault).toMatchObject({ fault: "busy" });
  expect((fault as StoreError).message).toMatch(/another process has held it for too long/);
  expect(db.transaction(() => db.get("SELECT n FROM t")?.n)).toBe(7);
  db.close();
});
