/**
 * What a run said of paths, said of the paths of this machine: a script that asked for its working folder went on with
 * what it was told, so a run that is carried elsewhere must have been told where it lies there. Arguments and results are
 * rewritten; fingerprints are taken anew, and the old one is kept beside the new one, because a path that stands in the
 * script's own text stays what it was.
 *
 * Texts of scripts are not rewritten, and the hash of what was printed is left out: it is not known. So is a result in which
 * something would be.
 */

import {
  type EndRecord,
  fingerprintOf,
  type Journal,
  JournalProblem,
  type JournalRecord,
  type Json,
  type KeyOrder,
  MissingBlob,
  pack,
  type RunHeader,
  unpack,
} from "../effects/index.ts";
import { escapePattern } from "../source/index.ts";
import { sha256 } from "./checked-text.ts";

/** Where folders lay, and where they lie now. */
export type Moves = readonly (readonly [from: string, to: string])[];

/** The same run, as if it had been at home here; the same object when nothing moved. */
export function relocated(journal: Journal, moves: Moves): Journal {
  if (moves.length === 0) return journal;
  const pieces = new Map<string, Json>();
  for (const record of journal.records) if (record.t === "blob") pieces.set(record.hash, record.v);
  const piece = (hash: string): Json | undefined => pieces.get(hash) ?? journal.blob?.(hash);
  const records: JournalRecord[] = [];
  const kept = new Set<string>();
  const keep = (hash: string, text: string): void => {
    if (kept.has(hash)) return;
    kept.add(hash);
    records.push({ t: "blob", hash, v: JSON.parse(text) as Json });
  };
  const relocation = new Relocation(moves, { format: journal.header.format, piece, keep });
  for (const record of journal.records) if (record.t !== "blob") records.push(relocation.record(record));
  return { ...journal, records };
}

/** The pieces of a run. */
export interface RunPieces {
  /** Of the journal. */
  readonly format: number;
  piece(hash: string): Json | undefined;
  /** Takes what a moved record refers to, in pieces: also what was there before, and more than once. */
  keep(hash: string, text: string): void;
}

/** Moves one record after the other. */
export class Relocation {
  private readonly paths: PathMap;
  private readonly pieces: RunPieces;

  constructor(moves: Moves, pieces: RunPieces) {
    this.paths = new PathMap(moves);
    this.pieces = pieces;
  }

  /** A path that stands for itself. */
  place(path: string): string {
    return this.paths.in(path) as string;
  }

  /** Not a `blob`. */
  record(record: JournalRecord): JournalRecord {
    if (record.t === "source") this.keepText(record.hash);
    if (record.t === "intent" || record.t === "result") return this.effect(record);
    return record.t === "end" ? this.end(record) : record;
  }

  /** Arguments and options, in which nothing is laid out in pieces. */
  header<T extends Pick<RunHeader, "argv" | "options">>(header: T): T {
    const { argv, options } = header;
    return {
      ...header,
      argv: this.paths.in([...argv]) as readonly string[],
      options: this.paths.in(options),
    };
  }

  /** `a`: arguments, `v`: a result, `e`: an error, `b`: what was looked at before. */
  private effect<T extends JournalRecord & { t: "intent" | "result" }>(record: T): T {
    const moved: Record<string, unknown> = { ...record };
    for (const field of ["a", "v", "e", "b"]) {
      if (moved[field] !== undefined)
        moved[field] = this.data(moved[field] as Json, field === "a" ? "sorted" : "given");
    }
    if (record.a !== undefined && record.c !== undefined && record.k !== undefined) {
      moved.h = fingerprintOf(record.c, record.k, moved.a as Json, sha256);
      if (moved.h !== record.h) moved.was = record.h;
    }
    return moved as unknown as T;
  }

  /** A result that speaks of folders is not known either: its paths may stand in the script's own text. */
  private end({ output: _output, result, ...record }: EndRecord): EndRecord {
    const isSame =
      result !== undefined &&
      !("digest" in result) &&
      JSON.stringify(this.paths.in(result)) === JSON.stringify(result);
    return isSame ? { ...record, result } : record;
  }

  private data(packed: Json, order: KeyOrder): Json {
    const sink = { put: (hash: string, text: string) => this.pieces.keep(hash, text) };
    return pack(this.paths.in(this.whole(packed)), sha256, sink, this.pieces.format, order);
  }

  private whole(packed: Json): Json {
    try {
      return unpack(packed, (hash) => this.pieces.piece(hash));
    } catch (error) {
      if (!(error instanceof MissingBlob)) throw error;
      throw new JournalProblem("unreadable", "the snapshot lacks a piece it refers to", [
        "it was edited, or parts of it were lost",
      ]);
    }
  }

  private keepText(hash: string): void {
    const text = this.pieces.piece(hash);
    if (text !== undefined) this.pieces.keep(hash, JSON.stringify(text));
  }
}

/** Replaces folders wherever they stand as whole names in a text. */
class PathMap {
  private readonly moves: ReadonlyMap<string, string>;
  private readonly pattern: RegExp;

  constructor(moves: Moves) {
    this.moves = new Map(moves);
    // Longest first: a folder inside of another one is a folder of its own.
    const folders = [...this.moves.keys()].sort((a, b) => b.length - a.length).map(escapePattern);
    this.pattern = new RegExp(`(?<![\\w.-])(?:${folders.join("|")})(?![\\w.-])`, "gu");
  }

  in(json: Json): Json {
    if (typeof json === "string") return this.text(json);
    if (json === null || typeof json !== "object") return json;
    if (Array.isArray(json)) return json.map((item) => this.in(item));
    const copy: Record<string, Json> = Object.create(null);
    for (const [key, value] of Object.entries(json)) copy[this.text(key)] = this.in(value);
    return copy;
  }

  private text(text: string): string {
    return text.replace(this.pattern, (folder) => this.moves.get(folder) ?? folder);
  }
}
