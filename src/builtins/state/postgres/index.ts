/** PostgreSQL (builtins.md §2.26): pools, statements, transactions, and a mock of them. */

import { defineBuiltins, row, rows } from "../../../table/index.ts";
import { type Callable, Dict, List, proceed, thrown, type Value } from "../../../values/index.ts";
import type { Argument } from "../../arguments.ts";
import { PgMock } from "./mock.ts";
import { findTarget, forgetPool, registerMock } from "./pools.ts";
import { askDatabase, openPool, runTransaction } from "./statements.ts";
import { pgPoolFields, pgSourceFields } from "./target.ts";

const pgTransactionFields = rows(() => ({
  settings: row.dict(null, "Settings of the server that hold inside, by name."),
}));

const remote = { performs: true, capability: "net", mayNeed: "env", suspends: "may" } as const;

const poolNotes =
  "The source is a URL (`postgres://user:password@host:port/database`), `env:NAME`, `secret:ns/name`, or a dict `{url}`, " +
  "`{env}`, `{secret}`. Options: `min_connections` (0), `acquire_timeout_ms` (30000; also `timeout_ms`), `idle_timeout_ms` " +
  "(600000), `max_lifetime_ms`, `ssl_mode` (`disable`, `prefer`, `require`, `verify-ca`, `verify-full`; also `tls_mode`), " +
  "`application_name`, `statement_cache_capacity` (100). The end of the run closes it.";

export const postgres = defineBuiltins(
  "postgres",
  {
    pg_pool: {
      ...remote,
      doc: `Connections to a PostgreSQL server: a handle for the other functions. ${poolNotes} \`max_connections\` is 5.`,
      sig: "(source: string | dict, options?: dict) -> dict",
      effect: "read",
      fields: { source: () => pgSourceFields, options: () => pgPoolFields },
      run: (task, source: Argument, options: Argument) => openPool(task, "pg_pool", source, options),
    },
    pg_connect: {
      ...remote,
      doc: `One connection to a PostgreSQL server: a pool of one. ${poolNotes}`,
      sig: "(source: string | dict, options?: dict) -> dict",
      effect: "read",
      traits: ["opens"],
      fields: { source: () => pgSourceFields, options: () => pgPoolFields },
      run: (task, source: Argument, options: Argument) => openPool(task, "pg_connect", source, options),
    },
    pg_query: {
      ...remote,
      doc:
        "The rows of a statement, each a dict. Parameters (`$1`, `$2` …) are sent apart from the text: bytes as bytes, a duration " +
        "as milliseconds, lists and dicts as JSON. 64-bit integers are exact, JSON is parsed, timestamps with a zone are RFC 3339.",
      sig: "(handle: dict, sql: string, params?!: list) -> list<dict>",
      effect: "write",
      run: (task, handle: Argument, sql: Argument, params?: List) =>
        proceed(askDatabase(task, "pg_query", handle, sql, params), ({ rows }): Value => new List([...rows])),
    },
    pg_query_one: {
      ...remote,
      doc: "The first row of a statement, or nil.",
      sig: "(handle: dict, sql: string, params?!: list) -> dict?",
      effect: "write",
      run: (task, handle: Argument, sql: Argument, params?: List) =>
        proceed(askDatabase(task, "pg_query_one", handle, sql, params), ({ rows }): Value => rows[0] ?? null),
    },
    pg_execute: {
      ...remote,
      doc: "Runs a statement for what it changes: `{rows_affected}`.",
      sig: "(handle: dict, sql: string, params?!: list) -> dict",
      effect: "write",
      run: (task, handle: Argument, sql: Argument, params?: List) =>
        proceed(
          askDatabase(task, "pg_execute", handle, sql, params),
          ({ rowsAffected }): Value => Dict.of({ rows_affected: rowsAffected }),
        ),
    },
    pg_transaction: {
      ...remote,
      doc:
        "Runs a function with a handle of a transaction: commits and gives its value, rolls back and throws on when it throws. " +
        "`settings` hold for this transaction only, as for row-level security. A run that is resumed inside begins it again and " +
        "repeats its statements; a commit never happens twice.",
      sig: "(pool: dict, body!: fn(dict) -> any, options?: {settings?: dict}) -> any",
      effect: "write",
      fields: { options: () => pgTransactionFields },
      run: (task, pool: Argument, body: Callable, options: Argument) =>
        runTransaction(task, pool, body, options),
    },
    pg_close: {
      doc: "Closes a pool: true once, then false.",
      sig: "(handle: dict) -> bool",
      effect: "state",
      example: "pg_close(pg_mock_pool())  // true",
      run: (task, handle: Argument) => forgetPool(task, handle),
    },
    pg_mock_pool: {
      doc:
        "A pool for tests that answers from fixtures `{sql, params?, rows?, rows_affected?, error?}`, a list or one dict: the " +
        "first whose `sql` (and `params`, when given) are equal.",
      sig: "(fixtures?!: list | dict) -> dict",
      effect: "state",
      example: 'pg_query(pg_mock_pool({sql: "SELECT 1", rows: [{n: 1}]}), "SELECT 1")  // [{n: 1}]',
      run: (task, fixtures?: List | Dict) => registerMock(task, new PgMock(fixtures)),
    },
    pg_mock_calls: {
      doc: "What a mock was asked, in order, also what failed: `{sql, params, execute}`.",
      sig: "(handle: dict) -> list<dict>",
      effect: "state",
      example: "pg_mock_calls(pg_mock_pool())  // []",
      run: (task, handle: Argument) => {
        const target = findTarget(task, "pg_mock_calls", handle);
        if (target.kind === "mock") return target.mock.calls;
        throw thrown("pg_mock_calls: the handle is none of pg_mock_pool");
      },
    },
  },
  {
    handle: "a pool, as `pg_pool` gives it",
    pool: "a pool, as `pg_pool` gives it",
    fixtures: "answers by statement",
  },
);
