/** builtins.md §2.26 against a real server: values, transactions, replay without the server, a kill inside a transaction. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CliResult } from "../../../support/command-environment.ts";
import { type PostgresServer, startPostgres } from "../../../support/postgres-server.ts";
import { harn } from "../../../support/run-cli.ts";
import { startHarn } from "../../../support/start-cli.ts";
import { tempFolders } from "../../../support/temp-folder.ts";

const freshFolder = tempFolders("pg-test");

const server: PostgresServer | undefined = await startPostgres();
let folder: string;

beforeAll(() => {
  folder = freshFolder();
});
afterAll(async () => {
  await server?.stop();
});

function put(text: string): string {
  const path = join(folder, "script.harn");
  writeFileSync(path, text);
  return path;
}

const env = (): Record<string, string> => ({ DB: server?.url ?? "" });
const run = (text: string, ...flags: string[]): CliResult =>
  harn(["run", ...flags, put(text)], { cwd: folder, env: env() });

// Without the server's programs for this platform there is nothing to test against.
describe.skipIf(server === undefined)("PostgreSQL", () => {
  beforeEach(async () => {
    await server?.query("DROP TABLE IF EXISTS t; CREATE TABLE t (id int PRIMARY KEY, note text)");
  });

  it("gives values as the page says, and takes parameters apart from the text", () => {
    const { stdout, stderr } = run(`
let db = pg_pool("env:DB", {application_name: "tests", max_connections: 2})
println(db)
let row = pg_query_one(db, "SELECT 9007199254740993::bigint AS big, 1::int2 AS small, 1.5::float8 AS f, 1.10::numeric AS n, true AS b, 'x''y' AS t, '{\\"a\\": [1]}'::jsonb AS j, '\\\\x00ff'::bytea AS y, ARRAY[1, NULL, 3] AS xs, ARRAY['a,b', 'c\\"d', 'NULL', NULL] AS ts, ARRAY[[1,2],[3,4]] AS m, TIMESTAMPTZ '2026-01-02 03:04:05.678+00' AS z, DATE '2026-01-02' AS d, NULL AS nothing, 'NaN'::float8 AS nan")
for key in keys(row) { println("\${key}: \${row[key]} \${type_of(row[key])}") }
let back = pg_query_one(db, "SELECT $1::text AS s, $2::int AS i, $3::jsonb AS j, $4::bytea AS y, $5::bigint AS ms, $6::bool AS b, $7::text AS nothing, $8::float8 AS f", ["a'; DROP TABLE t; --", 7, {k: [1, nil]}, bytes_from_hex("00ff"), 2s, false, nil, 0.1])
println(back)
println(pg_query_one(db, "SELECT current_setting('application_name') AS name").name)
println(pg_execute(db, "INSERT INTO t VALUES ($1, $2), ($3, $4)", [1, "a", 2, nil]))
println(pg_query(db, "SELECT * FROM t ORDER BY id"))
println(pg_query_one(db, "SELECT * FROM t WHERE id = 99"))
println(try { pg_query(db, "SELECT nope") })
println(try { pg_query(db, "BEGIN") })
println([pg_close(db), pg_close(db)])
println(pg_connect({env: "DB"}))
`);
    expect(stderr).toBe("");
    expect(stdout).toBe(`{_type: pg_pool, application_name: tests, id: pg_1, max_connections: 2}
b: true bool
big: 9007199254740993 int
d: 2026-01-02 string
f: 1.5 float
j: {a: [1]} dict
m: [[1, 2], [3, 4]] list
n: 1.10 string
nan: NaN float
nothing: nil nil
small: 1 int
t: x'y string
ts: [a,b, c"d, NULL, nil] list
xs: [1, nil, 3] list
y: b"00ff" bytes
z: 2026-01-02T03:04:05.678+00:00 string
{b: false, f: 0.1, i: 7, j: {k: [1, nil]}, ms: 2000, nothing: nil, s: a'; DROP TABLE t; --, y: b"00ff"}
tests
{rows_affected: 2}
[{id: 1, note: a}, {id: 2, note: nil}]
nil
Result.Err(pg_query: column "nope" does not exist)
Result.Err(pg_query: a pool runs each statement on any connection; use pg_transaction)
[true, false]
{_type: pg_pool, id: pg_2, max_connections: 1, single_connection: true}
`);
  });

  it("commits or rolls back, with settings of the transaction; a replay asks no server", () => {
    const text = `
let db = pg_pool("env:DB")
let seen = pg_transaction(db, { tx ->
  pg_execute(tx, "INSERT INTO t VALUES (1, 'kept')")
  pg_query_one(tx, "SELECT current_setting('my.tenant') AS tenant").tenant
}, {settings: {"my.tenant": "acme"}})
println(seen)
println(try { pg_transaction(db, { tx -> pg_execute(tx, "INSERT INTO t VALUES (2, 'lost')"); throw "no" }) })
println(try { pg_transaction(db, { tx -> pg_execute(tx, "INSERT INTO t VALUES (1, 'twice')") }) })
println(pg_query(db, "SELECT id FROM t"))
println(pg_query_one(db, "SELECT current_setting('my.tenant', true) AS tenant"))
let leaked = pg_transaction(db, { tx -> tx })
println(try { pg_query(leaked, "SELECT 1") })
`;
    const first = run(text);
    expect(first.stderr).toBe("");
    expect(first.stdout).toBe(`acme
Result.Err(no)
Result.Err(pg_execute: duplicate key value violates unique constraint "t_pkey")
[{id: 1}]
{tenant: }
Result.Err(Runtime error: pg_query: transaction \`tx_5\` is over)
`);
    const replayed = harn(["replay", "last"], { cwd: folder, env: { DB: "postgres://127.0.0.1:1/x" } });
    expect(replayed).toMatchObject({ stdout: first.stdout, stderr: "", status: 0 });
  });

  it("keeps passwords out of records and messages", () => {
    const { stdout } = run(`
let url = env("DB").replace("postgres://", "postgres://")
println(pg_pool(url).id)
println(try { pg_pool(url.replace("/postgres", "/no_such_database")) })
`);
    expect(stdout).toContain('database "no_such_database" does not exist');
    expect(harn(["runs", "export", "last", "out.jsonl"], { cwd: folder }).stderr).toBe("");
    const opened = readFileSync(join(folder, "out.jsonl"), "utf8")
      .split("\n")
      .filter((line) => line.includes("pg.open"));
    expect(opened.length).toBeGreaterThan(0);
    expect(opened.join("\n")).not.toContain("secretpw");
  });

  it("is refused where the network is", () => {
    const { stderr, status } = run(`pg_pool("env:DB")`, "--deny", "net");
    expect(status).toBe(1);
    expect(stderr).toContain("net");
    const scoped = run(`println(try { with_net_policy({allow: ["a.test"]}, { -> pg_pool("env:DB") }) })`);
    expect(scoped.stdout).toContain("EgressBlocked: pg_pool blocked 127.0.0.1");
  });

  it("begins a transaction again when the process was killed inside, and commits once", async () => {
    const path = put(`
let db = pg_pool("env:DB")
let n = pg_transaction(db, { tx ->
  pg_execute(tx, "INSERT INTO t VALUES (1, 'a')")
  println("inside")
  while !file_exists("go") { sleep(20) }
  pg_execute(tx, "INSERT INTO t VALUES (2, 'b')")
  len(pg_query(tx, "SELECT * FROM t"))
})
println("committed \${n}")
`);
    const started = startHarn(["run", path], { cwd: folder, env: env() });
    await started.shows("inside");
    started.child.kill("SIGKILL");
    await started.ended;
    writeFileSync(join(folder, "go"), "");
    expect(await server?.query("SELECT count(*)::int AS n FROM t")).toEqual([{ n: 0 }]);
    const resumed = harn(["run", "--resume", "last"], { cwd: folder, env: env(), timeout: 300_000 });
    expect(resumed).toMatchObject({ stdout: "committed 2\n", status: 0 });
    expect(await server?.query("SELECT count(*)::int AS n FROM t")).toEqual([{ n: 2 }]);
  });
});
