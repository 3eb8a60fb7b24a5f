/** A named source text with a line index, built on first use (only diagnostics need it). */
import type { Position, Span } from "./span.ts";

export class SourceFile {
  /** What messages call the file: the path as the user gave it, `<stdin>` or `<-e>`. */
  readonly name: string;
  readonly text: string;
  /** Where the file lies, when the name is not enough to find it from the program's working directory. */
  readonly path: string | undefined;
  private lineStarts: number[] | undefined;

  constructor(name: string, text: string, path?: string) {
    this.name = name;
    this.text = text;
    this.path = path;
  }

  /** Offsets at which lines begin; the first is 0. */
  private starts(): number[] {
    if (this.lineStarts === undefined) {
      const starts = [0];
      for (let at = this.text.indexOf("\n"); at !== -1; at = this.text.indexOf("\n", at + 1))
        starts.push(at + 1);
      this.lineStarts = starts;
    }
    return this.lineStarts;
  }

  /** 1-based line of an offset. */
  line(offset: number): number {
    const starts = this.starts();
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (starts[mid]! <= offset) low = mid;
      else high = mid - 1;
    }
    return low + 1;
  }

  /** Line and column of an offset; the column counts code points, not UTF-16 units. */
  position(offset: number): Position {
    const line = this.line(offset);
    const start = this.starts()[line - 1]!;
    return { line, column: codePoints(this.text, start, offset) + 1 };
  }

  /** Offset at which a 1-based line begins; the end of the text for lines past it. */
  lineStart(line: number): number {
    return this.starts()[line - 1] ?? this.text.length;
  }

  /** The text of a 1-based line, without its line break; empty past the end. */
  lineText(line: number): string {
    const starts = this.starts();
    const start = starts[line - 1];
    if (start === undefined) return "";
    const end = starts[line] === undefined ? this.text.length : starts[line]! - 1;
    return this.text.slice(start, this.text.charCodeAt(end - 1) === 13 && end > start ? end - 1 : end);
  }

  /** The text that a span covers. */
  slice(span: Span): string {
    return this.text.slice(span.start, span.end);
  }
}

function codePoints(text: string, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xdc00 || unit > 0xdfff) count++;
  }
  return count;
}
