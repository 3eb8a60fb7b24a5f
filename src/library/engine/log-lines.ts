/** What a run says to whoever looks after it, line by line. */
import { thrownInWords } from "../schema.ts";
import type { LogLine } from "../types.ts";

export class LogLines {
  private readonly run: string;
  private readonly log: ((line: LogLine) => void) | undefined;
  private rest = "";

  constructor(run: string, log: ((line: LogLine) => void) | undefined) {
    this.run = run;
    this.log = log;
  }

  /** Pieces of text, as they are written. */
  take(text: string): void {
    if (this.log === undefined) return;
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop() ?? "";
    for (const line of lines) this.say(line);
  }

  end(): void {
    if (this.rest !== "") this.say(this.rest);
    this.rest = "";
  }

  private say(line: string): void {
    if (line === "") return;
    const level = /^warning:/.test(line) ? "warning" : /^error\b/.test(line) ? "error" : "info";
    try {
      this.log?.({ level, text: line, run: this.run });
    } catch (error) {
      // No run fails because of whoever looks after it.
      process.emitWarning(`the \`log\` of harn threw: ${thrownInWords(error)}`);
    }
  }
}
