/** Reads CSV piece by piece (RFC 4180, leniently): a row is given as soon as its end is known. Blank lines are skipped. */

const QUOTE = 34;
const NEWLINE = 10;
const RETURN = 13;

export class CsvReader {
  private readonly delimiter: string;
  /** Its first code unit. */
  private readonly first: number;
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
    this.first = delimiter.charCodeAt(0);
  }

  /** The rows that a piece completes. */
  push(piece: string): string[][] {
    const text = this.rest + piece;
    // After a line break nothing can be half of something.
    const whole = text.charCodeAt(text.length - 1) === NEWLINE;
    this.read(text, whole ? text.length : Math.max(0, text.length - 2));
    return this.taken();
  }

  /** The last row, which needs no line break. */
  end(): string[][] {
    this.read(this.rest, this.rest.length);
    this.endRow();
    return this.taken();
  }

  /** Whether a quote is open: asked after the end, whether the text stops in the middle of a cell. */
  get isInQuotes(): boolean {
    return this.quoted;
  }

  private taken(): string[][] {
    const { rows } = this;
    this.rows = [];
    return rows;
  }

  private read(text: string, end: number): void {
    let at = 0;
    while (at < end) at = this.quoted ? this.inQuotes(text, at, end) : this.outside(text, at, end);
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

  private outside(text: string, at: number, end: number): number {
    const code = text.charCodeAt(at);
    if (code === QUOTE && this.cell === "") {
      this.quoted = true;
      this.started = true;
      return at + 1;
    }
    if (code === this.first && text.startsWith(this.delimiter, at)) {
      this.row.push(this.cell);
      this.cell = "";
      this.started = true;
      return at + this.delimiter.length;
    }
    if (code === NEWLINE) {
      this.endRow();
      return at + 1;
    }
    if (code === RETURN && text.charCodeAt(at + 1) === NEWLINE) return at + 1;
    const stop = this.plainEnd(text, at + 1, end);
    this.cell += text.slice(at, stop);
    return stop;
  }

  /** Where a run of characters without a meaning ends; in a cell that has begun, quotes have none. */
  private plainEnd(text: string, from: number, end: number): number {
    for (let at = from; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code === NEWLINE || code === RETURN || code === this.first) return at;
    }
    return Math.max(from, end);
  }

  private endRow(): void {
    if (this.started || this.row.length > 0 || this.cell !== "") this.rows.push([...this.row, this.cell]);
    this.row = [];
    this.cell = "";
    this.started = false;
  }
}
