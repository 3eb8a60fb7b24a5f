/**
 * Connections to the database of journals: the driver is loaded here, and errors become words in which no password stands. The thread
 * that writes copies has it too, so it imports nothing of the rest.
 */
import { readFileSync } from "node:fs";
import { checkServerIdentity } from "node:tls";
import type { Client, ClientConfig, QueryResult } from "pg";
import { connectionSettings, type SqlStatement } from "./statements.ts";

type PgDriver = typeof import("pg");

export interface DatabasePlace {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
  readonly sslMode: SecurityMode;
  /** File with the certificates of those who may sign the server's. */
  readonly rootCertificate: string | undefined;
}

const sslModes = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
type SecurityMode = (typeof sslModes)[number];

/** How long a connection may take, and an answer that nothing is written for; milliseconds. */
const connectMs = 10_000;
const answerMs = 15_000;
const largeAnswerMs = 120_000;

/** What `journals` of the settings names; a text says what is wrong with it, and quotes nothing of it. */
export function databasePlace(address: string): DatabasePlace | string {
  const url = /^postgres(?:ql)?:\/\//i.test(address) ? URL.parse(address) : null;
  if (url === null) return "it can't be read as postgres://USER@HOST:PORT/DATABASE";
  try {
    const { searchParams: parameters } = url;
    const known = [
      "host",
      "port",
      "user",
      "password",
      "dbname",
      "sslmode",
      "sslrootcert",
      "application_name",
    ];
    const unknown = [...parameters.keys()].find((key) => !known.includes(key));
    if (unknown !== undefined) return `its parameter \`${unknown}\` is not known (${known.join(", ")})`;
    const host =
      parameters.get("host") || decodeURIComponent(url.hostname).replace(/^\[|\]$/g, "") || "localhost";
    const user = decodeURIComponent(url.username) || parameters.get("user") || "postgres";
    const asked = parameters.get("sslmode");
    const sslMode = sslModes.find(
      (mode) => mode === (asked ?? (host.startsWith("/") ? "disable" : "prefer")),
    );
    if (sslMode === undefined) return `its sslmode is none of ${sslModes.join(", ")}`;
    const port = Number(url.port || parameters.get("port") || 5432);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) return "its port is none";
    return {
      host,
      port,
      user,
      sslMode,
      database: decodeURIComponent(url.pathname.slice(1)) || parameters.get("dbname") || user,
      password: decodeURIComponent(url.password) || parameters.get("password") || undefined,
      rootCertificate: parameters.get("sslrootcert") ?? undefined,
    };
  } catch {
    return "a % in it stands for no character";
  }
}

/** `host:port/database`. */
export const placeWords = ({ host, port, database }: DatabasePlace): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}/${database}`;

/** A connection; `name` is what the server lists it as. */
export async function databaseConnection(place: DatabasePlace, name: string): Promise<Client> {
  const loaded = (await import("pg")) as PgDriver & { readonly default?: PgDriver };
  const { Client: Connection } = loaded.default ?? loaded;
  const open = async (ssl: ClientConfig["ssl"]): Promise<Client> => {
    const client = new Connection({
      host: place.host,
      port: place.port,
      database: place.database,
      user: place.user,
      ...(place.password === undefined ? {} : { password: place.password }),
      ssl,
      application_name: name,
      keepAlive: true,
      connectionTimeoutMillis: connectMs,
      query_timeout: answerMs,
    });
    // What breaks while nobody asks is noticed by the next query.
    client.on("error", () => {});
    await client.connect();
    await askPostgres(client, connectionSettings);
    return client;
  };
  if (place.sslMode === "disable") return await open(false);
  try {
    return await open(databaseTls(place));
  } catch (error) {
    if (place.sslMode === "prefer" && /does not support SSL/i.test(String(error))) return await open(false);
    throw error;
  }
}

/** As libpq takes the modes: `require` encrypts, `verify-ca` checks who signed, `verify-full` for whom as well. */
function databaseTls({
  sslMode,
  host,
  rootCertificate,
}: DatabasePlace): Exclude<ClientConfig["ssl"], undefined> {
  const ca = rootCertificate === undefined ? {} : { ca: readFileSync(rootCertificate, "utf8") };
  if (sslMode === "verify-full") {
    const serverIdentity = (
      _name: string,
      cert: Parameters<typeof checkServerIdentity>[1],
    ): Error | undefined => checkServerIdentity(host, cert);
    return { ...ca, rejectUnauthorized: true, checkServerIdentity: serverIdentity };
  }
  if (sslMode === "verify-ca")
    return { ...ca, rejectUnauthorized: true, checkServerIdentity: () => undefined };
  return { rejectUnauthorized: false };
}

/** `bytes`: how many are sent; they take their time, as those that are read. */
export async function askPostgres(
  client: Client,
  { name, text, isLarge }: SqlStatement,
  values: readonly unknown[] = [],
  bytes = 0,
): Promise<QueryResult> {
  const query = {
    name,
    text,
    values: [...values],
    query_timeout: (isLarge ? largeAnswerMs : answerMs) + bytes / 100,
  };
  return await client.query(query);
}

/** Ends a connection without waiting for the server. */
export function dropped(client: Client): void {
  (
    client as unknown as { readonly connection?: { readonly stream?: { destroy(): void } } }
  ).connection?.stream?.destroy();
  client.end().catch(() => {});
}

/**
 * Whether what was thrown may pass by itself: the server is away, starts, stops, is full, gives way to a standby. Everything that is
 * asked is harmless when it is asked once more.
 */
export function mayPass(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (typeof code !== "string") return error instanceof Error && brokenConnection.test(error.message);
  return /^(?:08|53|57P0|40|E[A-Z]{3})/.test(code) || passing.includes(code);
}

/** What the driver says itself. */
const brokenConnection =
  /^(?:Connection terminated|Query read timeout|timeout expired|Client (?:has encountered|was closed))/;
/** A piece that was removed as it was to be used; a standby that is no standby yet. */
const passing = ["23503", "25006", "55P03"];

/** What the driver said, without the password. */
export function errorWords(error: unknown, place: DatabasePlace): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  const said = error instanceof Error && error.message !== "" ? error.message : String(code ?? error);
  return hidePassword(said, place);
}

export function hidePassword(words: string, { password = "" }: DatabasePlace): string {
  if (password === "") return words;
  return words.replaceAll(password, "***").replaceAll(encodeURIComponent(password), "***");
}
