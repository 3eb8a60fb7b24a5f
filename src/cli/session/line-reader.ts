/** Lines of what comes in pieces. */
export class LineReader {
  private readonly told: (line: string) => void;
  private rest = "";
  constructor(told: (line: string) => void) {
    this.told = told;
  }
  read(text: string): void {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop() as string;
    for (const line of lines) this.told(line);
  }
  end(): void {
    if (this.rest !== "") this.told(this.rest);
    this.rest = "";
  }
}
