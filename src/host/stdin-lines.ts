/**
 * Standard input, read on demand: nothing is opened before a script asks, so a run that doesn't read never waits for a
 * terminal. Reads are asynchronous, so Ctrl-C and other tasks go on while a person thinks.
 */
/** A terminal, pipe or socket can be unreferenced; a file needs it not. */
type Input = NodeJS.ReadableStream & { ref?(): unknown; unref?(): unknown };

export class StdinLines {
  private stream: Input | undefined;
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
    this.stream = process.stdin;
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
