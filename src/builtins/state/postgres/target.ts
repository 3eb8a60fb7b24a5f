/** Where a pool connects to, and how: the source and the options of `pg_pool` and `pg_connect`. */

import type { DatabaseTarget } from "../../../host/index.ts";
import type { Task } from "../../../interp/index.ts";
import { at, readRows, refusal, row, rows } from "../../../table/index.ts";
import { Dict, runtimeError } from "../../../values/index.ts";
import { type Argument, option, optionsOf } from "../../arguments.ts";
import { percentDecoded } from "../../text/urls.ts";

export const pgSourceFields = rows(() => ({
  url: row.filled("The connection's URL."),
  env: row.filled("The variable of the environment that holds the URL."),
  secret: row.filled("The secret that holds the URL."),
}));

const limit = <A extends number | null = null>(doc: string, usual = null as A) =>
  row
    .duration(doc, usual)
    .where("a duration or milliseconds above 0", (ms) => ms > 0)
    .bounds();

const sslMode = (doc: string) =>
  row.oneOf(["disable", "prefer", "require", "verify-ca", "verify-full"], doc).bounds();

export const pgPoolFields = rows(() => ({
  max_connections: row.int("Connections at once.", 5, { min: 1 }).bounds(),
  min_connections: row.int("Connections that are kept.", 0, { min: 0 }),
  application_name: row.text("What the server is told of the program."),
  ssl_mode: sslMode("How the connection is secured."),
  tls_mode: sslMode("Another name for `ssl_mode`."),
  statement_cache_capacity: row.int("Statements that are kept prepared.", 100, { min: 0 }),
  acquire_timeout_ms: limit("How long a connection is waited for.").usually("30000"),
  timeout_ms: limit("Another name for `acquire_timeout_ms`."),
  idle_timeout_ms: limit("After so long a connection that nobody uses ends.", 600_000),
  max_lifetime_ms: limit("After so long a connection is replaced."),
}));

export type Source =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "env"; readonly name: string }
  | { readonly kind: "secret"; readonly name: string };

/** A URL, `env:NAME`, `secret:ns/name`, or a dict with one of the keys `url`, `env`, `secret`. */
export function postgresSourceOf(caller: string, input: Argument): Source {
  if (typeof input === "string" && input !== "") {
    const [, kind, name] = /^(env|secret):(.*)$/s.exec(input) ?? [];
    if (kind === undefined) return { kind: "url", url: input };
    return readSource(caller, Dict.of({ [kind]: name }));
  }
  if (input instanceof Dict && ["url", "env", "secret"].some((key) => option(input, key) !== undefined))
    return readSource(caller, input);
  throw refusal(
    at(caller, "source"),
    'a URL, "env:NAME", "secret:ns/name" or a dict with url, env or secret',
    input,
  );
}

function readSource(caller: string, input: Dict): Source {
  const { url, env, secret } = readRows(input, pgSourceFields, at(caller, "source"));
  if (url !== null) return { kind: "url", url };
  return env !== null ? { kind: "env", name: env } : { kind: "secret", name: secret! };
}

/** A source as journals and messages may show it: without its password. */
export const shownSource = (source: Source): string =>
  source.kind === "url" ? withoutPassword(source.url) : `${source.kind}:${source.name}`;

function withoutPassword(url: string): string {
  return url.replace(/^([a-z]+:\/\/[^:/?#@]*):[^@/?#]*@/i, "$1:***@").replace(/(password=)[^&#]*/gi, "$1***");
}

/** A pool's options; one connection where `single` says so. */
export function poolOptions(caller: string, options: Argument, single: boolean) {
  const read = optionsOf(caller, options, pgPoolFields);
  const maxConnections = single ? 1 : read.maxConnections;
  const minConnections = single ? 0 : read.minConnections;
  if (minConnections > maxConnections)
    throw refusal(
      at(caller, "min_connections"),
      `int <= ${maxConnections} (max_connections)`,
      minConnections,
    );
  return {
    maxConnections,
    minConnections,
    acquireTimeoutMs: read.acquireTimeoutMs ?? read.timeoutMs ?? 30_000,
    idleTimeoutMs: read.idleTimeoutMs,
    maxLifetimeMs: read.maxLifetimeMs ?? undefined,
    statementCache: read.statementCacheCapacity,
    sslMode: read.sslMode ?? read.tlsMode ?? undefined,
    applicationName: read.applicationName ?? undefined,
  };
}

export type PgPoolOptions = Readonly<ReturnType<typeof poolOptions>>;

/** The server that a URL and options name. `text` may hold a password: no message quotes it. */
export function targetOf(task: Task, caller: string, text: string, options: PgPoolOptions): DatabaseTarget {
  const refuse = (why: string): unknown =>
    runtimeError(`${caller}: the address must look like postgres://user:password@host:port/database: ${why}`);
  if (!/^postgres(?:ql)?:\/\//i.test(text)) throw refuse("it does not begin with postgres://");
  // Without a host it is a local socket, which WHATWG URLs of this scheme can say only with one.
  if (!URL.canParse(text)) throw refuse("it can't be read");
  const url = new URL(text);
  const parameters = url.searchParams;
  const user = percentDecoded(url.username) || parameters.get("user") || task.runtime.host.userName;
  const host = parameters.get("host") || percentDecoded(url.hostname).replace(/^\[|\]$/g, "") || "localhost";
  const port = Number(url.port || parameters.get("port") || 5432);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw refuse("the port is none");
  const database = percentDecoded(url.pathname.slice(1)) || parameters.get("dbname") || user;
  const password = percentDecoded(url.password) || parameters.get("password") || undefined;
  const known = new Set(["sslmode", "application_name", "host", "port", "user", "password", "dbname"]);
  const unknown = [...parameters.keys()].find((key) => !known.has(key));
  if (unknown !== undefined) throw refuse(`parameter '${unknown}' is not known (${[...known].join(", ")})`);
  const asked = parameters.get("sslmode");
  const sslMode = asked === null ? null : pgPoolFields.typed.ssl_mode.read(asked, at(caller, "sslmode"));
  const place = host.startsWith("/") ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return {
    url: `postgres://${place}:${port}/${encodeURIComponent(database)}`,
    host,
    port,
    database,
    user,
    password,
    ...options,
    sslMode: options.sslMode ?? sslMode ?? (host.startsWith("/") ? "disable" : "prefer"),
    applicationName: options.applicationName ?? parameters.get("application_name") ?? undefined,
  };
}
