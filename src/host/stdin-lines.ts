/**
 * Standard input, read on demand: nothing is opened before a script asks, so a run that doesn't read never waits for a
 * terminal. Reads are asynchronous, so Ctrl-C and other tasks go on while a person thinks.
 */
import type { ReadStream } from "node:tty";

export class StdinLines {
  private stream: ReadStream | undefined;
  private buffer = "";
  private ended = false;
  private wake: (() => void) | undefined;

  /** The next line without its break; `undefined` at the end. */
  async line(): Promise<string | undefined> {
    this.open();
    for (;;) {
      const at = this.buffer.indexOf("\n");
      if (at >= 0) return this.take(at);
      if (this.ended) return this.last();
      await this.more();
    }
  }

  /** What is left, as it is. */
  async rest(): Promise<string> {
    this.open();
    while (!this.ended) await this.more();
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
    this.stream = process.stdin;
    this.stream.setEncoding("utf8");
    this.stream.on("data", (chunk) => {
      this.buffer += chunk;
      this.stream?.pause();
      this.wake?.();
    });
    const end = (): void => {
      this.ended = true;
      this.wake?.();
    };
    this.stream.on("end", end);
    this.stream.on("error", end);
    this.stream.pause();
  }

  /** Until more text or the end has come. Paused in between, so that a waiting stream never keeps the process alive. */
  private more(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
      this.stream?.resume();
    });
  }
}
