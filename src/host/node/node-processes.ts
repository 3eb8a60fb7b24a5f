/**
 * Running programs. Each runs detached in a process group of its own, so that Ctrl-C reaches it through the run's
 * abort signal only and the whole tree can be ended: SIGTERM, a grace, SIGKILL, then a sweep for what left the group.
 */
import type { ChildProcess } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { ownProcess } from "../../process/index.ts";
import {
  HostError,
  type OutputPiece,
  type Processes,
  type ProcessOptions,
  type ProcessResult,
  type RunningProgram,
} from "../ports.ts";
import { hostError } from "./os-errors.ts";
import { canSweep, graceMs, signalGroup, sweep, treeToken } from "./process-tree.ts";
import { sayGap } from "./system-gaps.ts";

/** Output of a running program, between the program that writes and the one that reads. Characters stay whole. */
type StreamName = OutputPiece["stream"];

class OutputQueue {
  private readonly decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  private readonly pieces: OutputPiece[] = [];
  private ended = false;
  private wake: (() => void) | undefined;

  add(stream: StreamName, chunk: Buffer): void {
    this.push(stream, this.decoders[stream].write(chunk));
  }

  /** Nothing more will come. */
  end(): void {
    this.push("stdout", this.decoders.stdout.end());
    this.push("stderr", this.decoders.stderr.end());
    this.ended = true;
    this.wake?.();
  }

  /** The next piece, or `undefined` at the end; rejects with the signal's reason. One reader at a time. */
  async next(signal: AbortSignal): Promise<OutputPiece | undefined> {
    while (this.pieces.length === 0 && !this.ended) {
      signal.throwIfAborted();
      await this.something(signal);
    }
    signal.throwIfAborted();
    return this.pieces.shift();
  }

  private something(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener("abort", done);
        this.wake = undefined;
        resolve();
      };
      this.wake = done;
      signal.addEventListener("abort", done, { once: true });
    });
  }

  private push(stream: StreamName, text: string): void {
    if (text === "") return;
    const last = this.pieces.at(-1);
    // What nobody has read yet grows together.
    if (last?.stream === stream) this.pieces[this.pieces.length - 1] = { stream, text: last.text + text };
    else this.pieces.push({ stream, text });
    this.wake?.();
  }
}

/** A program that was started, with what finds its descendants. */
export interface NodeChild {
  readonly child: ChildProcess;
  readonly token: string;
}

/** Why a tree is being ended; the first reason counts. */
type CutReason = "timeout" | "output" | "abort" | "stopped";

const defaultMaxOutput = 64 * 1024 * 1024;
const running = new Set<NodeChild>();
/** Tokens of programs that are being started: Ctrl-C may break a computation off after the spawn, before anybody knows the child. */
const starting = new Set<string>();
let started = 0;

/** Node's own module, loaded when the first program is started. */
function childProcess(): typeof import("node:child_process") {
  return process.getBuiltinModule("node:child_process");
}

function environment(options: ProcessOptions, token: string): Record<string, string | undefined> {
  const base = options.replaceEnv === true ? {} : ownProcess().env;
  return { ...base, ...options.env, [treeToken]: token };
}

function killAll(): void {
  for (const { child, token } of running) {
    signalGroup(child, "SIGKILL");
    sweep(token);
  }
  for (const token of starting) sweep(token);
  running.clear();
  starting.clear();
}

function startProcess(program: string, args: readonly string[], options: ProcessOptions): NodeChild {
  if (started === 0) process.once("exit", killAll);
  if (!canSweep()) sayGap("descendants");
  started += 1;
  const token = `${process.pid}-${started}`;
  starting.add(token);
  try {
    const child = childProcess().spawn(program, [...args], {
      cwd: options.cwd ?? ownProcess().cwd(),
      env: environment(options, token),
      detached: process.platform !== "win32",
      stdio: "pipe",
      windowsHide: true,
    });
    // What could not be started has no number. Nothing but walls round code is made of this one.
    if (program === "bwrap" && child.pid === undefined) sayGap("walls");
    const begun = { child, token };
    running.add(begun);
    return begun;
  } finally {
    // Not reached by what is broken off by a signal.
    starting.delete(token);
  }
}

/** Starts a program that lasts, such as a server spoken to over its pipes. It ends with the run, whatever happens. */
export function startLasting(program: string, args: readonly string[], options: ProcessOptions): NodeChild {
  const lasting = startProcess(program, args, options);
  lasting.child.once("close", () => void running.delete(lasting));
  return lasting;
}

/** Collects one output stream up to the limit that both streams share. */
class Output {
  private readonly chunks: Buffer[] = [];
  take(chunk: Buffer, room: number): void {
    this.chunks.push(chunk.length > room ? chunk.subarray(0, Math.max(room, 0)) : chunk);
  }
  text(): string {
    return Buffer.concat(this.chunks).toString("utf8");
  }
}

/** One program from start to end. */
class Execution {
  private readonly options: ProcessOptions;
  private readonly process: NodeChild;
  private readonly stdout = new Output();
  private readonly stderr = new Output();
  private room: number;
  private ending: CutReason | undefined;
  private timeout: NodeJS.Timeout | undefined;
  private grace: NodeJS.Timeout | undefined;

  private readonly queue: OutputQueue | undefined;

  constructor(program: string, args: readonly string[], options: ProcessOptions, queue?: OutputQueue) {
    this.options = options;
    this.queue = queue;
    this.room = options.maxOutput ?? defaultMaxOutput;
    this.process = startProcess(program, args, options);
  }

  result(): Promise<ProcessResult> {
    const { child } = this.process;
    const { signal, timeoutMs, stdin } = this.options;
    return new Promise((resolve, reject) => {
      const abort = (): void => this.end("abort");
      const settle = (): void => {
        clearTimeout(this.timeout);
        clearTimeout(this.grace);
        signal?.removeEventListener("abort", abort);
        running.delete(this.process);
        if (this.ending !== undefined) sweep(this.process.token);
      };
      child.once("error", (error) => {
        // Also raised when a signal can't be sent; then the process still ends by itself.
        if (child.pid !== undefined) return;
        settle();
        reject(hostError(error));
      });
      child.once("close", (status, killedBy) => {
        settle();
        if (this.ending === "abort") reject(signal?.reason);
        else resolve(this.report(status, killedBy));
      });
      this.collect("stdout", this.stdout);
      this.collect("stderr", this.stderr);
      feed(child, stdin);
      if (timeoutMs !== undefined && timeoutMs < 0x7fff_ffff) {
        this.timeout = setTimeout(() => this.end("timeout"), Math.max(timeoutMs, 0));
      }
      if (signal?.aborted) abort();
      else signal?.addEventListener("abort", abort, { once: true });
    });
  }

  private collect(name: "stdout" | "stderr", into: Output): void {
    const { onOutput } = this.options;
    const decoder = onOutput === undefined ? undefined : new StringDecoder("utf8");
    this.process.child[name]?.on("data", (chunk: Buffer) => {
      into.take(chunk, this.room);
      const kept = chunk.subarray(0, Math.max(this.room, 0));
      this.queue?.add(name, kept);
      const text = decoder?.write(kept) ?? "";
      if (text !== "") onOutput?.({ stream: name, text });
      this.room -= chunk.length;
      if (this.room < 0) this.end("output");
    });
  }

  /** Resolves when the program runs; rejects when it can't be started. */
  started(): Promise<number> {
    const { child } = this.process;
    return new Promise((resolve, reject) => {
      child.once("spawn", () => resolve(child.pid ?? -1));
      child.once("error", (error) => reject(hostError(error)));
    });
  }

  end(reason: CutReason): void {
    if (this.ending !== undefined) return;
    this.ending = reason;
    const { child, token } = this.process;
    signalGroup(child, "SIGTERM");
    this.grace = setTimeout(() => {
      signalGroup(child, "SIGKILL");
      sweep(token);
      // What still holds the pipes after that is nobody of ours: stop waiting for it.
      this.grace = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, graceMs);
    }, graceMs);
  }

  private report(status: number | null, signal: NodeJS.Signals | null): ProcessResult {
    return {
      stdout: this.stdout.text(),
      stderr: this.stderr.text(),
      status: this.ending === "timeout" ? null : status,
      signal,
      timedOut: this.ending === "timeout",
      truncated: this.ending === "output",
      pid: this.process.child.pid ?? -1,
    };
  }
}

/** Writes standard input and closes it; a program that doesn't read it is not an error. */
function feed(child: ChildProcess, text: string | undefined): void {
  child.stdin?.on("error", () => {});
  child.stdin?.end(text ?? "");
}

export const nodeProcesses: Processes = {
  async run(program, args, options = {}) {
    try {
      return await new Execution(program, args, options).result();
    } catch (error) {
      // `spawn` itself throws on a NUL byte in an argument and on arguments too long for the system.
      if (error instanceof Error && "code" in error && !options.signal?.aborted) throw spawnError(error);
      throw error;
    }
  },
  async open(program, args, options = {}): Promise<RunningProgram> {
    const queue = new OutputQueue();
    try {
      const execution = new Execution(program, args, options, queue);
      const started = execution.started();
      const result = execution.result().finally(() => queue.end());
      // Whoever asks for the result is told; that nobody asks is no failure.
      result.catch(() => {});
      const pid = await started;
      return { pid, result, read: (signal) => queue.next(signal), close: () => execution.end("stopped") };
    } catch (error) {
      if (error instanceof Error && "code" in error && !(error instanceof HostError)) throw spawnError(error);
      throw error;
    }
  },
  killAll,
};

function spawnError(error: Error & { code?: unknown }): HostError {
  if (error.code === "ERR_INVALID_ARG_VALUE") {
    return new HostError("EINVAL", "nul byte found in provided data");
  }
  return hostError(error);
}
