/**
 * A journal that was read, ready to be followed: what each effect was asked and gave, in which order results were handed
 * over, what was decided between effects. A resumed run dropped what lay after the place where it went on: that is left
 * out here.
 */

import type { Json } from "../values/index.ts";
import { MissingBlob, unpack } from "./blobs.ts";
import {
  type DecisionRecord,
  type EndRecord,
  type Fingerprint,
  type IntentRecord,
  type Journal,
  JournalProblem,
  type JournalRecord,
  type ResultRecord,
  type StopRecord,
} from "./journal.ts";
import type { Decision, RecordedKind } from "./port.ts";

export interface HistoryEffect {
  print: Fingerprint | undefined;
  intent: IntentRecord | undefined;
  result: ResultRecord | undefined;
}

export class History {
  /** How the journal lays out data. */
  readonly format: number;
  readonly seed: string;
  /** What counts, without blobs. */
  readonly records: readonly JournalRecord[];
  readonly decisions = new Map<string, Decision[]>();
  /** What was handed over, by order number. */
  readonly handed: ResultRecord[] = [];
  readonly stops: StopRecord[] = [];
  readonly end: EndRecord | undefined;
  /** The turn in which the recorded run was broken off in a computation. */
  readonly brokenTurn: number | undefined = undefined;
  private readonly blobs = new Map<string, Json>();
  private readonly effects = new Map<string, HistoryEffect[]>();
  private readonly elsewhere: Journal["blob"];
  private readonly all: readonly JournalRecord[];

  constructor(journal: Journal, records: readonly JournalRecord[] = validRecords(journal.records)) {
    this.format = journal.header.format;
    this.seed = journal.header.seed;
    this.records = records;
    this.elsewhere = journal.blob;
    this.all = journal.records;
    for (const record of journal.records) if (record.t === "blob") this.blobs.set(record.hash, record.v);
    let end: EndRecord | undefined;
    for (const record of records) {
      if (record.t === "intent" || record.t === "result") this.index(record);
      else if (record.t === "stop") this.stops.push(record);
      else if (record.t === "end") end = record;
      else if (record.t === "decision") {
        if (record.k === "interrupt") this.brokenTurn = record.turn;
        this.indexDecision(record);
      }
    }
    this.end = end;
  }

  /** What is known of an effect. */
  at(path: string, number: number): HistoryEffect | undefined {
    return this.effects.get(path)?.[number];
  }

  /** What an effect is, whatever came of it. */
  kindAt(path: string, number: number): RecordedKind | undefined {
    const print = this.at(path, number)?.print;
    return print === undefined ? undefined : { effect: print.c, kind: print.k };
  }

  /**
   * How often an effect that has no result has been begun: with its intent, and each time that the run went on after that, except where
   * it parked. A run parks when all that has no result waits for people: the effect itself waited to be decided then.
   */
  begun(path: string, number: number): number {
    const intent = this.at(path, number)?.intent;
    if (intent === undefined) return 0;
    const since = this.all.indexOf(intent);
    let begun = 1;
    for (const record of this.all.slice(since + 1))
      if (record.t === "resume") begun++;
      else if (record.t === "stop" && record.reason === "parked") begun--;
    return begun;
  }

  /** The last intent or result: what was in flight when a run was cut off. */
  get last(): IntentRecord | ResultRecord | undefined {
    for (let at = this.records.length - 1; at >= 0; at--) {
      const record = this.records[at] as JournalRecord;
      if (record.t === "intent" || record.t === "result") return record;
    }
    return undefined;
  }

  /** Adds a piece that the program made anew: what was recorded may refer to it. */
  add(hash: string, text: string): void {
    if (!this.blobs.has(hash)) this.blobs.set(hash, JSON.parse(text) as Json);
  }

  /** Packed data as it was. Throws a `JournalProblem` when a piece is missing. */
  whole(packed: Json): Json {
    try {
      return unpack(packed, (hash) => this.piece(hash));
    } catch (error) {
      if (!(error instanceof MissingBlob)) throw error;
      throw new JournalProblem(
        "unreadable",
        `the journal lacks a piece it refers to (${error.hash.slice(0, 12)}…)`,
        ["it was edited, or parts of it were lost"],
      );
    }
  }

  private piece(hash: string): Json | undefined {
    const known = this.blobs.get(hash);
    if (known !== undefined || this.elsewhere === undefined) return known;
    const found = this.elsewhere(hash);
    if (found !== undefined) this.blobs.set(hash, found);
    return found;
  }

  private index(record: IntentRecord | ResultRecord): void {
    const known = this.place(record.p, record.n);
    if (record.h !== undefined) known.print = record as Fingerprint;
    if (record.t === "intent") known.intent = record;
    else {
      known.result = record;
      if (record.o !== undefined) this.handed[record.o] = record;
    }
  }

  private place(path: string, number: number): HistoryEffect {
    let numbers = this.effects.get(path);
    if (numbers === undefined) {
      numbers = [];
      this.effects.set(path, numbers);
    }
    let known = numbers[number];
    if (known === undefined) {
      known = { print: undefined, intent: undefined, result: undefined };
      numbers[number] = known;
    }
    return known;
  }

  private indexDecision(record: DecisionRecord): void {
    const { p: path, s: steps, k: kind, of: subject, turn } = record;
    const decision: Decision = { path, steps, kind, subject, turn };
    const list = this.decisions.get(path);
    if (list === undefined) this.decisions.set(path, [decision]);
    else list.push(decision);
  }
}

/** The records that count: after a `resume` only the first `keep` of those before it do. */
export function validRecords(records: readonly JournalRecord[]): JournalRecord[] {
  const valid: JournalRecord[] = [];
  for (const record of records) {
    if (record.t === "blob" || record.t === "shown") continue;
    if (record.t === "resume") valid.length = Math.min(valid.length, record.keep);
    else valid.push(record);
  }
  return valid;
}

/** Where a run went on that had ended or died, and how it had ended. */
export interface Resumption {
  /** So many of the records that count lie before it. */
  readonly after: number;
  /** As in the record of its end; `crash`: its process died. */
  readonly ended: EndRecord["reason"] | "crash";
}

/** In order. Steps that a later resumption took back are none of any more, and it goes on where that one does. */
export function resumptionsOf(records: readonly JournalRecord[]): Resumption[] {
  const found: Resumption[] = [];
  let last: JournalRecord | undefined;
  for (const record of records) {
    if (record.t === "resume") {
      const earlier = found.map((one) => ({ ...one, after: Math.min(one.after, record.keep) }));
      found.splice(0, found.length, ...earlier);
      found.push({ after: record.keep, ended: last?.t === "end" ? last.reason : "crash" });
    }
    if (record.t !== "blob" && record.t !== "shown") last = record;
  }
  return found;
}

/** Pieces of standard output that were printed. */
export function shownPieces(journal: Journal): number {
  let shown = journal.shown ?? 0;
  for (const record of journal.records) if (record.t === "shown") shown = Math.max(shown, record.w);
  return shown;
}

/** The sources that a journal holds: by the name they ran under, and what each import meant. */
export function recordedSources(journal: Journal): {
  readonly texts: ReadonlyMap<string, string>;
  readonly imports: ReadonlyMap<string, string>;
} {
  const blobs = new Map<string, Json>();
  for (const record of journal.records) if (record.t === "blob") blobs.set(record.hash, record.v);
  const texts = new Map<string, string>();
  const imports = new Map<string, string>();
  for (const record of journal.records) {
    if (record.t === "source") {
      const piece = blobs.get(record.hash) ?? journal.blob?.(record.hash);
      if (piece !== undefined) texts.set(record.name, textOf(record.name, piece));
    } else if (record.t === "module") imports.set(importKey(record.from, record.specifier), record.name);
  }
  return { texts, imports };
}

function textOf(module: string, piece: Json): string {
  if (typeof piece === "string") return piece;
  throw new JournalProblem("unreadable", `what the journal keeps as the text of ${module} is no text`, [
    "it was edited, or parts of it were lost",
  ]);
}

/** The key of an import in `recordedSources().imports`. */
export const importKey = (from: string, specifier: string): string => `${from}\n${specifier}`;
