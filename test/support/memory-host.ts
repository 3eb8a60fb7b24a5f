/**
 * A machine made of nothing, for tests: files in memory, a clock that moves only when somebody sleeps, fixed
 * environment, scripted standard input and programs. Nothing of it touches the real one, except the pure libraries.
 */
import {
  type Databases,
  type Host,
  HostError,
  type HttpBody,
  type HttpRequest,
  type HttpResponse,
  type HttpServing,
  type MachineFacts,
  type McpClients,
  MemoryFiles,
  memorySqlite,
  type Network,
  nodeCompression,
  nodeCrypto,
  nodeLibraries,
  type OutputPiece,
  type Processes,
  type ProcessOptions,
  type ProcessResult,
  type RunningProgram,
  type Sockets,
  type StandardStream,
  systemError,
  VirtualClock,
} from "../../src/host/index.ts";

export { MemoryFiles, VirtualClock };

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
  /** A program that has ended by the time it is read. */
  async open(
    program: string,
    args: readonly string[],
    options: ProcessOptions = {},
  ): Promise<RunningProgram> {
    const result = await this.run(program, args, options);
    const { stdout, stderr, pid } = result;
    const pieces: OutputPiece[] = [
      { stream: "stdout" as const, text: stdout },
      { stream: "stderr" as const, text: stderr },
    ].filter(({ text }) => text !== "");
    return { pid, result: Promise.resolve(result), read: async () => pieces.shift(), close: () => {} };
  }
  killAll(): void {}
}

const noServers: McpClients = {
  connect: async () => {
    throw systemError("ENOENT");
  },
};

/** As the machine's own network answers. */
function unreachable(url: string): HostError {
  return URL.canParse(url)
    ? new HostError("ENOTFOUND", `dns error: no host ${new URL(url).host}`)
    : new HostError("EINVAL", "builder error: invalid URL");
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
    const answer = this.answer(request) ?? unreachable(request.url);
    if (answer instanceof HostError) throw answer;
    const whole = { status: 200, headers: [], body: new Uint8Array(), finalUrl: request.url, ...answer };
    if (options.onData === undefined) return whole;
    options.onData(whole.body);
    return { ...whole, body: new Uint8Array() };
  }
  readonly sockets: Sockets = {
    connect: async ({ url }) => {
      throw URL.canParse(url) ? unreachable(url) : new HostError("EINVAL", `invalid URL '${url}'`);
    },
    listen: async () => {
      throw systemError("EACCES");
    },
  };
  readonly serving: HttpServing = {
    listen: async () => {
      throw systemError("EACCES");
    },
  };
  readonly databases: Databases = {
    open: async ({ url }) => {
      throw unreachable(url);
    },
  };
  /** The body of the scripted answer, in pieces of at most `max` bytes. */
  async open(request: HttpRequest): Promise<HttpBody> {
    const { body, ...heading } = await this.request(request);
    let at = 0;
    return {
      ...heading,
      read: async (max) => {
        if (at >= body.length) return undefined;
        const piece = body.subarray(at, at + max);
        at += piece.length;
        return piece;
      },
      close: () => {},
    };
  }
}

export interface MemoryHostOptions {
  readonly network?: Network;
  readonly mcp?: McpClients;
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
  readonly mcp: McpClients;
  readonly crypto = nodeCrypto;
  readonly compression = nodeCompression;
  readonly libraries = { ...nodeLibraries, sqlite: memorySqlite(nodeLibraries.sqlite) };
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
    this.mcp = options.mcp ?? noServers;
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
