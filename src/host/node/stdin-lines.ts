/**
 * Standard input, read on demand: nothing is opened before a script asks, so a run that doesn't read never waits for a
 * terminal. Reads are asynchronous, so Ctrl-C and other tasks go on while a person thinks.
 */
import { ownProcess } from "../../process/index.ts";

/** A terminal, pipe or socket can be unreferenced; a file needs it not. */
type InputStream = NodeJS.ReadableStream & { ref?(): unknown; unref?(): unknown };

export class StdinLines {
  private stream: InputStream | undefined;
  private buffer = "";
  private ended = false;
  private wake: (() => void) | undefined;

  /** The next line without its break; `undefined` at the end. */
  async line(signal?: AbortSignal): Promise<string | undefined> {
    this.open();
    for (;;) {
      const at = this.buffer.indexOf("\n");
      if (at >= 0) return this.take(at);
      if (this.ended) return this.last();
      await this.more(signal);
    }
  }

  /**
   * A line that is not shown while it is typed. The terminal then passes every key on, so those that edit the line and
   * Ctrl-C are seen to here. From anything but a terminal, a line like any other.
   */
  async hidden(signal?: AbortSignal): Promise<string | undefined> {
    this.open();
    const terminal = this.stream as InputStream & { isTTY?: boolean; setRawMode?(on: boolean): void };
    if (terminal.isTTY !== true || terminal.setRawMode === undefined) return this.line(signal);
    const typed = new HiddenLine();
    terminal.setRawMode(true);
    try {
      for (;;) {
        this.buffer = typed.take(this.buffer);
        if (typed.over) return typed.result;
        if (this.ended) return undefined;
        await this.more(signal);
      }
    } finally {
      terminal.setRawMode(false);
    }
  }

  /** What is left, as it is. */
  async rest(signal?: AbortSignal): Promise<string> {
    this.open();
    while (!this.ended) await this.more(signal);
    const text = this.buffer;
    this.buffer = "";
    return text;
  }

  private take(at: number): string {
    const line = this.buffer.slice(0, at);
    this.buffer = this.buffer.slice(at + 1);
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }

  private last(): string | undefined {
    if (this.buffer === "") return undefined;
    const line = this.buffer;
    this.buffer = "";
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }

  private open(): void {
    if (this.stream !== undefined) return;
    this.stream = ownProcess().stdin;
    this.stream.setEncoding("utf8");
    this.stream.on("data", (chunk: string) => {
      this.buffer += chunk;
      this.idle();
      this.wake?.();
    });
    const end = (): void => {
      this.ended = true;
      this.wake?.();
    };
    this.stream.on("end", end);
    this.stream.on("error", end);
    this.idle();
  }

  /**
   * Until more text or the end has come, or the signal aborts. Paused before and after, so that a stream nobody waits
   * for never keeps the process alive.
   */
  private more(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.idle();
        reject(signal?.reason);
      };
      if (signal?.aborted) {
        stop();
        return;
      }
      signal?.addEventListener("abort", stop, { once: true });
      this.wake = () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      };
      this.stream?.ref?.();
      this.stream?.resume();
    });
  }

  /** Nobody waits: a paused stream still reads ahead, so the process must be told not to live for it. */
  private idle(): void {
    this.stream?.pause();
    this.stream?.unref?.();
  }
}

/** Keys that a terminal in raw mode passes on. */
const key = {
  interrupt: "\u0003",
  end: "\u0004",
  backspace: "\b",
  delete: "\u007f",
  eraseLine: "\u0015",
} as const;

/** A line being typed. */
export class HiddenLine {
  over = false;
  /** The line; `undefined` when input ended before it. */
  result: string | undefined = undefined;
  private readonly typed: string[] = [];

  /** Takes the keys of the line, and gives what was typed after it. */
  take(keys: string): string {
    const all = [...keys];
    for (const [at, pressed] of all.entries()) {
      this.press(pressed);
      if (this.over) return all.slice(at + 1).join("");
    }
    return "";
  }

  private press(pressed: string): void {
    switch (pressed) {
      case "\r":
      case "\n":
        this.finish(this.typed.join(""));
        break;
      case key.end:
        this.finish(this.typed.length === 0 ? undefined : this.typed.join(""));
        break;
      case key.interrupt:
        // What the terminal itself would have done.
        process.kill(process.pid, "SIGINT");
        break;
      case key.backspace:
      case key.delete:
        this.typed.pop();
        break;
      case key.eraseLine:
        this.typed.length = 0;
        break;
      default:
        if (pressed >= " ") this.typed.push(pressed);
    }
  }

  private finish(line: string | undefined): void {
    this.over = true;
    this.result = line;
  }
}
