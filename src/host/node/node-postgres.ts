/** PostgreSQL over the package `pg`, loaded at the first use. */
import { checkServerIdentity } from "node:tls";
import type { ClientConfig, Pool, PoolClient, PoolConfig } from "pg";
import type {
  DatabaseAnswer,
  DatabasePool,
  DatabaseSession,
  DatabaseStatement,
  DatabaseTarget,
} from "../database-port.ts";
import { HostError } from "../ports.ts";

type Driver = typeof import("pg");

/** Values stay in the server's text form: what they mean to a script is not the driver's to say. */
const texts = { getTypeParser: () => (text: string) => text };

export async function openDatabase(target: DatabaseTarget, signal?: AbortSignal): Promise<DatabasePool> {
  const loaded = (await import("pg")) as Driver & { readonly default?: Driver };
  const driver = loaded.default ?? loaded;
  if (target.sslMode !== "prefer") return connected(driver, target, target.sslMode !== "disable", signal);
  try {
    return await connected(driver, target, true, signal);
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== "ENOSSL") throw error;
    return connected(driver, target, false, signal);
  }
}

async function connected(
  driver: Driver,
  target: DatabaseTarget,
  encrypted: boolean,
  signal: AbortSignal | undefined,
): Promise<DatabasePool> {
  const config = connectionConfigOf(target, encrypted);
  const pool = new driver.Pool(config);
  // A connection that breaks while nobody uses it is replaced; without a listener it would end the process.
  pool.on("error", () => {});
  const opened = new NodePgPool(driver, pool, config, target);
  try {
    const first = Math.max(1, target.minConnections);
    const sessions = await Promise.all(Array.from({ length: first }, () => opened.session(signal)));
    for (const session of sessions) session.release(false);
    return opened;
  } catch (error) {
    void opened.close();
    throw error;
  }
}

function connectionConfigOf(target: DatabaseTarget, encrypted: boolean): PoolConfig {
  return {
    host: target.host,
    port: target.port,
    database: target.database,
    user: target.user,
    ...(target.password === undefined ? {} : { password: target.password }),
    ...(target.applicationName === undefined ? {} : { application_name: target.applicationName }),
    ssl: encrypted ? encryption(target) : false,
    max: target.maxConnections,
    min: target.minConnections,
    connectionTimeoutMillis: target.acquireTimeoutMs,
    idleTimeoutMillis: target.idleTimeoutMs,
    ...(target.maxLifetimeMs === undefined
      ? {}
      : { maxLifetimeSeconds: Math.max(1, Math.ceil(target.maxLifetimeMs / 1000)) }),
    types: texts,
    // Errors of values would be guessed from the driver's own defaults otherwise.
    keepAlive: true,
  } as PoolConfig;
}

/** As libpq takes the modes: `require` encrypts, `verify-ca` checks who signed, `verify-full` for whom as well. */
function encryption({ sslMode, host }: DatabaseTarget): Exclude<ClientConfig["ssl"], boolean | undefined> {
  if (sslMode === "verify-full")
    return {
      rejectUnauthorized: true,
      servername: host,
      checkServerIdentity: (_name, cert) => checkServerIdentity(host, cert),
    };
  if (sslMode === "verify-ca") return { rejectUnauthorized: true, checkServerIdentity: () => undefined };
  return { rejectUnauthorized: false };
}

class NodePgPool implements DatabasePool {
  private readonly driver: Driver;
  private readonly pool: Pool;
  private readonly config: PoolConfig;
  private readonly target: DatabaseTarget;
  private readonly prepared = new Map<string, string>();
  private closing: Promise<void> | undefined;

  constructor(driver: Driver, pool: Pool, config: PoolConfig, target: DatabaseTarget) {
    this.driver = driver;
    this.pool = pool;
    this.config = config;
    this.target = target;
  }

  async session(signal?: AbortSignal): Promise<DatabaseSession> {
    try {
      const client = await abortable(this.pool.connect(), signal, (late) => late.release());
      return new PgSession(client, this, signal);
    } catch (error) {
      throw this.failure(error);
    }
  }

  close(): Promise<void> {
    this.closing ??= this.pool.end().catch(() => {});
    return this.closing;
  }

  /** The name under which a statement is prepared; `undefined` when the cache is full. */
  nameOf(sql: string): string | undefined {
    const known = this.prepared.get(sql);
    if (known !== undefined || this.prepared.size >= this.target.statementCache) return known;
    const name = `harn_${this.prepared.size}`;
    this.prepared.set(sql, name);
    return name;
  }

  /** Ends a statement that a connection works on, over another connection. */
  async cancel(client: PoolClient): Promise<void> {
    const { processID } = client as unknown as { readonly processID?: number };
    if (processID === undefined || processID === null) return;
    const other = new this.driver.Client(this.config);
    other.on("error", () => {});
    try {
      await other.connect();
      await other.query("SELECT pg_cancel_backend($1)", [processID]);
    } catch {
      // The server is gone or refuses: the connection is closed in any case.
    } finally {
      await other.end().catch(() => {});
    }
  }

  failure(error: unknown): unknown {
    if (!(error instanceof Error) || error instanceof HostError) return error;
    const code = (error as { readonly code?: unknown }).code;
    const { password, host, port } = this.target;
    const plain =
      password === undefined || password === "" ? error.message : error.message.replaceAll(password, "***");
    if (/does not support SSL/i.test(plain))
      return new HostError("ENOSSL", "the server does not offer encryption");
    if (
      /timeout exceeded when trying to connect|Connection terminated due to connection timeout/i.test(plain)
    )
      return new HostError(
        "ETIMEDOUT",
        `no connection to ${host}:${port} within ${this.target.acquireTimeoutMs} ms`,
      );
    const words = plain === "" ? `no connection to ${host}:${port} (${String(code)})` : plain;
    return new HostError(typeof code === "string" ? code : "EIO", words);
  }
}

class PgSession implements DatabaseSession {
  private readonly client: PoolClient;
  private readonly pool: NodePgPool;
  private readonly signal: AbortSignal | undefined;
  private broken = false;
  private released = false;

  constructor(client: PoolClient, pool: NodePgPool, signal: AbortSignal | undefined) {
    this.client = client;
    this.pool = pool;
    this.signal = signal;
  }

  async query({ sql, params }: DatabaseStatement, signal = this.signal): Promise<DatabaseAnswer> {
    const name = this.pool.nameOf(sql);
    const asked = this.client.query({
      text: sql,
      values: params.map((param) => (param instanceof Uint8Array ? Buffer.from(param) : param)),
      rowMode: "array",
      ...(name === undefined ? {} : { name }),
    });
    try {
      const answer = await abortable(asked, signal, () => {});
      // Several statements in one text give several answers; the last one counts, as for psql.
      const last = Array.isArray(answer) ? answer.at(-1) : answer;
      return {
        columns: last.fields.map((field: { name: string; dataTypeID: number }) => [
          field.name,
          field.dataTypeID,
        ]),
        rows: last.rows as (string | null)[][],
        rowsAffected: last.rowCount ?? 0,
      };
    } catch (error) {
      if (signal?.aborted === true) {
        this.broken = true;
        await this.pool.cancel(this.client);
      }
      throw this.pool.failure(error);
    }
  }

  release(broken: boolean): void {
    if (this.released) return;
    this.released = true;
    this.client.release(broken || this.broken);
  }
}

/** The promise, or the signal's reason as soon as it is aborted; what arrives too late is `dropped`. */
async function abortable<T>(
  asked: Promise<T>,
  signal: AbortSignal | undefined,
  dropped: (late: T) => void,
): Promise<T> {
  if (signal === undefined) return asked;
  let stop: () => void = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([asked, aborted]);
  } catch (error) {
    if (signal.aborted) asked.then(dropped, () => {});
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
