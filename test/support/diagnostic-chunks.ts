/**
 * Files of small wrong programs: chunks split by a line `---`, each diagnostic announced on its line by
 * `//~ PAR-001` (or `//~^ PAR-001` on the line below it, where a comment cannot stand on the line itself), optionally
 * followed by a part of the message.
 */
import type { Diagnostic } from "../../src/diagnostics/index.ts";
import { SourceFile } from "../../src/source/index.ts";

export interface Chunk {
  readonly name: string;
  readonly source: SourceFile;
  readonly expected: readonly Expected[];
}

interface Expected {
  readonly line: number;
  readonly code: string;
  readonly text: string;
}

/** Splits a file; a chunk is called after its first comment line. */
export function chunksOf(text: string): Chunk[] {
  return text.split(/^---\n/m).map((chunk, index) => {
    const name = /^\/\/ (.*)$/m.exec(chunk)?.[1] ?? `chunk ${index + 1}`;
    return { name, source: new SourceFile("chunk.harn", chunk), expected: markersOf(chunk) };
  });
}

function markersOf(chunk: string): Expected[] {
  const expected: Expected[] = [];
  chunk.split("\n").forEach((text, index) => {
    for (const match of text.matchAll(/\/\/~(\^*) ([A-Z]+-\d{3})(?: ([^/]*))?/g)) {
      expected.push({ line: index + 1 - match[1]!.length, code: match[2]!, text: match[3]?.trim() ?? "" });
    }
  });
  return expected.sort((a, b) => a.line - b.line);
}

/** What was found, in the form of the markers; the message where the marker names a part of it. */
export function foundIn(chunk: Chunk, diagnostics: readonly Diagnostic[]): Expected[] {
  const found = diagnostics.map((diagnostic) => ({
    line: chunk.source.line(diagnostic.span.start),
    code: diagnostic.code.slice("HARN-".length),
    text: diagnostic.message,
  }));
  found.sort((a, b) => a.line - b.line);
  return found.map((one, index) => {
    const wanted = chunk.expected[index]?.text ?? "";
    return { ...one, text: one.text.includes(wanted) ? wanted : one.text };
  });
}
