/**
 * Child processes that were started before there is work for them. Each does one job and ends: what a job leaves behind
 * (timers, sockets, memory) goes with it. A child that eats memory, hangs, or stops answering is ended together with
 * everything that it started; the others notice nothing.
 *
 *     spare ─▶ job ─▶ ended (exit code) │ died (by itself) │ killed (time, memory, stuck, asked)
 *       ▲_______________________ another one is started
 *
 * The child's side is `pool-child.ts`. A child ends when its parent is gone.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { ownProcess } from "../process/index.ts";
import { graceMs, signalGroup, sweep, sweepAll } from "./node/process-tree.ts";
import { sayGap } from "./node/system-gaps.ts";
import { ownCommand } from "./own-command.ts";
import { type ChildMessage, type PoolJob, poolMark } from "./pool-child.ts";

export interface PoolOptions {
  /** What a child runs, a command line of ours (`ownCommand`); it must call `servePoolJob`. */
  readonly args: readonly string[];
  readonly launcher?: string | undefined;
  /** Children that wait for work. */
  readonly spares: number;
  /** Jobs at the same time; more wait for their turn. */
  readonly maxChildren: number;
  readonly limits: PoolLimits;
  /** Variables of the environment that children do not get. */
  readonly withheld?: readonly string[];
}

export interface PoolLimits {
  /** Resident memory of the child; beyond it, it is killed. */
  readonly memoryMb: number;
  /** How long a job may take. */
  readonly totalMs: number;
  /** How long it may compute without coming back to its event loop. */
  readonly stuckMs: number;
}

export type KillReason = "time" | "memory" | "stuck" | "asked";

export type ChildEnd =
  | { readonly kind: "ended"; readonly exitCode: number }
  | { readonly kind: "died"; readonly exitCode: number | null; readonly signal: string | null }
  | { readonly kind: "killed"; readonly because: KillReason };

export interface JobOptions {
  /** What the child prints, on either stream. */
  readonly onOutput?: (text: string) => void;
  /** Aborting asks the child to stop (SIGTERM), and kills it when it does not within `graceMs` (5 s). */
  readonly signal?: AbortSignal;
  readonly graceMs?: number;
  /** Called with the mark of the child's process tree before it begins: whoever comes after us can sweep it. */
  readonly onStart?: (mark: string, child: JobChild) => void;
  /** Messages of the job's own (`ParentLine.tell`). */
  readonly onMessage?: (message: unknown) => void;
}

/** The child that does a job, while it does. */
export interface JobChild {
  readonly pid: number;
  /** To its `ParentLine`; nothing happens when it is gone. */
  send(message: unknown): void;
  /** Ctrl-C: it unwinds. With all that it started it is killed when it is still there after so many milliseconds. */
  interrupt(killAfterMs: number): void;
  /** At once, with all that it started. */
  kill(): void;
}

/** How long output of a child that is gone is waited for: somebody who got away may hold the other end. */
const lastOutputMs = 500;

/** Between two looks at the clock and at the child's memory. */
const lookEveryMs = 250;

export class ChildPool {
  private readonly options: PoolOptions;
  private readonly spares: PoolChild[] = [];
  private readonly busy = new Set<PoolChild>();
  private readonly waiting: (() => void)[] = [];
  private closed = false;

  constructor(options: PoolOptions) {
    this.options = options;
    this.refill();
  }

  /** Does a job in a child of its own. */
  async run(job: PoolJob, options: JobOptions = {}): Promise<ChildEnd> {
    while (this.busy.size >= this.options.maxChildren && !this.closed)
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (this.closed) return { kind: "killed", because: "asked" };
    const child = this.spares.shift() ?? new PoolChild(this.options);
    this.busy.add(child);
    this.refill();
    try {
      return await child.run(job, options);
    } finally {
      this.busy.delete(child);
      this.waiting.shift()?.();
    }
  }

  /** A spare that dies before it has work is replaced when the next one is needed. */
  private refill(): void {
    while (!this.closed && this.spares.length < this.options.spares) {
      const spare = new PoolChild(this.options);
      spare.onExit = () => {
        const at = this.spares.indexOf(spare);
        if (at >= 0) this.spares.splice(at, 1);
      };
      this.spares.push(spare);
    }
  }

  /** Ends all children at once. */
  close(): void {
    this.closed = true;
    for (const child of [...this.spares, ...this.busy]) child.kill("asked");
    this.spares.length = 0;
    for (const wake of this.waiting.splice(0)) wake();
  }
}

class PoolChild {
  onExit: () => void = () => {};
  private readonly child: ChildProcess;
  private readonly limits: PoolLimits;
  private readonly mark = `${process.pid}-${randomBytes(6).toString("hex")}`;
  private onOutput: (text: string) => void = () => {};
  private onMessage: (message: unknown) => void = () => {};
  private killed: KillReason | undefined;
  private exitCode: number | undefined;
  private began = 0;
  private received = 0;
  private readonly exited: Promise<ChildEnd>;

  constructor({ args, launcher, limits, withheld = [] }: PoolOptions) {
    this.limits = limits;
    const env: NodeJS.ProcessEnv = { ...ownProcess().env, [poolMark]: this.mark };
    for (const name of withheld) delete env[name];
    const nodeFlags = [`--max-old-space-size=${limits.memoryMb}`];
    const command = ownCommand(args, { launcher, nodeFlags });
    this.child = spawn(command.program, command.args, {
      env,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      detached: true,
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => this.onOutput(text));
    this.child.on("message", (message: ChildMessage) => {
      this.received = performance.now();
      if (message.type === "done") this.exitCode = message.exitCode;
      else if (message.type === "told") this.onMessage(message.message);
    });
    // `close` comes when all output has been read; a child that could not be started only has `error`.
    const read = new Promise<void>((resolve) => this.child.once("close", () => resolve()));
    this.exited = new Promise((resolve) => {
      this.child.once("error", () => resolve({ kind: "died", exitCode: null, signal: null }));
      this.child.once("exit", (code, signal) => {
        this.onExit();
        void this.cleared(read).then(() => resolve(this.endOf(code, signal)));
      });
    });
  }

  /** Until nobody of its tree is left and its output was read. */
  private async cleared(read: Promise<void>): Promise<void> {
    await sweepAll(this.mark, poolMark);
    await Promise.race([read, pause(lastOutputMs, undefined, { ref: false })]);
  }

  async run(job: PoolJob, options: JobOptions): Promise<ChildEnd> {
    this.onExit = () => {};
    this.onOutput = options.onOutput ?? this.onOutput;
    this.onMessage = options.onMessage ?? this.onMessage;
    this.began = performance.now();
    this.received = this.began;
    options.onStart?.(this.mark, this.asJobChild());
    const look = setInterval(() => this.look(), lookEveryMs);
    const stop = (): void => this.stop(options.graceMs ?? 5000);
    options.signal?.addEventListener("abort", stop, { once: true });
    if (options.signal?.aborted === true) stop();
    // One that is gone already is noticed by its exit.
    else this.child.send(job, () => {});
    try {
      return await this.exited;
    } finally {
      clearInterval(look);
      options.signal?.removeEventListener("abort", stop);
    }
  }

  private asJobChild(): JobChild {
    return {
      pid: this.child.pid ?? 0,
      send: (message) => {
        if (this.child.connected) this.child.send(message as object, () => {});
      },
      interrupt: (killAfterMs) => {
        this.child.kill("SIGINT");
        setTimeout(() => this.kill("asked"), killAfterMs).unref();
      },
      kill: () => this.kill("asked"),
    };
  }

  private look(): void {
    const now = performance.now();
    if (now - this.began > this.limits.totalMs) this.kill("time");
    else if (now - this.received > this.limits.stuckMs) this.kill("stuck");
    else if ((residentMb(this.child.pid) ?? 0) > this.limits.memoryMb) this.kill("memory");
  }

  private stop(patience: number): void {
    this.killed ??= "asked";
    signalGroup(this.child, "SIGTERM");
    setTimeout(() => this.kill("asked"), patience + graceMs).unref();
  }

  kill(because: KillReason): void {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.killed ??= because;
    signalGroup(this.child, "SIGKILL");
    sweep(this.mark, poolMark);
  }

  private endOf(exitCode: number | null, signal: string | null): ChildEnd {
    // A job that was finished when the signal came is finished all the same.
    if (this.exitCode !== undefined && this.killed !== "asked")
      return { kind: "ended", exitCode: this.exitCode };
    if (this.killed !== undefined) return { kind: "killed", because: this.killed };
    return { kind: "died", exitCode, signal };
  }
}

const pageSize = 4096;

/** What a process holds in memory; undefined where the system does not say, or it is gone. V8's own limit holds everywhere. */
function residentMb(pid: number | undefined): number | undefined {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]);
    return (pages * pageSize) / 2 ** 20;
  } catch {
    if (process.platform !== "linux") sayGap("memory");
    return undefined;
  }
}
