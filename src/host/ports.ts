/**
 * What a run may ask of the machine, as ports: adapters to Node live beside this file, tests bring their own. None of
 * these records anything; builtins call them inside an effect.
 */

import type { Databases } from "./database-port.ts";
import type { AccessJudge } from "./guard/access.ts";
import type { HttpProxy, HttpTls } from "./http-port.ts";
import type { HttpServing } from "./http-server-port.ts";
import type { McpClients } from "./mcp/mcp-port.ts";
import type { Sockets } from "./socket-port.ts";

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds on a clock that never goes back; its zero is arbitrary. */
  monotonic(): number;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface FileInfo {
  readonly kind: "file" | "dir" | "symlink" | "other";
  readonly size: number;
  readonly mode: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  readonly created: number;
  readonly accessed: number;
}

/** Synchronous: small files are read faster so, and a script's order of effects stays plain. Errors are `HostError`s. */
export interface Files {
  readText(path: string): string;
  readBytes(path: string): Uint8Array;
  /** Fills a buffer from `offset` on, and says how much of it: less only at the end. For files too big to be held at once. */
  readInto(path: string, offset: number, buffer: Uint8Array): number;
  /** Atomic: written beside and renamed over. `mode`: who may use it from now on; default as the system has it. */
  write(path: string, data: string | Uint8Array, mode?: number): void;
  /** `mode`: of a file that is made by this. */
  append(path: string, data: string | Uint8Array, mode?: number): void;
  /** `undefined` when nothing is there. */
  stat(path: string, options?: { followLinks?: boolean }): FileInfo | undefined;
  /** In directory order, unsorted. */
  list(path: string): readonly { readonly name: string; readonly kind: FileInfo["kind"] }[];
  /** With its parents; existing directories are fine. `mode`: of those that are made by this. */
  makeDir(path: string, mode?: number): void;
  /** Files, links and whole directories. */
  remove(path: string): void;
  copy(from: string, to: string): void;
  rename(from: string, to: string): void;
  makeTempDir(prefix: string): string;
  realPath(path: string): string;
  /**
   * The same files under rules: each access is judged by where it really leads, and what was judged is what is used.
   * Absent where nothing but the names of files can be looked at.
   */
  guarded?(judge: AccessJudge): Files;
}

export interface ProcessResult {
  readonly stdout: string;
  readonly stderr: string;
  /** `null` when ended by a signal. */
  readonly status: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** Output passed `maxOutput`: it was cut off and the process ended. */
  readonly truncated: boolean;
  readonly pid: number;
}

export interface ProcessOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly replaceEnv?: boolean;
  readonly stdin?: string;
  readonly timeoutMs?: number;
  /** Output beyond this many bytes is cut off and the process killed. */
  readonly maxOutput?: number;
  readonly signal?: AbortSignal;
  /** Called with what it prints while it runs, up to `maxOutput`. */
  readonly onOutput?: (piece: OutputPiece) => void;
}

export interface Processes {
  /**
   * Runs a program to its end; aborting or timing out kills its whole process tree. Rejects with a `HostError` when
   * it can't be started, with the signal's reason when aborted.
   */
  run(program: string, args: readonly string[], options?: ProcessOptions): Promise<ProcessResult>;
  /** Starts a program whose output is read while it runs. Rejects like `run`. */
  open(program: string, args: readonly string[], options?: ProcessOptions): Promise<RunningProgram>;
  /** Kills every process tree still running, at once: for the end of the run. */
  killAll(): void;
}

/** A piece of a program's output. Characters are whole. */
export interface OutputPiece {
  readonly stream: "stdout" | "stderr";
  readonly text: string;
}

/** A program that runs beside the caller. Output that nobody reads is kept up to `maxOutput`. */
export interface RunningProgram {
  readonly pid: number;
  /** The next piece, waited for; `undefined` at the end. */
  read(signal: AbortSignal): Promise<OutputPiece | undefined>;
  /** How it ended, with all that it printed. */
  readonly result: Promise<ProcessResult>;
  /** Ends its whole tree. */
  close(): void;
}

export type HashAlgorithm =
  | "md5"
  | "sha1"
  | "sha224"
  | "sha256"
  | "sha384"
  | "sha512"
  | "sha512-256"
  | "sha3-256"
  | "sha3-512";

/** One exchange with an HTTP server; redirects are part of it. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  /** Later entries of one name win, whatever their case. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Uint8Array | undefined;
  /** From the start to the last byte of the body; of `Network.open`: to the head of the answer. */
  readonly timeoutMs?: number | undefined;
  /** Of `Network.open`: from the start to the last byte. */
  readonly totalTimeoutMs?: number | undefined;
  /** Until the connection (and its TLS) stands. */
  readonly connectTimeoutMs?: number | undefined;
  /** The longest silence of the server. */
  readonly readTimeoutMs?: number | undefined;
  /** Redirects followed; 0 gives the redirect itself back. */
  readonly maxRedirects: number;
  /** Bytes of body, after decompression. More is an error of code `EFBIG`, raised as soon as it is known. */
  readonly maxBytes: number;
  readonly decompress: boolean;
  readonly proxy?: HttpProxy | undefined;
  readonly tls?: HttpTls | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names; several lines of one name joined by `, `. */
  readonly headers: readonly (readonly [string, string])[];
  /** Empty when the chunks went to `onData`. */
  readonly body: Uint8Array;
  /** Where the last redirect led. */
  readonly finalUrl: string;
}

/** What a caller wants to know or say at each hop of an exchange; redirects are hops. */
export interface HttpHooks {
  /** Before anything is sent to this URL; what it throws ends the exchange. */
  readonly beforeHop?: (url: string) => void;
  /** When the name in this URL has been resolved, for each of its addresses; what it throws ends the exchange. */
  readonly resolved?: (url: string, address: string) => void;
  readonly cookies?: HttpCookies | undefined;
}

export interface HttpCookies {
  /** The `Cookie` header for a URL. */
  header(url: string): string | undefined;
  /** The `Set-Cookie` lines of its answer. */
  received(url: string, lines: readonly string[]): void;
}

/** An answer whose body comes piece by piece. */
export interface HttpBody extends Omit<HttpResponse, "body"> {
  /** At least one byte and at most `max`, as soon as some are there; `undefined` at the end. Aborting loses nothing. */
  read(max: number, signal?: AbortSignal): Promise<Uint8Array | undefined>;
  close(): void;
}

export interface Network {
  /**
   * Rejects with a `HostError` whose message names no more of the URL than host and port; with the signal's reason
   * when aborted. Every status of a server is an answer. With `onData` the body of a final answer is not kept.
   */
  request(
    request: HttpRequest,
    options?: HttpHooks & { readonly signal?: AbortSignal; readonly onData?: (chunk: Uint8Array) => void },
  ): Promise<HttpResponse>;
  /** As `request`, up to the head of the answer; the rest is the caller's to read and to close. */
  open(request: HttpRequest, options?: HttpHooks & { readonly signal?: AbortSignal }): Promise<HttpBody>;
  /**
   * What the SDKs of vendors and of MCP ask with; the global one unless given. No rule is asked here: whoever uses it asks, before
   * each hop.
   */
  readonly fetch?: typeof fetch;
  readonly sockets: Sockets;
  readonly serving: HttpServing;
  readonly databases: Databases;
}

export type Curve = "ed25519" | "x25519";
export type JwtAlgorithm = "ES256" | "RS256";

/** What Node has natively. Keys of curves are their raw 32 bytes; PEM keys that can't be used are `HostError`s. */
export interface Crypto {
  hash(algorithm: HashAlgorithm, data: Uint8Array): Uint8Array;
  /** Hexadecimal SHA-256 of a text's UTF-8 bytes, at a quarter of what `hash` takes for a short one. */
  digest(text: string): string;
  hmac(algorithm: HashAlgorithm, key: Uint8Array, data: Uint8Array): Uint8Array;
  /** Fit for keys. */
  randomBytes(count: number): Uint8Array;
  publicKey(curve: Curve, privateKey: Uint8Array): Uint8Array;
  sign(privateKey: Uint8Array, message: Uint8Array): Uint8Array;
  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
  agree(privateKey: Uint8Array, peer: Uint8Array): Uint8Array;
  signJwt(algorithm: JwtAlgorithm, privatePem: string, data: Uint8Array): Uint8Array;
  verifyJwt(algorithm: JwtAlgorithm, pem: string, data: Uint8Array, signature: Uint8Array): boolean;
  /** A certificate for a server under development. */
  selfSigned(hosts: readonly string[], nowMs: number): SelfSigned;
}

export interface SelfSigned {
  readonly certPem: string;
  readonly keyPem: string;
}

export type CompressionFormat = "gzip" | "zstd" | "brotli" | "deflate";

/** Node's zlib, at once: data in memory. Malformed data is a `HostError`, too much of it one of code `EFBIG`. */
export interface Compression {
  encode(format: CompressionFormat, data: Uint8Array, level?: number): Uint8Array;
  decode(format: CompressionFormat, data: Uint8Array, maxBytes: number): Uint8Array;
  crc32(data: Uint8Array): number;
}

/** Libraries too big for the start of a run, loaded when a builtin first needs them (9–20 ms each). */
export interface Libraries {
  re2js(): typeof import("re2js");
  minimatch(): typeof import("minimatch");
  yaml(): typeof import("yaml");
  toml(): typeof import("smol-toml");
  diff(): typeof import("diff");
  stringWidth(): typeof import("string-width").default;
  blake3(): typeof import("@noble/hashes/blake3.js").blake3;
  /** Schedules in cron's five fields. */
  croner(): typeof import("croner");
  /** What the public-suffix list and the rules of cookies say; its own jar, which reads the clock, is not used. */
  toughCookie(): typeof import("tough-cookie");
  eventSourceParser(): typeof import("eventsource-parser");
  /** Part of Node; loading it takes a moment all the same. */
  sqlite(): typeof import("node:sqlite");
}

/** The machine itself; memory in bytes. */
export interface MachineFacts {
  readonly cpuCount: number;
  readonly cpuModel: string;
  readonly memoryTotal: number;
  readonly memoryFree: number;
}

/** A graphics processor; memory in bytes, `undefined` when the driver does not say. */
export interface GpuFacts {
  readonly name: string;
  readonly memoryTotal: number | undefined;
}

/** A running program; memory in bytes. */
export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly memory: number;
}

/** Hardware and what runs on it. What a system does not tell is left out. */
export interface Sensors {
  gpus(): readonly GpuFacts[];
  processes(): readonly ProcessFacts[];
  /** Degrees Celsius by place. */
  temperatures(): readonly { readonly name: string; readonly celsius: number }[];
}

export type StandardStream = "stdin" | "stdout" | "stderr";

export interface Host {
  readonly clock: Clock;
  readonly files: Files;
  readonly processes: Processes;
  readonly network: Network;
  readonly mcp: McpClients;
  readonly crypto: Crypto;
  readonly compression: Compression;
  readonly libraries: Libraries;
  /** The working directory that relative paths are resolved against. */
  readonly cwd: string;
  readonly env: ReadonlyMap<string, string>;
  /** "linux", "darwin", "windows" */
  readonly os: string;
  /** "x86_64", "aarch64" */
  readonly arch: string;
  readonly pid: number;
  readonly homeDir: string;
  readonly tempDir: string;
  readonly userName: string;
  readonly hostName: string;
  /** Terminal width in columns, `undefined` when standard output is none. */
  readonly terminalWidth: number | undefined;
  readonly terminalHeight: number | undefined;
  machine(): MachineFacts;
  /**
   * Resolves when something at or below these absolute paths may have changed; `undefined` when nobody can tell. Absent
   * where there is no watcher.
   */
  watch?(paths: readonly string[], signal: AbortSignal): Promise<void> | undefined;
  /** What the machine can tell of its hardware and of what runs on it; absent where nothing is told. */
  readonly sensors?: Sensors;
  /** Throws where a link of the project leads away from where the runtime keeps its own files; absent where nobody can look. */
  checkOwnPlace?(path: string): void;
  /** Of a machine with limits: itself without them, for finding the runtime's own files. */
  readonly own?: Host;
  /** Of a machine whose files and programs are a container's: the one on which the program itself lies, with its templates and skills. */
  readonly program?: Host;
  isTty(stream: StandardStream): boolean;
  /** A line of standard input without its line break; `undefined` at the end. Aborting leaves the line for the next read. */
  readLine(signal?: AbortSignal): MaybeLine;
  /** As `readLine`, but what a person types at a terminal is not shown; absent where nobody types. */
  readHidden?(signal?: AbortSignal): MaybeLine;
  /** What is left of standard input. */
  readRest(signal?: AbortSignal): string | Promise<string>;
}

export type MaybeLine = string | undefined | Promise<string | undefined>;

/** A failed host operation, worded like the operating system's own message. */
export class HostError {
  /** `ENOENT`, `EACCES` … */
  readonly code: string;
  /** `no such file or folder` */
  readonly message: string;
  constructor(code: string, message: string) {
    this.code = code;
    this.message = message;
  }
}

/**
 * Where the program itself lies, also when what it does is done in a container: for files that the program brings along, under the
 * rules of the run.
 */
export const machineOfProgram = (host: Host): Host => host.program ?? host;

/** For the runtime's own files, such as the manifest of the project: without rules. */
export const machineOfRuntime = (host: Host): Host => {
  const machine = machineOfProgram(host);
  return machine.own ?? machine;
};
