/** Big files and big texts, piece by piece (issue 5, docs/limits.md). */

import { defineBuiltins } from "../../table/index.ts";
import { thrown } from "../../values/index.ts";
import { type Argument, intOr, textOf } from "../arguments.ts";
import {
  csvReader,
  decodedPieces,
  jsonElements,
  jsonLineReader,
  lineReader,
  pieceSource,
  texts,
} from "../data/piece-readers.ts";
import { csvFields } from "../rows/text.ts";
import { defaultChunk, FileChunks, largestChunk } from "./file-chunks.ts";

const pieceNote = "Pieces are texts or bytes: `file_chunks(path)`, a generator, a list, or one text.";

export const fileStreams = defineBuiltins("file_streams", {
  file_chunks: {
    doc: "The bytes of a file, in chunks of `size` (65536), read when they are asked for: for files of any size.",
    sig: "(path: string, size?: int) -> iter<bytes>",
    effect: "read",
    performs: true,
    capability: "fs.read",
    run: (task, path: Argument, size: Argument) =>
      new FileChunks(task, path, Math.min(largestChunk, Math.max(1, intOr(size, defaultChunk)))),
  },
  file_lines: {
    doc: "The lines of a file, read when they are asked for: as `read_lines`, for files of any size.",
    sig: "(path: string) -> iter<string>",
    effect: "read",
    performs: true,
    capability: "fs.read",
    run: (task, path: Argument) =>
      decodedPieces("file_lines", new FileChunks(task, path, defaultChunk), lineReader("file_lines")),
  },
  split_stream: {
    doc: `The texts between separators, as \`split\` gives them, lazily. ${pieceNote}`,
    sig: '(source: any, separator: string = ",") -> iter<string>',
    effect: "pure",
    suspends: "callback",
    example: 'split_stream(["a,b", "c,d"], ",").to_list()  // [a, bc, d]',
    run: (_task, source: Argument, separator: Argument) => {
      const text = textOf(separator, ",");
      if (text === "") throw thrown("split_stream: separator must not be empty");
      return decodedPieces("split_stream", pieceSource("split_stream", source), texts("split_stream", text));
    },
  },
  jsonl_stream: {
    doc: `The values of a text with one JSON value per line, lazily; blank lines are skipped. ${pieceNote}`,
    sig: "(source: any) -> iter",
    effect: "pure",
    suspends: "callback",
    example: 'jsonl_stream("1\\n[2]\\n").to_list()  // [1, [2]]',
    run: (_task, source: Argument) =>
      decodedPieces("jsonl_stream", pieceSource("jsonl_stream", source), jsonLineReader()),
  },
  json_stream: {
    doc: `The elements of one JSON list, or the values of a text that holds several, lazily. ${pieceNote}`,
    sig: "(source: any) -> iter",
    effect: "pure",
    suspends: "callback",
    example: 'json_stream(["[{\\"a\\": 1}, 2", "3]"]).to_list()  // [{a: 1}, 23]',
    run: (_task, source: Argument) =>
      decodedPieces("json_stream", pieceSource("json_stream", source), jsonElements()),
  },
  csv_stream: {
    doc: `The rows of a CSV text, as \`csv_parse\` gives them, lazily. ${pieceNote}`,
    sig: "(source: any, options?: {headers?: bool, delimiter?: string}) -> iter",
    effect: "pure",
    suspends: "callback",
    example: 'csv_stream(["a,b\\n1,", "2\\n"], {headers: true}).to_list()  // [{a: 1, b: 2}]',
    fields: { options: () => csvFields },
    run: (_task, source: Argument, options: Argument) =>
      decodedPieces("csv_stream", pieceSource("csv_stream", source), csvReader(options)),
  },
});
