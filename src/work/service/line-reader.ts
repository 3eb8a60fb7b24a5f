/** Lines of what comes in pieces. */
export class LineReader {
  private readonly onLine: (line: string) => void;
  private rest = "";
  constructor(onLine: (line: string) => void) {
    this.onLine = onLine;
  }
  read(text: string): void {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop() as string;
    for (const line of lines) this.onLine(line);
  }
  end(): void {
    if (this.rest !== "") this.onLine(this.rest);
    this.rest = "";
  }
}
