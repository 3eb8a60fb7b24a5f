/**
 * What a run said of paths, said of the paths of this machine: a script that asked for its working folder went on with
 * what it was told, so a run that is carried elsewhere must have been told where it lies there. Arguments and results are
 * rewritten; fingerprints are taken anew, and the old one is kept beside the new one, because a path that stands in the
 * script's own text stays what it was.
 *
 * Texts of scripts are not rewritten, and the hash of what was printed is left out: it is not known.
 */

import {
  fingerprintOf,
  type Journal,
  JournalProblem,
  type JournalRecord,
  type Json,
  type KeyOrder,
  MissingBlob,
  pack,
  unpack,
} from "../effects/index.ts";
import { escapePattern } from "../source/index.ts";
import { sha256 } from "./checked-text.ts";

/** Where folders lay, and where they lie now. */
export type Moves = readonly (readonly [from: string, to: string])[];

/** The same run, as if it had been at home here; the same object when nothing moved. */
export function relocated(journal: Journal, moves: Moves): Journal {
  return moves.length === 0 ? journal : new Relocation(journal, moves).journal();
}

class Relocation {
  private readonly from: Journal;
  private readonly paths: PathMap;
  private readonly pieces = new Map<string, Json>();
  private readonly put = new Set<string>();
  private readonly records: JournalRecord[] = [];

  constructor(journal: Journal, moves: Moves) {
    this.from = journal;
    this.paths = new PathMap(moves);
    for (const record of journal.records) if (record.t === "blob") this.pieces.set(record.hash, record.v);
  }

  journal(): Journal {
    for (const record of this.from.records) this.take(record);
    return { ...this.from, records: this.records };
  }

  private take(record: JournalRecord): void {
    if (record.t === "blob") return;
    if (record.t === "source") this.keep(record.hash, this.piece(record.hash));
    if (record.t === "intent" || record.t === "result") this.records.push(this.effect(record));
    else if (record.t === "end") this.records.push({ ...record, output: undefined } as JournalRecord);
    else this.records.push(record);
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

  private data(packed: Json, order: KeyOrder): Json {
    const sink = { put: (hash: string, text: string) => this.keep(hash, JSON.parse(text) as Json) };
    return pack(this.paths.in(this.whole(packed)), sha256, sink, this.from.header.format, order);
  }

  private whole(packed: Json): Json {
    try {
      return unpack(packed, (hash) => this.piece(hash));
    } catch (error) {
      if (!(error instanceof MissingBlob)) throw error;
      throw new JournalProblem("unreadable", "the snapshot lacks a piece it refers to", [
        "it was edited, or parts of it were lost",
      ]);
    }
  }

  private piece(hash: string): Json | undefined {
    return this.pieces.get(hash) ?? this.from.blob?.(hash);
  }

  private keep(hash: string, v: Json | undefined): void {
    if (v === undefined || this.put.has(hash)) return;
    this.put.add(hash);
    this.records.push({ t: "blob", hash, v });
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
