/**
 * Texts, JSON values and rows out of bytes that come piece by piece: what was read is let go before the next piece comes.
 * Everything is read when it is asked for, so an error comes after what stands before it.
 */

import type { Task } from "../../interp/index.ts";
import { at, refusal } from "../../table/index.ts";
import {
  Bytes,
  CsvReader,
  Iter,
  jsonParse,
  List,
  type MaybePromise,
  type PulledValue,
  proceed,
  ScriptError,
  thrown,
  tryIter,
  typeError,
  typeOf,
  untilThen,
  utf8Text,
  type Value,
} from "../../values/index.ts";
import { type Argument, option, textOf, utf8 } from "../arguments.ts";
import { FileChunks } from "../files/file-chunks.ts";
import { delimiterOf, rowDict } from "../formats/csv.ts";
import { ByteSplitter } from "./byte-splitter.ts";
import { JsonSplitter } from "./json-splitter.ts";

/** One line, row or element: all that is held at once. */
const maxPieceLength = 64 * 1024 * 1024;

/** Makes values of bytes as they come, one when it is asked for: an error comes after what is before it. */
export interface PieceReader {
  feed(chunk: Uint8Array): void;
  /** `undefined`: more must be fed. */
  next(): Value | undefined;
  /** What is left when nothing more comes; asked until it gives `undefined`. */
  last(): Value | undefined;
}

/** Pulls a chunk only when all that came of the one before was taken. */
export function decodedPieces(name: string, source: Iter, reader: PieceReader): Iter {
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
  const pull = (task: Task): MaybePromise<PulledValue> =>
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
  throw refusal(at(name, "pieces"), "string | bytes", piece);
}

/** A text or bytes count as one piece. */
export function pieceSource(name: string, input: Argument): Iter {
  const whole = typeof input === "string" || input instanceof Bytes ? new List([input]) : input;
  const found = whole === undefined ? undefined : tryIter(whole);
  if (found !== undefined) return found;
  throw typeError(`${name}: value of type ${typeOf(input ?? null)} is not iterable`);
}

/** Reads bytes as texts, each by itself. */
function textReader(name: string): (data: Uint8Array) => string {
  return (data) => {
    const text = utf8Text(data);
    if (text === undefined) throw thrown(`${name}: stream did not contain valid UTF-8`);
    return text;
  };
}

/** Texts between separators; the last one has none after it. */
export function texts(name: string, separator: string): PieceReader {
  const text = textReader(name);
  const splitter = new ByteSplitter(utf8(separator), maxPieceLength, () =>
    thrown(`${name}: a piece is longer than ${maxPieceLength} bytes`),
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

/** Lines without their breaks; what stands after the last break counts only when there is something. */
export function lineReader(name: string): PieceReader {
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
export function jsonLineReader(): PieceReader {
  const reader = lineReader("jsonl_stream");
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

export function jsonElements(): PieceReader {
  const splitter = new JsonSplitter(maxPieceLength, (why) => thrown(`json_stream: ${why}`));
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
export function csvReader(options: Argument): PieceReader {
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
