/** Rows of PostgreSQL connections (builtins.md §2.26). */
import { type Field, field, fieldTable } from "../../table/index.ts";

export const pgSourceFields = fieldTable(() => [
  field("url", "any", "The connection's URL."),
  field("env", "any", "The variable of the environment that holds the URL."),
  field("secret", "any", "The secret that holds the URL."),
]);

const limitRows = (): readonly Field[] =>
  ["acquire_timeout_ms", "timeout_ms", "idle_timeout_ms", "max_lifetime_ms"].map((name) =>
    field(name, "any", "A limit of time, in milliseconds.", { bounds: true }),
  );

export const pgPoolFields = fieldTable(() => [
  field("max_connections", "any", "Connections at once.", { default: "5", bounds: true }),
  field("min_connections", "any", "Connections that are kept."),
  field("application_name", "any", "What the server is told of the program."),
  field("ssl_mode", "any", "How the connection is secured.", { bounds: true }),
  field("tls_mode", "any", "Another name for `ssl_mode`.", { bounds: true }),
  field("statement_cache_capacity", "any", "Statements that are kept prepared."),
  ...limitRows(),
]);

export const pgTransactionFields = fieldTable(() => [
  field("settings", "any", "Settings of the server that hold inside, by name."),
]);
