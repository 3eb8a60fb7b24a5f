/** Where a pool connects to, and how: the source and the options of `pg_pool` and `pg_connect`. */

import type { DatabaseTarget, SslMode } from "../../../host/index.ts";
import { milliseconds, type Task } from "../../../interp/index.ts";
import { at, refusal } from "../../../table/index.ts";
import { Dict, runtimeError, type Value } from "../../../values/index.ts";
import { type Argument, limitOption, option, textOf } from "../../arguments.ts";
import { percentDecoded } from "../../text/urls.ts";

export type Source =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "env"; readonly name: string }
  | { readonly kind: "secret"; readonly name: string };

/** A URL, `env:NAME`, `secret:ns/name`, or a dict with one of the keys `url`, `env`, `secret`. */
export function postgresSourceOf(caller: string, input: Argument): Source {
  if (typeof input === "string" && input !== "") {
    if (input.startsWith("env:")) return namedSource(caller, "env", input.slice(4));
    if (input.startsWith("secret:")) return namedSource(caller, "secret", input.slice(7));
    return { kind: "url", url: input };
  }
  if (input instanceof Dict) {
    const keys = ["url", "env", "secret"] as const;
    const key = keys.find((one) => option(input, one) !== undefined);
    if (key !== undefined) return namedSource(caller, key, option(input, key) ?? null);
  }
  throw refusal(
    at(caller, "source"),
    'a URL, "env:NAME", "secret:ns/name" or a dict with url, env or secret',
    input,
  );
}

function namedSource(caller: string, kind: Source["kind"], value: Value): Source {
  if (typeof value !== "string" || value === "")
    throw refusal(at(caller, `source.${kind}`), "a text that is not empty", value);
  return kind === "url" ? { kind, url: value } : { kind, name: value };
}

/** A source as journals and messages may show it: without its password. */
export const shownSource = (source: Source): string =>
  source.kind === "url" ? withoutPassword(source.url) : `${source.kind}:${source.name}`;

function withoutPassword(url: string): string {
  return url.replace(/^([a-z]+:\/\/[^:/?#@]*):[^@/?#]*@/i, "$1:***@").replace(/(password=)[^&#]*/gi, "$1***");
}

export interface PgPoolOptions {
  readonly maxConnections: number;
  readonly minConnections: number;
  readonly acquireTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxLifetimeMs: number | undefined;
  readonly statementCache: number;
  readonly sslMode: SslMode | undefined;
  readonly applicationName: string | undefined;
}

const sslModes: readonly string[] = ["disable", "prefer", "require", "verify-ca", "verify-full"];

/** A pool's options; one connection where `single` says so. */
export function poolOptions(caller: string, options: Argument, single: boolean): PgPoolOptions {
  const limit = (key: string, standard: number, least = 0): number =>
    limitOption(caller, options, key, standard, least);
  const time = (key: string, standard: number): number => {
    const input = option(options, key);
    const ms = input === undefined ? standard : milliseconds(input);
    if (ms !== undefined && Number.isFinite(ms) && ms > 0) return ms;
    throw refusal(at(caller, key), "a duration or milliseconds above 0", input);
  };
  const max = single ? 1 : limit("max_connections", 5, 1);
  const min = single ? 0 : limit("min_connections", 0);
  if (min > max)
    throw runtimeError(`${caller}: min_connections (${min}) is more than max_connections (${max})`);
  const name = option(options, "application_name");
  return {
    maxConnections: max,
    minConnections: min,
    acquireTimeoutMs: time(
      option(options, "acquire_timeout_ms") === undefined ? "timeout_ms" : "acquire_timeout_ms",
      30_000,
    ),
    idleTimeoutMs: time("idle_timeout_ms", 600_000),
    maxLifetimeMs: option(options, "max_lifetime_ms") === undefined ? undefined : time("max_lifetime_ms", 0),
    statementCache: limit("statement_cache_capacity", 100),
    sslMode: sslModeOf(caller, option(options, "ssl_mode") ?? option(options, "tls_mode")),
    applicationName: name === undefined ? undefined : textOf(name),
  };
}

function sslModeOf(caller: string, input: Argument): SslMode | undefined {
  if (input === undefined || input === null) return undefined;
  if (typeof input === "string" && sslModes.includes(input)) return input as SslMode;
  throw refusal(at(caller, "ssl_mode"), `one of ${sslModes.join(", ")}`, input);
}

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
  const place = host.startsWith("/") ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return {
    url: `postgres://${place}:${port}/${encodeURIComponent(database)}`,
    host,
    port,
    database,
    user,
    password,
    sslMode:
      options.sslMode ??
      sslModeOf(caller, parameters.get("sslmode") ?? undefined) ??
      (host.startsWith("/") ? "disable" : "prefer"),
    applicationName: options.applicationName ?? parameters.get("application_name") ?? undefined,
    maxConnections: options.maxConnections,
    minConnections: options.minConnections,
    acquireTimeoutMs: options.acquireTimeoutMs,
    idleTimeoutMs: options.idleTimeoutMs,
    maxLifetimeMs: options.maxLifetimeMs,
    statementCache: options.statementCache,
  };
}
