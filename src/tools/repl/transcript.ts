/**
 * Everything that was entered, as one text. Declarations of earlier inputs are compiled again with every later one, so
 * all syntax trees must agree on their offsets: an input is parsed after as many blanks as there is text before it.
 * People see each input as a text of its own; `localised` translates back.
 */
import type { Diagnostic } from "../../diagnostics/index.ts";
import { SourceFile, type Span } from "../../source/index.ts";
import type { ScriptError } from "../../values/index.ts";

interface TranscriptPiece {
  readonly start: number;
  readonly end: number;
  readonly source: SourceFile;
}

export class Transcript {
  private text = "";
  private readonly pieces: TranscriptPiece[] = [];
  private readonly wholes = new WeakSet<SourceFile>();

  /** How far it reaches: offsets from here on belong to the next input. */
  get length(): number {
    return this.text.length;
  }

  /** The input after blanks, for the parser. Nothing is added yet. */
  padded(input: string): SourceFile {
    return this.recorded(new SourceFile("<repl>", " ".repeat(this.text.length) + input));
  }

  /** Adds an input under a name, and gives the text of everything so far. */
  add(name: string, input: string): SourceFile {
    const start = this.text.length;
    this.text += input;
    this.pieces.push({ start, end: this.text.length, source: new SourceFile(name, input) });
    this.text += "\n";
    return this.recorded(new SourceFile("<repl>", this.text));
  }

  private recorded(source: SourceFile): SourceFile {
    this.wholes.add(source);
    return source;
  }

  /** A place as people know it. `input` is what is being parsed, when it was not added yet. */
  place(source: SourceFile, span: Span, input?: SourceFile): { source: SourceFile; span: Span } {
    if (!this.wholes.has(source)) return { source, span };
    const piece = this.pieces.findLast((one) => one.start <= span.start && span.start <= one.end);
    const start = piece?.start ?? this.text.length;
    const own = piece?.source ?? input ?? source;
    const limit = own.text.length;
    return {
      source: own,
      span: { start: Math.min(span.start - start, limit), end: Math.min(span.end - start, limit) },
    };
  }

  diagnostic(found: Diagnostic, input?: SourceFile): Diagnostic {
    const place = this.place(found.source, found.span, input);
    const line = `Compile error at line ${place.source.line(place.span.start)}`;
    return { ...found, ...place, message: found.message.replace(/^Compile error at line \d+/, line) };
  }

  /** Moves an error to the inputs in which it happened. Errors of an input are shown once and then forgotten. */
  localise(error: ScriptError): ScriptError {
    if (error.source !== undefined && error.span !== undefined) {
      const { source, span } = this.place(error.source, error.span);
      error.source = source;
      error.span = span;
    }
    for (const [i, frame] of error.trace.entries()) {
      if (frame.source === undefined || frame.span === undefined) continue;
      error.trace[i] = { name: frame.name, ...this.place(frame.source, frame.span) };
    }
    return error;
  }

  /** The text of a node of any input. */
  slice(span: Span): string {
    return this.text.slice(span.start, span.end);
  }
}
