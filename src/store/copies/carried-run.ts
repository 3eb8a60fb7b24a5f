/** A run as it is carried to another store, and one that comes from there. */
import { type Journal, type JournalRecord, type Json, shownPieces } from "../../effects/index.ts";
import { hasHash, recordIn } from "../checked-text.ts";
import type { NewRunOptions, RunWriter } from "../run-writer.ts";
import { damagedPiece, type Runs } from "../runs.ts";
import { keptRecord } from "../schema/kept-record.ts";
import type { Store } from "../store.ts";
import type { MirroredWrite } from "./run-mirror.ts";

export interface CarriedRun {
  /** As records; no pieces are among them. */
  readonly journal: Journal;
  /** Pieces that its records refer to, by hash: as they are kept. */
  readonly pieces: ReadonlyMap<string, string>;
  /** The run that it goes on from. */
  readonly parent?: string | undefined;
  readonly isEnded: boolean;
}

/** Whether a run stands at an end, whatever ended it. */
const standsAtEnd = (records: readonly JournalRecord[]): boolean =>
  records.findLast(({ t }) => t !== "blob" && t !== "shown")?.t === "end";

/** A run of the store, whole. A `JournalProblem` when it is damaged. */
export function carriedRun(store: Store, name: string): CarriedRun {
  return store.look(() => {
    const pieces = new Map(store.runs.keptPieces(name).map(({ hash, body }) => [hash, body]));
    return runWithPieces(store.runs.read(name), pieces, store.runs.find(name)?.parent);
  });
}

/** A run whose pieces, and how much of its output was shown, stand among its records: as files have it. */
export function carriedJournal(journal: Journal): CarriedRun {
  const pieces = new Map<string, string>();
  for (const record of journal.records)
    if (record.t === "blob") pieces.set(record.hash, JSON.stringify(record.v));
  const records = journal.records.filter(({ t }) => t !== "blob" && t !== "shown");
  return runWithPieces({ ...journal, records, shown: shownPieces(journal) }, pieces, undefined);
}

export const runWithPieces = (
  journal: Journal,
  pieces: CarriedRun["pieces"],
  parent: string | undefined,
): CarriedRun => ({
  journal: { ...journal, blob: pieceIn(pieces) },
  pieces,
  parent,
  isEnded: standsAtEnd(journal.records),
});

/** Looks a piece up among texts. */
export const pieceIn =
  (pieces: ReadonlyMap<string, string>) =>
  (hash: string): Json | undefined => {
    const body = pieces.get(hash);
    return body === undefined ? undefined : (JSON.parse(body) as Json);
  };

/** Records and characters of one write of a run that is carried. */
const writeRecords = 2000;
const writeSize = 4 * 1024 * 1024;

/** A run from a record on, as a store would write it. The whole of it begins with its header. */
export function* writesOf({ journal, pieces, parent }: CarriedRun, from: number): Generator<MirroredWrite> {
  const { run } = journal.header;
  const header = from === 0 ? keptRecord(journal.header) : undefined;
  // `shown` of a run that begins is written with its header.
  let next = {
    run,
    header,
    parent,
    from,
    records: [] as string[],
    pieces: [] as [string, string][],
    shown: journal.shown,
  };
  let size = 0;
  const isFull = (): boolean => size >= writeSize || next.records.length + next.pieces.length >= writeRecords;
  const rest = (at: number): typeof next => {
    size = 0;
    return { ...next, header: undefined, from: at, records: [], pieces: [] };
  };
  for (const [hash, body] of pieces) {
    next.pieces.push([hash, body]);
    size += body.length;
    if (!isFull()) continue;
    yield next;
    next = rest(from);
  }
  for (let at = from; at < journal.records.length; at++) {
    const text = keptRecord(journal.records[at] as JournalRecord);
    next.records.push(text);
    size += text.length;
    if (!isFull()) continue;
    yield next;
    next = rest(at + 1);
  }
  yield next;
}

/** How the copy that the store had compares with the one that was carried there, and what became of it. */
export type TakenAs =
  /** There was none. */
  | "begun"
  /** There is nothing to add to it. */
  | "same"
  /** It was the beginning; what it lacked was added. */
  | "extended"
  /** It was longer, or another one, and is kept under `stale`. */
  | "replaced"
  /** It counts and is another one, or lacks what may not be added: it stays as it was. */
  | "refused";

export interface TakenRun {
  readonly as: TakenAs;
  readonly stale?: string;
}

export interface TakeRunOptions extends NewRunOptions {
  /** Whoever worked on it here has lost it, which the caller knows. Otherwise it is a `StoreError` when somebody does. */
  readonly isOurs?: boolean;
  /** Which copy, when the store has one. Usually the carried one; what counts is a `JournalProblem` when it is damaged. */
  readonly counts?: "carried" | "longer" | "own";
  /** Whether a record here is one that was carried; usually when they are equal. */
  readonly isAlike?: (own: JournalRecord, carried: JournalRecord) => boolean;
}

/** Makes the store have a run as it was carried. Not in code that an interrupt may break off. */
export function takeCarriedRun(store: Store, carried: CarriedRun, options: TakeRunOptions = {}): TakenRun {
  const { isOurs = false, counts = "carried", isAlike = isEqualRecord, ...newRun } = options;
  for (const [hash, body] of carried.pieces) if (!hasHash(body, hash)) throw damagedPiece(hash);
  return store.withJournals(() => {
    const { runs } = store;
    const { header } = carried.journal;
    if (!runs.has(header.run)) {
      const writer = runs.begin(header.run, { ...parentHere(runs, carried), ...newRun });
      writer.append(header);
      addRecords(writer, carried, 0);
      return { as: "begun" };
    }
    const mayReplace = counts === "carried";
    if (!mayReplace) runs.read(header.run);
    else if (!isOurs) runs.mustBeFree(header.run);
    const own = ownPart(runs, carried, isAlike, mayReplace);
    if (mayReplace && (own === undefined || own.lacks < 0)) {
      const stale = keepStale(runs, header.run);
      addRecords(runs.beginAnew(header), carried, 0);
      return { as: "replaced", stale };
    }
    if (own === undefined || (own.lacks > 0 && counts === "own")) return { as: "refused" };
    if (own.lacks > 0 || mayReplace) addRecords(runs.take(header.run, { isOurs }), carried, own.next);
    return { as: own.lacks > 0 ? "extended" : "same" };
  });
}

const isEqualRecord = (one: JournalRecord, other: JournalRecord): boolean =>
  keptRecord(one) === keptRecord(other);

/** One that is not here is none. */
const parentHere = (runs: Runs, { parent }: CarriedRun): { readonly parent?: string } =>
  parent !== undefined && runs.has(parent) ? { parent } : {};

/** The number of the first record that the store lacks, and how many it does; below 0: it has more. `undefined`: it has others. */
function ownPart(
  runs: Runs,
  { journal: { header, records } }: CarriedRun,
  isAlike: (own: JournalRecord, carried: JournalRecord) => boolean,
  withHeader: boolean,
): { readonly next: number; readonly lacks: number } | undefined {
  const own = runs.keptTexts(header.run);
  // An earlier version may have kept it in another form.
  const isSame = (text: string, wanted: JournalRecord): boolean => {
    if (text === keptRecord(wanted)) return true;
    const known = recordIn(text);
    return known !== undefined && isAlike(known, wanted);
  };
  if (withHeader && !isSame(own.header, header)) return undefined;
  // Earlier versions kept it of what came from files.
  const texts = own.records.filter((text) => !text.startsWith('{"t":"shown"'));
  const wanted = records.filter(({ t }) => t !== "shown");
  if (!wanted.every((record, at) => at >= texts.length || isSame(texts[at] as string, record)))
    return undefined;
  const next = wanted[texts.length];
  return {
    next: next === undefined ? records.length : records.indexOf(next),
    lacks: wanted.length - texts.length,
  };
}

/** The run as it is here, as far as it can be read, under another name. */
function keepStale(runs: Runs, name: string): string {
  const { journal } = runs.readable(name);
  const free = (n: number): string => (n === 1 ? `${name}.stale` : `${name}.stale-${n}`);
  let n = 1;
  while (runs.has(free(n))) n++;
  runs.add({ ...journal, header: { ...journal.header, run: free(n) } }, { parent: name });
  return free(n);
}

/** Adds the records from a number on. Without any it stays at the end where it stands. */
function addRecords(writer: RunWriter, { journal, pieces }: CarriedRun, from: number): void {
  const missing = journal.records.slice(from);
  if (from === 0 || missing.length > 0) for (const [hash, body] of pieces) writer.blob(hash, body);
  for (const record of missing) writer.append(record);
  writer.flush(true);
  writer.shown(journal.shown ?? 0);
  writer.close();
}
