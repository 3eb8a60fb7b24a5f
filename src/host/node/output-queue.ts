/** Output of a running program, between the program that writes and the one that reads. Characters stay whole. */
import { StringDecoder } from "node:string_decoder";
import type { OutputPiece } from "../ports.ts";

type StreamName = OutputPiece["stream"];

export class OutputQueue {
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
