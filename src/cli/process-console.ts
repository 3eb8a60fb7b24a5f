/**
 * A program's output on the process's own streams. Standard output is written at once on a terminal and in chunks
 * otherwise (one system call per `println` would cost more than the interpreter); it is flushed whenever the program
 * waits, before anything is written to standard error, and at the end. A reader that went away (`harn run x | head`)
 * ends the output, not the program.
 */
import { fstatSync, writeSync } from "node:fs";
import type { Console } from "../interp/index.ts";

const CHUNK = 16 * 1024;

export class ProcessConsole implements Console {
  private pending: string[] = [];
  private size = 0;
  private scheduled = false;
  private closed = false;
  private readonly immediate = isDevice(1);

  write(text: string): void {
    if (text === "" || this.closed) return;
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
    if (!writeAll(1, text)) this.closed = true;
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

/** False when nobody reads any more. */
function writeAll(descriptor: number, text: string): boolean {
  const bytes = Buffer.from(text, "utf8");
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // The other end of a non-blocking pipe is full: wait a little instead of losing output.
      if (code === "EAGAIN") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      else if (code === "EPIPE") return false;
      else throw error;
    }
  }
  return true;
}
