/** What a child prints: each line for whoever listens, and the end of it, which says what the child knows of its own failure. */

const kept = 4096;
const maxLine = 500;

export class ChildOutput {
  private readonly onLine: (line: string) => void;
  private text = "";
  /** Of the last line, so far. */
  private rest = "";

  constructor(onLine: (line: string) => void) {
    this.onLine = onLine;
  }

  add(text: string): void {
    this.text = `${this.text}${text}`.slice(-kept);
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop() as string;
    for (const line of lines) this.onLine(line);
  }

  /** Nothing more comes. */
  end(): void {
    if (this.rest !== "") this.onLine(this.rest);
    this.rest = "";
  }

  last(characters: number): string {
    return this.text.slice(-characters).trim();
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
