/**
 * One line at the bottom of a terminal that says what a run waits for: model calls that no turn of an agent shows. It stands
 * only while nothing else is written, and is gone before anything is.
 *
 *     … gpt-4o (openai), 12 s, about 340 tokens so far
 */
import { showText } from "../../diagnostics/index.ts";
import type { RunEvent } from "../../events/index.ts";
import { durationText, groupedCount } from "./shown-figures.ts";

/** Shorter calls are nobody's business. */
const patienceMs = 2000;
const everyMs = 500;
const charsPerToken = 4;

interface CallProgress {
  readonly name: string;
  readonly began: number;
  chars: number;
}

export interface StatusLineOptions {
  /** To the terminal, past everything that would erase the line first. */
  readonly write: (text: string) => void;
  /** Milliseconds. */
  readonly now: () => number;
  readonly width: number;
}

export class StatusLine {
  private readonly options: StatusLineOptions;
  private readonly calls = new Map<number, CallProgress>();
  private ticking: NodeJS.Timeout | undefined = undefined;
  private shown = false;

  constructor(options: StatusLineOptions) {
    this.options = options;
  }

  progress({ call, provider, model, chars, over }: RunEvent<"call.progress">["data"]): void {
    if (over) this.calls.delete(call);
    else {
      const known = this.calls.get(call);
      if (known === undefined)
        this.calls.set(call, {
          name: `${showText(model)} (${showText(provider)})`,
          began: this.options.now(),
          chars,
        });
      else known.chars = chars;
    }
    if (this.calls.size === 0) this.stop();
    else this.ticking ??= setInterval(() => this.draw(), everyMs).unref();
  }

  /** Before something else is written. */
  erase(): void {
    if (this.shown) this.options.write("\r\u001b[K");
    this.shown = false;
  }

  draw(): void {
    const [oldest] = this.calls.values();
    if (oldest === undefined) return;
    const waited = this.options.now() - oldest.began;
    if (waited < patienceMs) return;
    const tokens = Math.ceil(
      [...this.calls.values()].reduce((sum, { chars }) => sum + chars, 0) / charsPerToken,
    );
    const who =
      this.calls.size === 1 ? oldest.name : `${this.calls.size} model calls, the first ${oldest.name}`;
    const far = tokens === 0 ? "nothing said yet" : `about ${groupedCount(tokens)} tokens so far`;
    const line = `… ${who}, ${durationText(Math.floor(waited / 1000) * 1000).replace(".0 s", " s")}, ${far}`;
    const room = Math.max(20, this.options.width - 1);
    this.options.write(`\r\u001b[K${line.length > room ? `${line.slice(0, room - 1)}…` : line}`);
    this.shown = true;
  }

  private stop(): void {
    clearInterval(this.ticking);
    this.ticking = undefined;
    this.erase();
  }
}
