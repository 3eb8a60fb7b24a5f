/** One process that does runs of sessions, as `harn serve` sees it. */
import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";
import { killMarked } from "../../host/index.ts";
import type { SessionJob } from "./worker.ts";

/** Whose sub-processes they are: what a run started is ended with a run that had to be killed. */
const mark = "HARN_SESSION_WORKER";

export interface WorkerEnd {
  /** `null`: ended by a signal. */
  readonly code: number | null;
  readonly signal: string | null;
  /** It took longer than it may. */
  readonly late: boolean;
}

export type Said = (stream: "stdout" | "stderr", line: string) => void;

export class WorkerProcess {
  private readonly child: ChildProcess;
  private readonly token = `${process.pid}-${randomBytes(6).toString("hex")}`;
  private late = false;

  constructor() {
    // A group of its own: Ctrl-C at the terminal is for the server, which tells its runs to stop when they may not end.
    this.child = fork(process.argv[1] as string, ["session-worker"], {
      env: { ...process.env, [mark]: this.token },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      detached: true,
    });
    // Failed starts and sends are heard of by its end.
    this.child.on("error", () => {});
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null && this.child.connected;
  }

  /** Runs a session; resolves when the process has ended and everything it said was told. */
  async run(job: SessionJob, said: Said, timeoutMs: number | undefined): Promise<WorkerEnd> {
    const { child } = this;
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => this.timeOut(), timeoutMs);
    for (const stream of ["stdout", "stderr"] as const) {
      const source = child[stream];
      if (source !== null) createInterface({ input: source }).on("line", (line) => said(stream, line));
    }
    const ended = new Promise<WorkerEnd>((resolve) => {
      child.once("close", (code, signal) => resolve({ code, signal, late: this.late }));
    });
    child.send(job, () => {});
    const end = await ended;
    clearTimeout(timer);
    if (end.code === null) killMarked(this.token, mark);
    return end;
  }

  /** Asks it to stop at its next step; its run can go on later. */
  stop(): void {
    this.child.kill("SIGTERM");
  }

  kill(): void {
    this.child.kill("SIGKILL");
    killMarked(this.token, mark);
  }

  /** Nobody needs it. */
  dismiss(): void {
    if (this.child.connected) this.child.disconnect();
  }

  private timeOut(): void {
    this.late = true;
    this.stop();
    const patienceMs = 5000;
    setTimeout(() => this.isRunning && this.kill(), patienceMs).unref();
  }

  private get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }
}
