/** The machine that a run sees by default: Node's. Everything is looked up when first asked for. */

import { type FSWatcher, statSync, watch } from "node:fs";
import { createRequire } from "node:module";
import * as os from "node:os";
import { dirname } from "node:path";
import { variable } from "../../process/environment.ts";
import { ownProcess, ownVariables, sqliteModule } from "../../process/index.ts";
import { ownPlaceCheck, type StatePlaces, statePlacesOf } from "../../store/folders.ts";
import type { McpClients } from "../mcp/mcp-port.ts";
import {
  type Files,
  type Host,
  HostError,
  type Libraries,
  type MachineFacts,
  type Network,
} from "../ports.ts";
import { nodeClock } from "./node-clock.ts";
import { nodeCompression } from "./node-compression.ts";
import { nodeCrypto } from "./node-crypto.ts";
import { nodeFiles } from "./node-files.ts";
import { networkBy, nodeNetwork } from "./node-network.ts";
import { nodeProcesses } from "./node-processes.ts";
import { nodeSensors } from "./node-sensors.ts";
import { StdinLines } from "./stdin-lines.ts";
import { keepingStore } from "./store-wall.ts";

interface NodeHostOptions {
  /** Default: the process's. */
  readonly cwd?: string;
  /** Default: the process's. */
  readonly env?: ReadonlyMap<string, string>;
}

/** Where a bundle keeps them, from the file that asks; sources find them in node_modules. */
declare const HARN_LIBRARIES: string | undefined;

const load = createRequire(import.meta.url);
/** `require` of an ES module is synchronous: a builtin that needs a library needn't wait. */
const loadLibrary = (name: string) =>
  load(typeof HARN_LIBRARIES === "undefined" ? name : `${HARN_LIBRARIES}${name.replaceAll("/", "-")}.cjs`);

/** The build takes the names from here (`scripts/libraries.ts`). */
export const nodeLibraries: Libraries = {
  re2js: () => loadLibrary("re2js"),
  minimatch: () => loadLibrary("minimatch"),
  yaml: () => loadLibrary("yaml"),
  toml: () => loadLibrary("smol-toml"),
  diff: () => loadLibrary("diff"),
  stringWidth: () => loadLibrary("string-width").default,
  blake3: () => loadLibrary("@noble/hashes/blake3.js").blake3,
  croner: () => loadLibrary("croner"),
  toughCookie: () => loadLibrary("tough-cookie"),
  eventSourceParser: () => loadLibrary("eventsource-parser"),
  sqlite: sqliteModule,
};

/** The official client is loaded by the first connection. `fetch`: the program's own. */
const nodeMcp = (fetch: typeof globalThis.fetch | undefined): McpClients => ({
  connect: async (target, wait, serves) =>
    (await import("../mcp/mcp-client.ts")).connectMcp(
      target,
      fetch === undefined ? wait : { ...wait, fetch },
      serves,
    ),
});

const systems: Readonly<Record<string, string>> = { win32: "windows" };
const processors: Readonly<Record<string, string>> = { x64: "x86_64", arm64: "aarch64", ia32: "x86" };

/** The host over Node. */
export function createNodeHost(options: NodeHostOptions = {}): Host {
  return new NodeHost(options);
}

class NodeHost implements Host {
  readonly clock = nodeClock;
  readonly files: Files;
  readonly processes = nodeProcesses;
  readonly network: Network;
  readonly mcp: McpClients;
  readonly crypto = nodeCrypto;
  readonly compression = nodeCompression;
  readonly libraries = nodeLibraries;
  readonly sensors = nodeSensors;
  readonly cwd: string;
  readonly os = systems[process.platform] ?? process.platform;
  readonly arch = processors[process.arch] ?? process.arch;
  readonly pid = process.pid;
  private readonly stdin = new StdinLines();
  private environment: ReadonlyMap<string, string> | undefined;

  constructor(options: NodeHostOptions) {
    const { fetch } = ownProcess();
    this.network = fetch === undefined ? nodeNetwork : networkBy(fetch);
    this.mcp = nodeMcp(fetch);
    this.cwd = options.cwd ?? ownProcess().cwd();
    this.environment = options.env;
    this.files = keepingStore(nodeFiles, () => this.places.state);
  }

  private knownPlaces: StatePlaces | undefined;
  private get places(): StatePlaces {
    this.knownPlaces ??= statePlacesOf(this.cwd, this.env);
    return this.knownPlaces;
  }

  checkOwnPlace(path: string): void {
    ownPlaceCheck(this.places, (text) => new HostError("ELOOP", text))(path);
  }

  get env(): ReadonlyMap<string, string> {
    this.environment ??= ownVariables();
    return this.environment;
  }
  get homeDir(): string {
    return os.homedir();
  }
  get tempDir(): string {
    return os.tmpdir();
  }
  get userName(): string {
    try {
      return os.userInfo().username;
    } catch {
      // A user id without an entry, common in containers.
      return variable(this.env, "USER") ?? variable(this.env, "LOGNAME") ?? "unknown";
    }
  }
  get hostName(): string {
    return os.hostname();
  }
  get terminalWidth(): number | undefined {
    return ownProcess().stdout.isTTY ? ownProcess().stdout.columns : undefined;
  }
  get terminalHeight(): number | undefined {
    return ownProcess().stdout.isTTY ? ownProcess().stdout.rows : undefined;
  }
  watch(paths: readonly string[], signal: AbortSignal): Promise<void> | undefined {
    return nodeWatch(paths, signal);
  }
  machine(): MachineFacts {
    const cpus = os.cpus();
    const cpuModel = cpus[0]?.model.trim() ?? "";
    return { cpuCount: cpus.length, cpuModel, memoryTotal: os.totalmem(), memoryFree: os.freemem() };
  }
  isTty(stream: "stdin" | "stdout" | "stderr"): boolean {
    return ownProcess()[stream].isTTY === true;
  }
  readLine(signal?: AbortSignal): Promise<string | undefined> {
    return this.stdin.line(signal);
  }
  readHidden(signal?: AbortSignal): Promise<string | undefined> {
    return this.stdin.hidden(signal);
  }
  readRest(signal?: AbortSignal): Promise<string> {
    return this.stdin.rest(signal);
  }
}

/**
 * Resolves when something stirs. `undefined` when one of the paths can't be watched: the system has no watches left, or
 * does not know how.
 */
function nodeWatch(paths: readonly string[], signal: AbortSignal): Promise<void> | undefined {
  const watchers: FSWatcher[] = [];
  const close = (): void => {
    for (const watcher of watchers) watcher.close();
  };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  try {
    for (const path of new Set(paths.map(placeOf))) {
      const watcher = watch(path.folder, { recursive: path.deep, persistent: true }, () => resolve());
      // A folder that went away: look again.
      watcher.on("error", () => resolve());
      watchers.push(watcher);
    }
  } catch {
    close();
    return undefined;
  }
  const stop = (): void => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  return promise.finally(() => {
    signal.removeEventListener("abort", stop);
    close();
  });
}

/** A file is watched through its folder: an editor that saves it puts another file in its place. */
function placeOf(path: string): { readonly folder: string; readonly deep: boolean } {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return { folder: path, deep: true };
  return { folder: dirname(path), deep: false };
}
