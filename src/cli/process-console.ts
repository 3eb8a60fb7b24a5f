/**
 * A program's output on the process's own streams. Standard output is written at once on a terminal and in chunks
 * otherwise (one system call per `println` would cost more than the interpreter); it is flushed whenever the program
 * waits, before anything is written to standard error, and at the end. A reader that went away (`harn run x | head`)
 * or a full disk ends the run: a program that nobody hears should not go on working.
 */
import { fstatSync, writeSync } from "node:fs";
import type { StopRequest } from "../effects/index.ts";
import type { Console } from "../interp/index.ts";
import { exitCode } from "./exit-codes.ts";

const CHUNK = 16 * 1024;

export class ProcessConsole implements Console {
  private pending: string[] = [];
  private size = 0;
  private scheduled = false;
  lost: StopRequest | undefined = undefined;
  onLost: ((request: StopRequest) => void) | undefined = undefined;
  private readonly immediate = isDevice(1);

  write(text: string): void {
    if (text === "" || this.lost !== undefined) return;
    this.pending.push(text);
    this.size += text.length;
    if (this.immediate || this.size >= CHUNK) this.flush();
    else if (!this.scheduled) {
      this.scheduled = true;
      setImmediate(() => this.flush());
    }
  }

  writeError(text: string): void {
    this.flush();
    writeAll(2, text);
  }

  flush(): void {
    this.scheduled = false;
    if (this.pending.length === 0) return;
    const text = this.pending.join("");
    this.pending = [];
    this.size = 0;
    if (this.lost === undefined) this.takeFault(writeAll(1, text));
  }

  private takeFault(fault: NodeJS.ErrnoException | undefined): void {
    // A standard output that was never open is one that nobody wants: `harn run x >&-`.
    if (fault === undefined || fault.code === "EBADF") return;
    const gone = fault.code === "EPIPE";
    if (!gone) writeAll(2, `harn: cannot write standard output: ${fault.message}\n`);
    this.lost = { reason: "output", exitCode: gone ? exitCode.readerGone : exitCode.failed };
    this.onLost?.(this.lost);
  }
}

/** A terminal, or `/dev/null`. Node's own `isatty` would load streams and sockets to say so: 10 ms. */
function isDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}

/** What went wrong, if anything. */
function writeAll(descriptor: number, text: string): NodeJS.ErrnoException | undefined {
  const bytes = Buffer.from(text, "utf8");
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      const fault = error as NodeJS.ErrnoException;
      // The other end of a non-blocking pipe is full: wait a little instead of losing output.
      if (fault.code === "EAGAIN") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      else return fault;
    }
  }
  return undefined;
}
