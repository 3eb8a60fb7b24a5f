/** Database servers, as a run reaches them. */

export type SslMode = "disable" | "prefer" | "require" | "verify-ca" | "verify-full";

/** What it takes to reach a PostgreSQL server; times in milliseconds. */
export interface DatabaseTarget {
  /** Without password and parameters: `postgres://host:port/database`. What rules about hosts judge. */
  readonly url: string;
  /** A host name or address; a folder (`/run/postgresql`) for a local socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
  readonly sslMode: SslMode;
  readonly applicationName: string | undefined;
  readonly maxConnections: number;
  /** Opened at the start, and kept. */
  readonly minConnections: number;
  /** Longest wait for a connection. */
  readonly acquireTimeoutMs: number;
  /** A connection without work is closed after it. */
  readonly idleTimeoutMs: number;
  /** A connection is replaced after it; `undefined` for never. */
  readonly maxLifetimeMs: number | undefined;
  /** So many statements of a pool are prepared once per connection; others each time. */
  readonly statementCache: number;
}

export interface DatabaseStatement {
  readonly sql: string;
  /** Texts as the server reads them, bytes, or null. Sent apart from the statement. */
  readonly params: readonly (string | Uint8Array | null)[];
}

export interface DatabaseAnswer {
  /** Name and type (the number of PostgreSQL's catalogue) of each column. */
  readonly columns: readonly (readonly [string, number])[];
  /** Each value in the server's text form; null for NULL. */
  readonly rows: readonly (readonly (string | null)[])[];
  readonly rowsAffected: number;
}

/** One connection. */
export interface DatabaseSession {
  /** Aborting the signal cancels the statement on the server and breaks the connection. Failures are `HostError`s. */
  query(statement: DatabaseStatement, signal?: AbortSignal): Promise<DatabaseAnswer>;
  /** Gives it back to its pool; a broken one is closed. */
  release(broken: boolean): void;
}

export interface DatabasePool {
  /** A connection of one's own, until it is released. */
  session(signal?: AbortSignal): Promise<DatabaseSession>;
  /** Resolves when every connection has been closed. */
  close(): Promise<void>;
}

export interface Databases {
  /** Connects, so that a wrong address or password is known at once. */
  open(target: DatabaseTarget, signal?: AbortSignal): Promise<DatabasePool>;
}
