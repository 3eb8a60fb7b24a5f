/**
 * The journal as data: its records and the two ports to whatever stores them. Append-only; the order of records is the
 * order of events. The file adapter (`store/journal-file.ts`) writes one JSON object per line; a database may hold the
 * same records in tables.
 *
 *   run       first: format, versions, seed, arguments, what was run
 *   source    the text of a script or module, by hash; `module` says which text an import meant
 *   blob      a large piece of data, stored once
 *   intent    an effect is about to happen (write, model, human, read; and whatever waits)
 *   result    what it gave, with the run-wide number of its hand-over when it waited; without a preceding intent it
 *             carries the fingerprint itself
 *   decision  what took effect between two effects, at which step of which task
 *   stop      the run was asked to stop, at that turn
 *   end       the program ended
 *   shown     so many pieces of standard output have reached whoever reads them (a store keeps only the last count)
 *   resume    the run went on from here: of the records before it, blobs and `shown` not counted, only the first `keep` count
 *
 * `w`, where present, is how many pieces of standard output had been printed before the record.
 */
import type { Json } from "../values/index.ts";
import type { AgentFailure, JournalledClass, ProgramResult, RunEnd, StopRequest } from "./port.ts";

export const journalFormat = 3;
/** Format 2 is format 3 without stars and forms in placeholders (`secrets.ts`); format 1 is format 2 without `shown`, `resume`, `due` and `b`. */
export const oldestFormat = 1;

/** What is known when a run begins. */
export interface RunHeader {
  readonly t: "run";
  readonly journal: "harn";
  readonly format: number;
  /** The run's id. */
  readonly run: string;
  /** Version of this runtime. */
  readonly runtime: string;
  /** Versions of Node, ICU, Unicode and the time zone data, and the time zone. */
  readonly platform: { readonly [name: string]: string };
  readonly seed: string;
  readonly argv: readonly string[];
  /** Name of the source that was run; its text is a `source` record. */
  readonly entry: string;
  readonly cwd: string;
  /** Options that change what the program does: limits, providers. */
  readonly options: Json;
  /** Of a run that is carried in a file: where the folders lay that it speaks of, by name. */
  readonly roots?: { readonly [name: string]: string };
}

export interface Fingerprint {
  readonly c: JournalledClass;
  readonly k: string;
  /** Hash of class, kind and arguments. */
  readonly h: string;
  /** The hash where the run comes from, if folders lay elsewhere there: a path in the script's text stays what it was. */
  readonly was?: string;
  /** Packed arguments. */
  readonly a: Json;
}

interface EffectPlace {
  /** Path. */
  readonly p: string;
  /** Number on it. */
  readonly n: number;
}

export type SourceRecord = { readonly t: "source"; readonly name: string; readonly hash: string };
export type ModuleRecord = {
  readonly t: "module";
  readonly from: string;
  readonly specifier: string;
  readonly name: string;
};
export type BlobRecord = { readonly t: "blob"; readonly hash: string; readonly v: Json };
export type IntentRecord = {
  readonly t: "intent";
  readonly w?: number;
  /** When what it waits for is over, in milliseconds since the epoch. */
  readonly due?: number;
  /** What was looked at before, to find out later whether it happened. */
  readonly b?: Json;
} & EffectPlace &
  Fingerprint;
export type ResultRecord = {
  readonly t: "result";
  readonly w?: number;
  /** Run-wide number of the hand-over; absent for synchronous results. */
  readonly o?: number;
  /** Packed result, or `e`: an error. */
  readonly v?: Json;
  readonly e?: Json;
} & EffectPlace &
  Partial<Fingerprint>;
/** Whether it is the first record of an effect: that one says what the effect is. */
export const introduces = (
  record: JournalRecord | undefined,
): record is (IntentRecord | ResultRecord) & Fingerprint =>
  (record?.t === "intent" || record?.t === "result") && record.h !== undefined;
export type DecisionRecord = {
  readonly t: "decision";
  readonly w?: number;
  readonly p: string;
  /** Steps of the task. */
  readonly s: number;
  readonly k: string;
  /** Its subject. */
  readonly of: string;
  /** Turns taken before it. */
  readonly turn: number;
};
export type StopRecord = {
  readonly t: "stop";
  readonly w?: number;
  /** Turns taken when it took effect, its own included. */
  readonly turn: number;
  readonly reason: StopRequest["reason"];
  readonly code: number;
};
/** With the names of secrets. `digest`: of one that is too large to be kept. */
export type EndResult = ProgramResult | { readonly digest: string };
export type EndRecord = {
  readonly t: "end";
  readonly w: number;
  readonly reason: RunEnd["reason"];
  readonly code: number;
  /** As `RunEnd.notes`; absent without any. */
  readonly notes?: readonly string[];
  /** As `RunEnd.waits`; absent without any. */
  readonly waits?: readonly string[];
  /** As `RunEnd.outcome`. */
  readonly outcome?: AgentFailure;
  /** What it gave to the program that ran it: a replay gives the same. Absent where nobody took it, and of what has no stored form. */
  readonly result?: EndResult;
  /** Hash of all of standard output; not known of a run whose folders lay elsewhere. */
  readonly output?: string;
};

export type ShownRecord = { readonly t: "shown"; readonly w: number };
export type ResumeRecord = {
  readonly t: "resume";
  readonly w?: number;
  readonly keep: number;
  /** Version of the runtime that went on. */
  readonly runtime: string;
};

export type JournalRecord =
  | RunHeader
  | SourceRecord
  | ModuleRecord
  | BlobRecord
  | IntentRecord
  | ResultRecord
  | DecisionRecord
  | StopRecord
  | EndRecord
  | ShownRecord
  | ResumeRecord;

/** Where records go. Its errors are `JournalProblem`s. */
export interface JournalWriter {
  /** Adds a record; it may stay in memory until `flush`. */
  append(record: JournalRecord): void;
  /** Adds a `blob` record whose value has this JSON text: large pieces need not be parsed and printed once more. */
  blob(hash: string, text: string): void;
  /** Everything appended so far survives the end of this process, also a violent one; `durable`: a power loss as well. */
  flush(durable?: boolean): void;
  /** Like `flush`, and notes that so many pieces of standard output are printed now. */
  shown(pieces: number): void;
  /** Flushes and lets go. Safe to call twice. */
  close(): void;
}

/** A journal that was read. */
export interface Journal {
  readonly header: RunHeader;
  /** All records after the first. */
  readonly records: readonly JournalRecord[];
  /** Finds pieces that are not among the records. */
  readonly blob?: (hash: string) => Json | undefined;
  /** Pieces of standard output that were printed, where it is not told by records. */
  readonly shown?: number;
  /** What stood after the last whole record and was left out. */
  readonly torn?: { readonly line: number; readonly bytes: number };
}

/** Why a journal cannot be written, read or followed. */
export type ProblemKind =
  /** Recorded and asked differ. */
  | "mismatch"
  /** The recorded run was cut off here. */
  | "ended-early"
  /** The file cannot be read as a journal. */
  | "unreadable"
  /** The journal cannot be written. */
  | "unwritable"
  /** What is given as the result of a step can't be one. */
  | "unfit-answer";

/** Where a replay diverges from its record. */
export interface Divergence {
  /** `PATH#N` of the effect; undefined where it is none. */
  readonly place?: string;
  /** In words. */
  readonly recorded: string;
  readonly now: string;
}

/** Where in the program's text a problem came up. */
export interface ProblemPlace {
  /** Its path, where it has one. */
  readonly file: string;
  /** What messages call it. */
  readonly shown: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** Not an `Error` and not a `ScriptError`: nothing in a script or in native code can catch and survive it. */
export class JournalProblem {
  readonly kind: ProblemKind;
  /** Of a mismatch: both sides. */
  readonly divergence: Divergence | undefined;
  /** One line that says what is wrong. */
  readonly message: string;
  /** The error that caused it, for whoever looks for a defect. */
  cause: unknown;
  private lines: readonly string[];
  /** Where in the program's text. */
  place: ProblemPlace | undefined = undefined;
  constructor(kind: ProblemKind, message: string, details: readonly string[] = [], divergence?: Divergence) {
    this.kind = kind;
    this.divergence = divergence;
    this.message = message;
    this.lines = details;
  }

  /** Where in the script, both sides, and what to do. */
  get details(): readonly string[] {
    const { place } = this;
    return place === undefined
      ? this.lines
      : [`at ${place.shown}:${place.line}:${place.column}`, ...this.lines];
  }

  /** Adds to what is known. */
  add(lines: readonly string[]): void {
    this.lines = [...this.lines, ...lines];
  }

  /** Notes where in the script it came up; the first place counts. */
  at(place: ProblemPlace): void {
    this.place ??= place;
  }
}

/** What `read` gives; a problem of the journal is handed to `notice`, and what that gives is thrown. */
export function noticing<T>(read: () => T, notice: (problem: JournalProblem) => unknown): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof JournalProblem ? notice(error) : error;
  }
}

/** A journal in memory: for tests, and for embedders that keep it themselves. */
export class MemoryJournal implements JournalWriter {
  readonly lines: JournalRecord[] = [];
  append(record: JournalRecord): void {
    this.lines.push(record);
  }
  blob(hash: string, text: string): void {
    this.append({ t: "blob", hash, v: JSON.parse(text) as Json });
  }
  flush(): void {}
  shown(pieces: number): void {
    this.lines.push({ t: "shown", w: pieces });
  }
  close(): void {}

  /** What was written, as a reader sees it. */
  read(): Journal {
    const [header, ...records] = this.lines.map(
      (record) => JSON.parse(JSON.stringify(record)) as JournalRecord,
    );
    if (header?.t !== "run") throw new JournalProblem("unreadable", "the journal has no beginning");
    return { header, records };
  }
}
