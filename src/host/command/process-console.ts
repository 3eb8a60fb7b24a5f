/**
 * A program's output on the process's own streams. Standard output is written at once on a terminal and in chunks
 * otherwise (one system call per `println` would cost more than the interpreter); it is flushed whenever the program
 * waits, before anything is written to standard error, and at the end. A reader that went away (`harn run x | head`)
 * or a full disk ends the run: a program that nobody hears should not go on working.
 */
import type { StopRequest } from "../../effects/index.ts";
import type { Console } from "../../interp/index.ts";
import { writeNow } from "../../process/index.ts";
import { exitCode } from "./exit-codes.ts";
import { isDevice } from "./terminal.ts";
import { lostOutput } from "./usage-error.ts";

const CHUNK = 16 * 1024;

/**
 * An interrupt may break a computation off wherever a function begins or a loop goes round, so also in here. What was
 * taken stays in one of two places, `pending` or `bytes`, and moves between them without a call.
 */
export class ProcessConsole implements Console {
  taken = 0;
  private pending: string[] = [];
  private size = 0;
  /** What is being written, from `at` on. */
  private bytes: Buffer | undefined = undefined;
  private at = 0;
  /** The texts in `bytes`. */
  private batch: readonly string[] = [];
  private scheduled = false;
  lost: StopRequest | undefined = undefined;
  onLost: ((request: StopRequest) => void) | undefined = undefined;
  /** How many texts were taken and are not on standard output, not to their end at the least: nobody took them. */
  unwritten = 0;
  /**
   * Called before text is handed over, and once more when it was not taken. False: it can't be noted that it is printed,
   * so it is not; whoever resumes the run prints it.
   */
  onWrite: (() => boolean) | undefined = undefined;
  /** Standard error is not written while this is true: a resumed run says nothing twice. */
  isQuiet: (() => boolean) | undefined = undefined;
  shownAs: ((text: string) => string) | undefined = undefined;
  /** Called before anything is written to either stream: takes a line away that is not to stay. */
  beforeWriting: (() => void) | undefined = undefined;
  private readonly immediate = isDevice(1);
  readonly show: ((lines: string) => void) | undefined;
  /** What stands on the terminal ends in the middle of a line. */
  private midLine = false;

  /** `watched`: somebody wants to see what is printed when it is printed, also where that is no terminal. */
  constructor(watched = false) {
    if (watched || this.immediate) this.show = (lines) => this.writeAhead(lines);
  }

  write(input: string): void {
    const text = this.shownAs === undefined ? input : this.shownAs(input);
    this.pending.push(text);
    this.taken++;
    this.size += text.length;
    if (text !== "") this.midLine = !text.endsWith("\n");
    if (this.immediate || this.size >= CHUNK) this.flush();
    else if (!this.scheduled) {
      this.scheduled = true;
      setImmediate(() => this.flush());
    }
  }

  /** Of no piece of the output: it is not counted, and nothing is noted. */
  private writeAhead(lines: string): void {
    this.flush();
    if (this.lost !== undefined) return;
    this.beforeWriting?.();
    const text = `${this.midLine ? "\n" : ""}${lines}`;
    this.midLine = false;
    const bytes = Buffer.from(this.shownAs === undefined ? text : this.shownAs(text), "utf8");
    this.at = 0;
    this.batch = [];
    this.takeFault(this.writeBytes(bytes));
  }

  writeError(text: string): void {
    if (this.isQuiet?.() === true) return;
    this.flush();
    this.beforeWriting?.();
    writeConsoleError(this.shownAs === undefined ? text : this.shownAs(text));
  }

  flush(): void {
    this.scheduled = false;
    if (this.bytes === undefined && this.pending.length === 0) return;
    if (this.lost !== undefined || this.onWrite?.() === false) this.drop();
    this.beforeWriting?.();
    while (this.bytes !== undefined || this.pending.length > 0) {
      if (this.bytes === undefined) {
        const bytes = Buffer.from(this.pending.join(""), "utf8");
        this.bytes = bytes;
        this.at = 0;
        this.size = 0;
        this.batch = this.pending;
        this.pending = [];
      }
      this.takeFault(this.writeBytes(this.bytes));
      this.bytes = undefined;
      if (this.lost !== undefined) this.drop();
    }
  }

  /** What is left is not printed. */
  private drop(): void {
    if (this.bytes !== undefined) this.unwritten += this.cutOff();
    this.unwritten += this.pending.length;
    this.bytes = undefined;
    this.pending = [];
    this.size = 0;
  }

  /** How many texts of the batch are not written, or not to their end. */
  private cutOff(): number {
    let left = this.batch.length;
    let end = 0;
    for (const text of this.batch) {
      end += Buffer.byteLength(text);
      if (end > this.at) break;
      left--;
    }
    return left;
  }

  /** Writes to the end, or gives what went wrong. */
  private writeBytes(bytes: Buffer): NodeJS.ErrnoException | undefined {
    while (this.at < bytes.length) {
      try {
        this.at += writeNow(1, bytes.subarray(this.at));
      } catch (error) {
        if (!isFull(error)) return error as NodeJS.ErrnoException;
      }
    }
    return undefined;
  }

  private takeFault(fault: NodeJS.ErrnoException | undefined): void {
    // A standard output that was never open is one that nobody wants: `harn run x >&-`.
    if (fault === undefined || fault.code === "EBADF") return;
    const gone = fault.code === "EPIPE";
    if (!gone) writeConsoleError(`harn: ${lostOutput(fault).text}\n`);
    this.lost = { reason: "output", exitCode: gone ? exitCode.readerGone : exitCode.failed };
    this.unwritten += this.cutOff();
    this.onWrite?.();
    this.onLost?.(this.lost);
  }
}

/** The other end of a non-blocking pipe is full: true after waiting a little. */
function isFull(error: unknown): boolean {
  if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return false;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  return true;
}

/** Standard error: when it takes nothing any more, there is nobody to tell. */
export function writeConsoleError(text: string): void {
  const bytes = Buffer.from(text, "utf8");
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeNow(2, bytes.subarray(at));
    } catch (error) {
      if (!isFull(error)) return;
    }
  }
}
