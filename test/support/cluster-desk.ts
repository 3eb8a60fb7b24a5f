/**
 * A cluster on this machine for tests: PostgreSQL, Temporal, projects whose folders stand for machines, workers as processes, and a
 * server outside that counts what is done to it.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import type { CliResult } from "./command-environment.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";
import { launcher } from "./project.ts";
import { type RunningCli, startHarn } from "./start-cli.ts";
import { findTemporal, startTemporal, type TemporalServer } from "./temporal-server.ts";

export interface ServerPorts {
  readonly engine: number;
  readonly postgres: number;
}

export interface ClusterDesk {
  /** Why there is none. */
  readonly missing: string | undefined;
  readonly engine: TemporalServer;
  readonly postgres: PostgresServer;
  /** A project on as many machines as there are names; each has the files. `ways`: to the servers, of machines that have others. */
  project(
    root: string,
    files: Readonly<Record<string, string>>,
    names?: readonly string[],
    ways?: Readonly<Record<string, ServerPorts>>,
  ): DeskProject;
  stop(): Promise<void>;
}

export async function clusterDesk(): Promise<ClusterDesk> {
  const temporal = findTemporal();
  if ("missing" in temporal) return nowhere(temporal.missing);
  const postgres = await startPostgres();
  if (postgres === undefined) return nowhere("there is no PostgreSQL for this platform");
  const engine = await startTemporal(temporal.path);
  const projects: DeskProject[] = [];
  return {
    missing: undefined,
    engine,
    postgres,
    project: (root, files, names = ["sender", "worker"], ways = {}) => {
      const made = new DeskProject({
        root,
        names,
        files,
        ways,
        ports: { engine: engine.port, postgres: postgres.port },
      });
      projects.push(made);
      return made;
    },
    stop: async () => {
      await Promise.all(projects.map((project) => project.close()));
      await engine.stop();
      await postgres.stop();
    },
  };
}

const nowhere = (missing: string): ClusterDesk => {
  const absent = (): never => {
    throw new Error(missing);
  };
  return {
    missing,
    get engine() {
      return absent();
    },
    get postgres() {
      return absent();
    },
    project: absent,
    stop: async () => {},
  };
};

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What a shell does before, with mounts of its own. */
  readonly inShell?: string;
}

interface ProjectParts {
  readonly root: string;
  readonly names: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly ports: ServerPorts;
  readonly ways: Readonly<Record<string, ServerPorts>>;
}

let projects = 0;

export class DeskProject {
  /** Of engine and database. */
  readonly name = `desk-${process.pid}-${++projects}`;
  private readonly parts: ProjectParts;
  private readonly running: RunningCli[] = [];

  constructor(parts: ProjectParts) {
    this.parts = parts;
    const { root, names, files } = parts;
    for (const name of names) {
      const cluster = `[cluster]\nengine = "temporal://127.0.0.1:${this.portsOf(name).engine}"\nlease = "5s"\nproject = "${this.name}"\n`;
      for (const [path, text] of Object.entries({ "harn.toml": cluster, ...files })) {
        mkdirSync(dirname(join(root, name, path)), { recursive: true });
        writeFileSync(join(root, name, path), text);
      }
    }
  }

  private portsOf(name: string): ServerPorts {
    return this.parts.ways[name] ?? this.parts.ports;
  }

  folder(name = "sender"): string {
    return join(this.parts.root, name);
  }

  /** A worker that takes jobs. */
  async worker(args: readonly string[] = [], name = "worker", more: StartOptions = {}): Promise<RunningCli> {
    const worker = this.start(["worker", "--jobs", "1", ...args], name, more);
    await worker.shows("takes jobs of");
    return worker;
  }

  start(args: readonly string[], name = "sender", { env, inShell }: StartOptions = {}): RunningCli {
    const journals = `postgres://tester@127.0.0.1:${this.portsOf(name).postgres}/postgres`;
    const options = { cwd: this.folder(name), env: { HARN_JOURNALS: journals, ...env } };
    const started =
      inShell === undefined
        ? startHarn(args, options)
        : startHarn(["-m", "sh", "-c", `${inShell} && exec "$0" "$@"`, launcher, ...args], {
            ...options,
            program: "unshare",
          });
    this.running.push(started);
    return started;
  }

  /** A command of the sender, to its end. */
  harn(...args: readonly string[]): Promise<CliResult> {
    return this.start(args).ended;
  }

  /** The same where neither engine nor database can be reached. */
  alone(...args: readonly string[]): Promise<CliResult> {
    return startHarn(args, {
      cwd: this.folder(),
      env: { HARN_JOURNALS: "postgres://nobody@127.0.0.1:1/none" },
    }).ended;
  }

  async close(): Promise<void> {
    for (const { child } of this.running) child.kill("SIGKILL");
    await Promise.all(this.running.map(({ ended }) => ended));
  }
}

/** The numbers of the processes that another one has started. */
export function childrenOf(pid: number | undefined): number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${Number(name)}/stat`, "latin1");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(fields[1]) === pid ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

export function killChildren(worker: RunningCli, signal: NodeJS.Signals): void {
  for (const pid of childrenOf(worker.child.pid)) process.kill(pid, signal);
}

/** Whether a process still does something; one that nobody has asked how it ended does not. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return false;
  }
}

/** A script that makes 30 requests with keys, and says so after each. */
export const thirtyEffects = {
  "main.harn": `pipeline main(url) {
  for i in 0 to 29 {
    http_post("\${url}/", "x", {headers: {"Idempotency-Key": "key-\${i}"}})
    println("did \${i}")
  }
}
`,
};
export const thirtyLines = Array.from({ length: 30 }, (_, n) => `did ${n}\n`).join("");

export interface EffectServer {
  readonly url: string;
  /** How often each key was sent. */
  readonly sent: ReadonlyMap<string, number>;
  /** Resolves when so many keys have come; rejects when what sends them ends before. */
  came(keys: number, sender: Promise<CliResult>): Promise<void>;
  close(): void;
}

/** Does what it is sent once for each `Idempotency-Key`; each request takes its time. */
export async function effectServer(takesMs = 30): Promise<EffectServer> {
  const sent = new Map<string, number>();
  let seen = (): void => {};
  const server = createServer((request, response) => {
    const key = String(request.headers["idempotency-key"]);
    sent.set(key, (sent.get(key) ?? 0) + 1);
    seen();
    setTimeout(() => response.end("done"), takesMs);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    came: (keys, sender) =>
      new Promise((resolve, reject) => {
        seen = () => {
          if (sent.size >= keys) resolve();
        };
        seen();
        void sender.then((ended) => reject(new Error(`only ${sent.size} came: ${JSON.stringify(ended)}`)));
      }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
