/** Rows of PostgreSQL connections (builtins.md §2.26). */
import { row, rows } from "../../table/index.ts";

export const pgSourceFields = rows(() => ({
  url: row.text("The connection's URL."),
  env: row.text("The variable of the environment that holds the URL."),
  secret: row.text("The secret that holds the URL."),
}));

const limit = () => row.either([row.duration(), row.number()], "A limit of time, in milliseconds.").bounds();

export const pgPoolFields = rows(() => ({
  max_connections: row.int("Connections at once.", 5).bounds(),
  min_connections: row.int("Connections that are kept."),
  application_name: row.text("What the server is told of the program."),
  ssl_mode: row.text("How the connection is secured.").bounds(),
  tls_mode: row.text("Another name for `ssl_mode`.").bounds(),
  statement_cache_capacity: row.int("Statements that are kept prepared."),
  acquire_timeout_ms: limit(),
  timeout_ms: limit(),
  idle_timeout_ms: limit(),
  max_lifetime_ms: limit(),
}));

export const pgTransactionFields = rows(() => ({
  settings: row.dict(null, "Settings of the server that hold inside, by name."),
}));
