/** Reads CSV piece by piece (RFC 4180, leniently): a row is given as soon as its end is known. Blank lines are skipped. */
export class CsvReader {
  private readonly delimiter: string;
  private row: string[] = [];
  private cell = "";
  private quoted = false;
  /** Something of the row was there: it is not a blank line. */
  private started = false;
  /** What cannot be understood without what follows: half of `""`, of CRLF, or of the delimiter. */
  private rest = "";
  private rows: string[][] = [];

  constructor(delimiter: string) {
    this.delimiter = delimiter;
  }

  /** The rows that a piece completes. */
  push(piece: string): string[][] {
    const text = this.rest + piece;
    this.read(text, Math.max(0, text.length - 2));
    return this.taken();
  }

  /** The last row, which needs no line break. */
  end(): string[][] {
    this.read(this.rest, this.rest.length);
    this.endRow();
    return this.taken();
  }

  private taken(): string[][] {
    const { rows } = this;
    this.rows = [];
    return rows;
  }

  private read(text: string, end: number): void {
    let at = 0;
    while (at < end) at = this.quoted ? this.inQuotes(text, at, end) : this.outside(text, at);
    this.rest = text.slice(at);
  }

  private inQuotes(text: string, from: number, end: number): number {
    const quote = text.indexOf('"', from);
    const stop = quote < 0 || quote >= end ? end : quote;
    this.cell += text.slice(from, stop);
    if (stop === end) return end;
    if (text[quote + 1] === '"') {
      this.cell += '"';
      return quote + 2;
    }
    this.quoted = false;
    return quote + 1;
  }

  private outside(text: string, at: number): number {
    const char = text[at] as string;
    if (char === '"' && this.cell === "") {
      this.quoted = true;
      this.started = true;
    } else if (text.startsWith(this.delimiter, at)) {
      this.row.push(this.cell);
      this.cell = "";
      this.started = true;
      return at + this.delimiter.length;
    } else if (char === "\n") this.endRow();
    else if (!(char === "\r" && text[at + 1] === "\n")) this.cell += char;
    return at + 1;
  }

  private endRow(): void {
    if (this.started || this.row.length > 0 || this.cell !== "") this.rows.push([...this.row, this.cell]);
    this.row = [];
    this.cell = "";
    this.started = false;
  }
}
