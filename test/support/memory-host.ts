/**
 * A machine made of nothing, for tests: files in memory, a clock that moves only when somebody sleeps, fixed
 * environment, scripted standard input and programs. Nothing of it touches the real one, except the pure libraries.
 */
import {
  type Clock,
  type FileInfo,
  type Files,
  type Host,
  HostError,
  type HttpRequest,
  type HttpResponse,
  type MachineFacts,
  type Network,
  nodeCrypto,
  nodeLibraries,
  type Processes,
  type ProcessOptions,
  type ProcessResult,
  type StandardStream,
  systemError,
} from "../../src/host/index.ts";

/** A clock whose time passes only while all wait: the earliest sleeper is woken and the clock set to its due time. */
export class VirtualClock implements Clock {
  private time: number;
  private readonly start: number;
  private readonly sleepers: { due: number; order: number; wake: () => void }[] = [];
  private order = 0;
  private scheduled = false;

  constructor(now = Date.UTC(2026, 0, 2, 3, 4, 5, 678)) {
    this.time = now;
    this.start = now;
  }
  now(): number {
    return this.time;
  }
  monotonic(): number {
    return this.time - this.start;
  }
  /** Moves the clock without waking anybody early. */
  advance(ms: number): void {
    this.time += ms;
  }
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const sleeper = { due: this.time + Math.max(ms, 0), order: this.order++, wake: resolve };
      this.sleepers.push(sleeper);
      signal?.addEventListener("abort", () => {
        const at = this.sleepers.indexOf(sleeper);
        if (at >= 0) this.sleepers.splice(at, 1);
        reject(signal.reason);
      });
      this.schedule();
    });
  }
  private schedule(): void {
    if (this.scheduled || this.sleepers.length === 0) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.sleepers.sort((a, b) => a.due - b.due || a.order - b.order);
      const next = this.sleepers.shift();
      if (next === undefined) return;
      this.time = Math.max(this.time, next.due);
      next.wake();
      this.schedule();
    });
  }
}

type MemoryEntry = { kind: "dir" } | { kind: "file"; data: Uint8Array; modified: number };

/** Files in memory under POSIX paths; `/` and the given working directory exist. */
export class MemoryFiles implements Files {
  readonly entries = new Map<string, MemoryEntry>([["/", { kind: "dir" }]]);
  /** Paths whose access fails with the given code, such as `EACCES` or `ENOSPC`. */
  readonly failing = new Map<string, string>();
  private readonly clock: Clock;
  private temporary = 0;

  constructor(clock: Clock, files: Readonly<Record<string, string | Uint8Array>> = {}) {
    this.clock = clock;
    for (const [path, data] of Object.entries(files)) {
      this.makeDir(parentOf(path));
      this.write(path, data);
    }
  }

  readText(path: string): string {
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.readBytes(path));
    } catch (error) {
      if (error instanceof HostError) throw error;
      throw new HostError("EILSEQ", "stream did not contain valid UTF-8");
    }
  }
  readBytes(path: string): Uint8Array {
    const entry = this.need(path);
    if (entry.kind === "dir") throw systemError("EISDIR");
    return entry.data;
  }
  write(path: string, data: string | Uint8Array): void {
    this.check(path);
    const parent = this.entries.get(parentOf(path));
    if (parent === undefined) throw systemError("ENOENT");
    if (parent.kind !== "dir") throw systemError("ENOTDIR");
    if (this.entries.get(plain(path))?.kind === "dir") throw systemError("EISDIR");
    this.entries.set(plain(path), { kind: "file", data: bytesOf(data), modified: this.clock.now() });
  }
  append(path: string, data: string | Uint8Array): void {
    const old = this.entries.get(plain(path));
    if (old?.kind !== "file") {
      this.write(path, data);
      return;
    }
    const more = bytesOf(data);
    const joined = new Uint8Array(old.data.length + more.length);
    joined.set(old.data);
    joined.set(more, old.data.length);
    this.write(path, joined);
  }
  stat(path: string): FileInfo | undefined {
    this.check(path);
    const entry = this.entries.get(plain(path));
    if (entry === undefined) return undefined;
    const time = entry.kind === "file" ? entry.modified : this.clock.now();
    return {
      kind: entry.kind,
      size: entry.kind === "file" ? entry.data.length : 0,
      mode: entry.kind === "file" ? 0o644 : 0o755,
      modified: time,
      created: time,
      accessed: time,
    };
  }
  list(path: string): { name: string; kind: FileInfo["kind"] }[] {
    if (this.need(path).kind !== "dir") throw systemError("ENOTDIR");
    const base = plain(path) === "/" ? "/" : `${plain(path)}/`;
    const found: { name: string; kind: FileInfo["kind"] }[] = [];
    for (const [other, entry] of this.entries) {
      if (other === "/" || !other.startsWith(base)) continue;
      const name = other.slice(base.length);
      if (name !== "" && !name.includes("/")) found.push({ name, kind: entry.kind });
    }
    return found;
  }
  makeDir(path: string): void {
    this.check(path);
    let at = "";
    for (const part of plain(path).split("/").filter(Boolean)) {
      at += `/${part}`;
      const entry = this.entries.get(at);
      if (entry === undefined) this.entries.set(at, { kind: "dir" });
      else if (entry.kind !== "dir") throw systemError("EEXIST");
    }
  }
  remove(path: string): void {
    this.need(path);
    for (const other of [...this.entries.keys()]) {
      if (other === plain(path) || other.startsWith(`${plain(path)}/`)) this.entries.delete(other);
    }
  }
  copy(from: string, to: string): void {
    this.write(to, this.readBytes(from));
  }
  rename(from: string, to: string): void {
    this.need(from);
    if (!this.entries.has(parentOf(to))) throw systemError("ENOENT");
    for (const [other, entry] of [...this.entries]) {
      if (other !== plain(from) && !other.startsWith(`${plain(from)}/`)) continue;
      this.entries.delete(other);
      this.entries.set(plain(to) + other.slice(plain(from).length), entry);
    }
  }
  makeTempDir(prefix: string): string {
    this.temporary += 1;
    const path = `${prefix}${String(this.temporary).padStart(6, "0")}`;
    this.makeDir(path);
    return path;
  }
  realPath(path: string): string {
    this.need(path);
    return plain(path);
  }

  private need(path: string): MemoryEntry {
    this.check(path);
    const entry = this.entries.get(plain(path));
    if (entry === undefined) throw systemError("ENOENT");
    return entry;
  }
  private check(path: string): void {
    const code = this.failing.get(plain(path));
    if (code !== undefined) throw systemError(code);
  }
}

/** Folds `.`, `..` and double slashes. */
function plain(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

function parentOf(path: string): string {
  return plain(`${path}/..`);
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : data;
}

export type ProgramAnswer = Partial<ProcessResult> | HostError;

/** Programs that a test answers for; what nobody answers is not installed. */
export class ScriptedProcesses implements Processes {
  readonly calls: { program: string; args: readonly string[]; options: ProcessOptions }[] = [];
  private readonly answer: (program: string, args: readonly string[]) => ProgramAnswer | undefined;

  constructor(
    answer: (program: string, args: readonly string[]) => ProgramAnswer | undefined = () => undefined,
  ) {
    this.answer = answer;
  }
  async run(program: string, args: readonly string[], options: ProcessOptions = {}): Promise<ProcessResult> {
    this.calls.push({ program, args, options });
    const answer = this.answer(program, args) ?? systemError("ENOENT");
    if (answer instanceof HostError) throw answer;
    return {
      stdout: "",
      stderr: "",
      status: 0,
      signal: null,
      timedOut: false,
      truncated: false,
      pid: 4242,
      ...answer,
    };
  }
  killAll(): void {}
}

/** Servers that a test answers for; everybody else can't be found. */
export class ScriptedNetwork implements Network {
  readonly requests: HttpRequest[] = [];
  private readonly answer: (request: HttpRequest) => Partial<HttpResponse> | HostError | undefined;

  constructor(
    answer: (request: HttpRequest) => Partial<HttpResponse> | HostError | undefined = () => undefined,
  ) {
    this.answer = answer;
  }
  async request(
    request: HttpRequest,
    options: { readonly onData?: (chunk: Uint8Array) => void } = {},
  ): Promise<HttpResponse> {
    this.requests.push(request);
    const answer =
      this.answer(request) ?? new HostError("ENOTFOUND", `dns error: no host ${new URL(request.url).host}`);
    if (answer instanceof HostError) throw answer;
    const whole = { status: 200, headers: [], body: new Uint8Array(), finalUrl: request.url, ...answer };
    if (options.onData === undefined) return whole;
    options.onData(whole.body);
    return { ...whole, body: new Uint8Array() };
  }
}

export interface MemoryHostOptions {
  readonly network?: Network;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Standard input. */
  readonly stdin?: string;
  readonly clock?: VirtualClock;
  readonly processes?: Processes;
  readonly tty?: readonly StandardStream[];
}

export class MemoryHost implements Host {
  readonly clock: VirtualClock;
  readonly files: MemoryFiles;
  readonly processes: Processes;
  readonly network: Network;
  readonly crypto = nodeCrypto;
  readonly libraries = nodeLibraries;
  readonly cwd: string;
  readonly env: ReadonlyMap<string, string>;
  readonly os = "linux";
  readonly arch = "x86_64";
  readonly pid = 4711;
  readonly homeDir = "/home/tester";
  readonly tempDir = "/tmp";
  readonly userName = "tester";
  readonly hostName = "machine";
  readonly terminalWidth = undefined;
  readonly terminalHeight = undefined;
  private stdin: string;
  private readonly tty: readonly StandardStream[];

  constructor(options: MemoryHostOptions = {}) {
    this.clock = options.clock ?? new VirtualClock();
    this.files = new MemoryFiles(this.clock, options.files);
    this.cwd = options.cwd ?? "/work";
    this.files.makeDir(this.cwd);
    this.files.makeDir(this.tempDir);
    this.env = new Map(Object.entries(options.env ?? {}));
    this.stdin = options.stdin ?? "";
    this.processes = options.processes ?? new ScriptedProcesses();
    this.network = options.network ?? new ScriptedNetwork();
    this.tty = options.tty ?? [];
  }
  machine(): MachineFacts {
    return { cpuCount: 2, cpuModel: "memory", memoryTotal: 2 ** 30, memoryFree: 2 ** 29 };
  }
  isTty(stream: StandardStream): boolean {
    return this.tty.includes(stream);
  }
  readLine(): string | undefined {
    if (this.stdin === "") return undefined;
    const at = this.stdin.indexOf("\n");
    const line = at < 0 ? this.stdin : this.stdin.slice(0, at);
    this.stdin = at < 0 ? "" : this.stdin.slice(at + 1);
    return line.replace(/\r$/, "");
  }
  readRest(): string {
    const rest = this.stdin;
    this.stdin = "";
    return rest;
  }
}

/** A machine in memory. */
export function createMemoryHost(options: MemoryHostOptions = {}): MemoryHost {
  return new MemoryHost(options);
}
