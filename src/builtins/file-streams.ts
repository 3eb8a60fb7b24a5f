/**
 * Big files and big texts, piece by piece (docs/limits.md): what was read is let go before the next piece comes. Each
 * chunk of a file is a recorded effect that says where it stands, so nothing is held open, and a replay that goes on live
 * goes on at the same place.
 */
import type { Task } from "../interp/index.ts";
import { defineBuiltins } from "../table/index.ts";
import {
  Bytes,
  fromBase64,
  Iter,
  jsonParse,
  List,
  type MaybePromise,
  type Pulled,
  proceed,
  ScriptError,
  thrown,
  toBase64,
  tryIter,
  typeError,
  typeOf,
  untilThen,
  type Value,
} from "../values/index.ts";
import { attempt, type Given, hostPath, intOr, option, textOf, utf8 } from "./arguments.ts";
import { ByteSplitter } from "./byte-splitter.ts";
import { delimiterOf, rowDict } from "./csv.ts";
import { CsvReader } from "./csv-reader.ts";
import { JsonSplitter } from "./json-splitter.ts";

const defaultChunk = 64 * 1024;
const largestChunk = 16 * 1024 * 1024;
/** One line, row or element: all that is held at once. */
export const longestPiece = 64 * 1024 * 1024;

/** Reads into a buffer, and gives the part that was filled. */
function readChunk(task: Task, path: string, offset: number, buffer: Uint8Array): Uint8Array {
  // The port hands synchronous results over at once, live and replayed alike.
  return task.perform<Uint8Array>({
    effect: "read",
    kind: "file.chunk",
    args: () => ({ path, offset, size: buffer.length }),
    run: () =>
      attempt(`Failed to read file ${path}`, () =>
        buffer.subarray(0, task.runtime.host.files.readInto(path, offset, buffer)),
      ),
    encode: toBase64,
    decode: (stored) => fromBase64(stored as string),
  }) as Uint8Array;
}

/** A file chunk by chunk. The first is read at once: what can't be read is the fault of the call, not of a loop far away. */
class FileChunks extends Iter {
  private readonly path: string;
  private readonly size: number;
  private first: Uint8Array | undefined;
  private offset = 0;
  /**
   * Buffers lie outside of V8's young heap: a loop that only reads makes no young garbage, is not collected, and piles up
   * 64 MB of buffers before V8 takes notice (136 MB of memory instead of 95 for a file of 300 MB). Garbage of the same
   * size makes it look in time, for some microseconds a chunk.
   */
  ballast: unknown[] = [];
  /** The buffers lent last and before that. */
  private lent: Uint8Array | undefined;
  private spare: Uint8Array | undefined;

  constructor(task: Task, given: Given, size: number) {
    super((puller) => {
      this.ballast = new Array(Math.min(Math.ceil(size / 8), 16 * 1024));
      const chunk = this.read(puller, new Uint8Array(size));
      return chunk === undefined ? undefined : new Bytes(chunk);
    });
    this.path = hostPath(task, given);
    this.size = size;
    this.first = readChunk(task, this.path, 0, new Uint8Array(size));
  }

  private read(task: Task, buffer: Uint8Array): Uint8Array | undefined {
    const chunk = this.first ?? readChunk(task, this.path, this.offset, buffer);
    this.first = undefined;
    this.offset += chunk.length;
    return chunk.length === 0 ? undefined : chunk;
  }

  /**
   * The next chunk for a reader that is done with the one before the last: two buffers are used in turn. A new one for
   * each chunk costs 60 MB of memory until the collector comes round to it.
   */
  nextShared(task: Task): Uint8Array | undefined {
    const buffer = this.spare ?? new Uint8Array(this.size);
    const chunk = this.read(task, buffer);
    this.spare = this.lent;
    this.lent = buffer;
    return chunk;
  }
}

/** Makes values of bytes as they come, one when it is asked for: an error comes after what is before it. */
interface PieceReader {
  feed(chunk: Uint8Array): void;
  /** `undefined`: more must be fed. */
  next(): Value | undefined;
  /** What is left when nothing more comes; asked until it gives `undefined`. */
  last(): Value | undefined;
}

/** Pulls a chunk only when all that came of the one before was taken. */
function readPieces(name: string, source: Iter, reader: PieceReader): Iter {
  let over = false;
  const ended = Symbol("ended");
  const takeOrRead = (task: Task): MaybePromise<Value | typeof ended | undefined> => {
    const next = over ? reader.last() : reader.next();
    if (next !== undefined) return next;
    if (over) return ended;
    return proceed(nextBytes(name, source, task), (chunk) => {
      if (chunk === undefined) over = true;
      else reader.feed(chunk);
      return undefined;
    });
  };
  const pull = (task: Task): MaybePromise<Pulled> =>
    proceed(
      untilThen(() => takeOrRead(task)),
      (value) => (value === ended ? undefined : (value as Value)),
    );
  return new Iter(pull, (task) => source.close(task));
}

const nextBytes = (name: string, source: Iter, task: Task): MaybePromise<Uint8Array | undefined> =>
  source instanceof FileChunks
    ? source.nextShared(task)
    : proceed(source.next(task), (piece) => (piece === undefined ? undefined : bytesOf(name, piece)));

function bytesOf(name: string, piece: Value): Uint8Array {
  if (piece instanceof Bytes) return piece.data;
  if (typeof piece === "string") return utf8(piece);
  throw typeError(`${name}: pieces must be texts or bytes, got ${typeOf(piece)}`);
}

/** A text or bytes count as one piece. */
function sourceOf(name: string, given: Given): Iter {
  const whole = typeof given === "string" || given instanceof Bytes ? new List([given]) : given;
  const found = whole === undefined ? undefined : tryIter(whole);
  if (found !== undefined) return found;
  throw typeError(`${name}: value of type ${typeOf(given ?? null)} is not iterable`);
}

/** Reads bytes as texts, each by itself. */
function textReader(name: string): (data: Uint8Array) => string {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return (data) => {
    try {
      return decoder.decode(data);
    } catch {
      throw thrown(`${name}: stream did not contain valid UTF-8`);
    }
  };
}

/** Texts between separators; the last one has none behind it. */
function texts(name: string, separator: string): PieceReader {
  const text = textReader(name);
  const splitter = new ByteSplitter(utf8(separator), longestPiece, () =>
    thrown(`${name}: a piece is longer than ${longestPiece} bytes`),
  );
  let over = false;
  return {
    feed: (chunk) => splitter.feed(chunk),
    next: () => {
      const piece = splitter.next();
      return piece === undefined ? undefined : text(piece);
    },
    last: () => {
      if (over) return undefined;
      over = true;
      return text(splitter.rest());
    },
  };
}

/** Lines without their breaks; what stands behind the last break counts only when there is something. */
function lines(name: string): PieceReader {
  const reader = texts(name, "\n");
  const plain = (line: Value | undefined): Value | undefined =>
    typeof line === "string" && line.endsWith("\r") ? line.slice(0, -1) : line;
  return {
    feed: reader.feed,
    next: () => plain(reader.next()),
    last: () => {
      const rest = reader.last();
      return rest === "" ? undefined : plain(rest);
    },
  };
}

/** Blank lines are skipped, but counted. */
function jsonLines(): PieceReader {
  const reader = lines("jsonl_stream");
  let number = 0;
  const value = (read: () => Value | undefined): Value | undefined => {
    for (;;) {
      const line = read() as string | undefined;
      if (line === undefined) return undefined;
      number++;
      if (line.trim() !== "") return parsed(`jsonl_stream: line ${number}`, line);
    }
  };
  return { feed: reader.feed, next: () => value(reader.next), last: () => value(reader.last) };
}

function parsed(where: string, text: string): Value {
  try {
    return jsonParse(text);
  } catch (error) {
    if (error instanceof ScriptError) throw thrown(`${where}: ${textOf(error.value)}`);
    throw error;
  }
}

function jsonElements(): PieceReader {
  const splitter = new JsonSplitter(longestPiece, (why) => thrown(`json_stream: ${why}`));
  let number = 0;
  const value = (text: string | undefined): Value | undefined =>
    text === undefined ? undefined : parsed(`json_stream: element ${++number}`, text);
  return {
    feed: (chunk) => splitter.feed(chunk),
    next: () => value(splitter.next()),
    last: () => value(splitter.last()),
  };
}

/** Line by line into the reader: a cell that is kept holds its own line in memory, not a chunk. */
function csvRows(options: Given): PieceReader {
  const reader = texts("csv_stream", "\n");
  const csv = new CsvReader(delimiterOf(options));
  const withHeaders = option(options, "headers") === true;
  let rows: string[][] = [];
  let headers: readonly string[] | undefined;
  /** The next row; `more` fills `rows` and says whether it could. */
  const value = (more: () => boolean): Value | undefined => {
    for (;;) {
      const row = rows.shift();
      if (row === undefined) {
        if (!more()) return undefined;
      } else if (!withHeaders) return new List(row);
      else if (headers !== undefined) return rowDict(headers, row);
      else headers = row;
    }
  };
  return {
    feed: reader.feed,
    next: () =>
      value(() => {
        const line = reader.next();
        if (line !== undefined) rows = csv.push(`${line as string}\n`);
        return line !== undefined;
      }),
    last: () =>
      value(() => {
        const line = reader.last();
        if (line !== undefined) rows = [...csv.push(line as string), ...csv.end()];
        return line !== undefined;
      }),
  };
}

const pieceNote = "Pieces are texts or bytes: `file_chunks(path)`, a generator, a list, or one text.";

export const fileStreams = defineBuiltins("file_streams", {
  file_chunks: {
    doc: "The bytes of a file, in chunks of `size` (65536), read when they are asked for: for files of any size.",
    sig: "(path: string, size?: int) -> iter<bytes>",
    effect: "read",
    performs: true,
    capability: "fs.read",
    run: (task, path: Given, size: Given) =>
      new FileChunks(task, path, Math.min(largestChunk, Math.max(1, intOr(size, defaultChunk)))),
  },
  file_lines: {
    doc: "The lines of a file, read when they are asked for: as `read_lines`, for files of any size.",
    sig: "(path: string) -> iter<string>",
    effect: "read",
    performs: true,
    capability: "fs.read",
    run: (task, path: Given) =>
      readPieces("file_lines", new FileChunks(task, path, defaultChunk), lines("file_lines")),
  },
  split_stream: {
    doc: `The texts between separators, as \`split\` gives them, lazily. ${pieceNote}`,
    sig: '(source: any, separator: string = ",") -> iter<string>',
    effect: "pure",
    suspends: "callback",
    example: 'split_stream(["a,b", "c,d"], ",").to_list()  // [a, bc, d]',
    run: (_task, source: Given, separator: Given) => {
      const text = textOf(separator, ",");
      if (text === "") throw thrown("split_stream: separator must not be empty");
      return readPieces("split_stream", sourceOf("split_stream", source), texts("split_stream", text));
    },
  },
  jsonl_stream: {
    doc: `The values of a text with one JSON value per line, lazily; blank lines are skipped. ${pieceNote}`,
    sig: "(source: any) -> iter",
    effect: "pure",
    suspends: "callback",
    example: 'jsonl_stream("1\\n[2]\\n").to_list()  // [1, [2]]',
    run: (_task, source: Given) => readPieces("jsonl_stream", sourceOf("jsonl_stream", source), jsonLines()),
  },
  json_stream: {
    doc: `The elements of one JSON list, or the values of a text that holds several, lazily. ${pieceNote}`,
    sig: "(source: any) -> iter",
    effect: "pure",
    suspends: "callback",
    example: 'json_stream(["[{\\"a\\": 1}, 2", "3]"]).to_list()  // [{a: 1}, 23]',
    run: (_task, source: Given) => readPieces("json_stream", sourceOf("json_stream", source), jsonElements()),
  },
  csv_stream: {
    doc: `The rows of a CSV text, as \`csv_parse\` gives them, lazily. ${pieceNote}`,
    sig: "(source: any, options?: {headers?: bool, delimiter?: string}) -> iter",
    effect: "pure",
    suspends: "callback",
    example: 'csv_stream(["a,b\\n1,", "2\\n"], {headers: true}).to_list()  // [{a: 1, b: 2}]',
    run: (_task, source: Given, options: Given) =>
      readPieces("csv_stream", sourceOf("csv_stream", source), csvRows(options)),
  },
});
