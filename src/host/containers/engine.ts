/**
 * `docker` or `podman` on PATH: both take the same arguments. Nothing of a task stands where an option could stand, and the
 * programs of a trial never see the environment of this process.
 */
import { spawn, spawnSync } from "node:child_process";
import type { Processes, ProcessOptions, ProcessResult, RunningProgram } from "../ports.ts";

/** How long the engine may take to say that it is there, and for what concerns no image. */
const answerMs = 20_000;
const maxSyncOutput = 512 * 1024 * 1024;

export interface SyncResult {
  readonly status: number | null;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

export class ContainerEngine {
  readonly program: string;
  readonly processes: Processes;

  constructor(program: string, processes: Processes) {
    this.program = program;
    this.processes = processes;
  }

  /** The first whose server answers: a client without a daemon is none. */
  static async found(processes: Processes): Promise<ContainerEngine | undefined> {
    for (const program of ["docker", "podman"]) {
      const engine = new ContainerEngine(program, processes);
      if (await engine.answers()) return engine;
    }
    return undefined;
  }

  async answers(): Promise<boolean> {
    try {
      const { status, stdout } = await this.call(["version", "--format", "{{.Server.Version}}"]);
      return status === 0 && stdout.trim() !== "";
    } catch {
      // It is not on PATH.
      return false;
    }
  }

  /** Waits for what the engine itself does. */
  call(args: readonly string[]): Promise<ProcessResult> {
    return this.processes.run(this.program, args, { timeoutMs: answerMs });
  }

  /** The same without a limit of time, for what loads or builds an image, or runs a program. */
  run(args: readonly string[], options: ProcessOptions = {}): Promise<ProcessResult> {
    return this.processes.run(this.program, args, options);
  }

  open(args: readonly string[], options: ProcessOptions): Promise<RunningProgram> {
    return this.processes.open(this.program, args, options);
  }

  /** Hands over what it prints, byte by byte. What `take` throws ends it. Resolves with how it ended. */
  stream(args: readonly string[], take: (piece: Buffer) => void): Promise<SyncResult> {
    return new Promise((resolve, reject) => {
      const child = spawn(this.program, [...args], { stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
      let stderr = "";
      child.on("error", reject);
      child.stderr.on("data", (piece: Buffer) => {
        stderr = (stderr + piece.toString("utf8")).slice(-4096);
      });
      child.stdout.on("data", (piece: Buffer) => {
        try {
          take(piece);
        } catch (error) {
          child.kill("SIGKILL");
          reject(error);
        }
      });
      child.on("close", (status) => resolve({ status, stdout: new Uint8Array(), stderr }));
    });
  }

  /** For ports that answer at once, as files do. */
  callSync(args: readonly string[], stdin?: Uint8Array): SyncResult {
    const { status, stdout, stderr } = spawnSync(this.program, [...args], {
      input: stdin ?? new Uint8Array(),
      maxBuffer: maxSyncOutput,
      windowsHide: true,
    });
    return { status, stdout: stdout ?? new Uint8Array(), stderr: stderr?.toString("utf8") ?? "" };
  }
}

/** The last line that says something, for messages. */
export const lastWords = (text: string): string =>
  text
    .trim()
    .split("\n")
    .findLast((line) => line.trim() !== "")
    ?.trim() ?? "it said nothing";
