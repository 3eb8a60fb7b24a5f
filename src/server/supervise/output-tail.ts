/** The end of what a child prints: what it says about its own failure. */

const kept = 4096;
const maxLine = 500;

export class OutputTail {
  private text = "";

  add(text: string): void {
    this.text = `${this.text}${text}`.slice(-kept);
  }

  /** What V8 says before it gives up: its own limit was reached before anybody looked. */
  get outOfMemory(): boolean {
    return this.text.includes("JavaScript heap out of memory");
  }

  /** The last error that it printed, in a line; `undefined` when there is none. */
  error(): string | undefined {
    const lines = this.text.split("\n").filter((line) => line.trim() !== "");
    const found = lines.findLast((line) => /^(?:error|harn:)/.test(line));
    return found?.slice(0, maxLine);
  }
}
