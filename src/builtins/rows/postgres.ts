/** Rows of PostgreSQL connections (builtins.md §2.26). */
import { type Field, field, fieldTable } from "../../table/index.ts";

export const pgSourceFields = fieldTable(() => [
  field("url", "string", "The connection's URL."),
  field("env", "string", "The variable of the environment that holds the URL."),
  field("secret", "string", "The secret that holds the URL."),
]);

const limitRows = (): readonly Field[] =>
  ["acquire_timeout_ms", "timeout_ms", "idle_timeout_ms", "max_lifetime_ms"].map((name) =>
    field(name, "int | float | duration", "A limit of time, in milliseconds.", { bounds: true }),
  );

export const pgPoolFields = fieldTable(() => [
  field("max_connections", "int", "Connections at once.", { default: "5", bounds: true }),
  field("min_connections", "int", "Connections that are kept."),
  field("application_name", "string", "What the server is told of the program."),
  field("ssl_mode", "string", "How the connection is secured.", { bounds: true }),
  field("tls_mode", "string", "Another name for `ssl_mode`.", { bounds: true }),
  field("statement_cache_capacity", "int", "Statements that are kept prepared."),
  ...limitRows(),
]);

export const pgTransactionFields = fieldTable(() => [
  field("settings", "dict", "Settings of the server that hold inside, by name."),
]);
