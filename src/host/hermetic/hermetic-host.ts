/**
 * The machine of `harn test --hermetic`: time, order, names and files are the same in every run, sleeping costs nothing,
 * and nothing leaves the process. The project may show through for reading; what is written stays in memory.
 */
import type { McpClients } from "../mcp/mcp-port.ts";
import { nodeCompression } from "../node/node-compression.ts";
import { nodeCrypto } from "../node/node-crypto.ts";
import { nodeLibraries } from "../node/node-host.ts";
import {
  type Crypto,
  type Files,
  type Host,
  HostError,
  type MachineFacts,
  type Network,
  type Processes,
} from "../ports.ts";
import type { ListenAddress } from "../socket-port.ts";
import { MemoryFiles } from "./memory-files.ts";
import { memorySqlite } from "./memory-sqlite.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** The seed of hermetic runs, so that random numbers and ids repeat. */
export const hermeticSeed = "hermetic";
/** 2026-01-01T00:00:00Z */
const firstMoment = Date.UTC(2026, 0, 1);

interface HermeticOptions {
  /** Working directory; default `/work`. */
  readonly cwd?: string;
  /** Files that are there from the start, by absolute path. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** A folder of this disk that can be read under its own path. */
  readonly base?: { readonly files: Files; readonly root: string };
  readonly env?: ReadonlyMap<string, string>;
  /** Standard input. */
  readonly stdin?: string;
}

const noProgram = async (program: string): Promise<never> => {
  throw new HostError("EPERM", `Operation not permitted: '${program}' is not started in a hermetic run`);
};

const noPrograms: Processes = {
  run: noProgram,
  open: noProgram,
  killAll: () => {},
};

const unreachableHost = async ({ url }: { readonly url: string }): Promise<never> => {
  throw new HostError("ENETUNREACH", `network is unreachable in a hermetic run (${new URL(url).host})`);
};

const listensNowhere = async ({ host, port }: ListenAddress): Promise<never> => {
  throw new HostError("EPERM", `a hermetic run listens nowhere (${host}:${port})`);
};

const noNetwork: Network = {
  request: unreachableHost,
  open: unreachableHost,
  fetch: async (input) => {
    const { url } = new Request(input);
    throw new TypeError("fetch failed", { cause: await unreachableHost({ url }).catch((error) => error) });
  },
  sockets: { connect: unreachableHost, listen: listensNowhere },
  serving: { listen: listensNowhere },
  databases: { open: unreachableHost },
};

const noServers: McpClients = {
  connect: async () => {
    throw new HostError("EPERM", "no MCP server is reached in a hermetic run");
  },
};

/** Keys that are the same in every run: for tests only. */
function repeatableCrypto(): Crypto {
  let drawn = 0;
  const block = (): Uint8Array => nodeCrypto.hash("sha512", new TextEncoder().encode(`hermetic ${drawn++}`));
  const randomBytes = (count: number): Uint8Array => {
    const bytes = new Uint8Array(count);
    for (let at = 0; at < count; at += 64) bytes.set(block().subarray(0, Math.min(64, count - at)), at);
    return bytes;
  };
  return { ...nodeCrypto, randomBytes };
}

/** A machine of its own for one run. */
export function hermeticHost(options: HermeticOptions = {}): Host {
  return new HermeticHost(options);
}

class HermeticHost implements Host {
  readonly clock = new VirtualClock(firstMoment);
  readonly files: MemoryFiles;
  readonly processes = noPrograms;
  readonly network = noNetwork;
  readonly mcp = noServers;
  readonly crypto = repeatableCrypto();
  readonly compression = nodeCompression;
  readonly libraries = { ...nodeLibraries, sqlite: memorySqlite(nodeLibraries.sqlite) };
  readonly cwd: string;
  readonly env: ReadonlyMap<string, string>;
  readonly os = "linux";
  readonly arch = "x86_64";
  readonly pid = 1;
  readonly homeDir = "/home/user";
  readonly tempDir = "/tmp";
  readonly userName = "user";
  readonly hostName = "hermetic";
  readonly terminalWidth = undefined;
  readonly terminalHeight = undefined;
  private lines: string;

  constructor({ cwd = "/work", files, base, env = new Map(), stdin = "" }: HermeticOptions) {
    this.cwd = cwd;
    this.env = env;
    this.lines = stdin;
    this.files = new MemoryFiles(this.clock, files, base);
    for (const folder of [cwd, this.tempDir, this.homeDir]) this.files.makeDir(folder);
  }
  machine(): MachineFacts {
    return { cpuCount: 2, cpuModel: "hermetic", memoryTotal: 2 ** 32, memoryFree: 2 ** 31 };
  }
  isTty(): boolean {
    return false;
  }
  readLine(): string | undefined {
    if (this.lines === "") return undefined;
    const at = this.lines.indexOf("\n");
    const line = at < 0 ? this.lines : this.lines.slice(0, at);
    this.lines = at < 0 ? "" : this.lines.slice(at + 1);
    return line.replace(/\r$/, "");
  }
  readRest(): string {
    const rest = this.lines;
    this.lines = "";
    return rest;
  }
}
