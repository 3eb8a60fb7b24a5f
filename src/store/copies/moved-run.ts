/**
 * Runs of which each stretch was written on another machine, in the paths of that machine: moved to where the same folders lie here.
 * What a machine wrote itself stays as it wrote it, to the byte, so its own store has the beginning of what comes back.
 */
import { type JournalRecord, journalFormat, type RunHeader } from "../../effects/index.ts";
import { parsedJson, recordIn } from "../checked-text.ts";
import { type Moves, Relocation } from "../relocation.ts";
import { damagedRun, readableHeader } from "../runs.ts";
import {
  Inward,
  isFolderPath,
  movesBetween,
  Outward,
  recordAt,
  rootHere,
  type SnapshotRoots,
} from "../snapshot.ts";
import { StoreError } from "../store-error.ts";
import { type CarriedRun, pieceIn, runWithPieces } from "./carried-run.ts";

/** A run as its writers left it. */
export interface WrittenRun {
  readonly run: string;
  readonly header: WrittenText;
  readonly records: readonly WrittenText[];
  readonly pieces: ReadonlyMap<string, string>;
  readonly parent: string | undefined;
  readonly shown: number;
}

/** A record as it is kept. */
export interface WrittenText {
  readonly text: string;
  /** Where the folders of its writer lay: the same object for all that it wrote. */
  readonly roots: SnapshotRoots;
}

/**
 * The run as if all of it had been written here. `roots`: `rootsOfRuns` or `rootsWith`. A `JournalProblem` when something in it is damaged,
 * a `StoreError` "newer" when only a newer version of harn knows it.
 */
export function movedHere(written: WrittenRun, roots: SnapshotRoots): CarriedRun {
  const { run, parent, shown } = written;
  const known = readableHeader(run, knownRecord(run, written.header.text, 0));
  if (known.run !== run) throw damagedRun(run, 0);
  const pieces = new Map(written.pieces);
  const stretches = new Map<SnapshotRoots, WrittenStretch>();
  const stretch = (from: SnapshotRoots): WrittenStretch => {
    const [moves, place] = [movesBetween(from, roots), placeBetween(`the run ${run}`, from, roots)];
    const made = new WrittenStretch(known.format, pieces, moves, place);
    stretches.set(from, made);
    return made;
  };
  const stretchOf = ({ roots: from }: WrittenText): WrittenStretch => stretches.get(from) ?? stretch(from);
  const header = stretchOf(written.header).header(known);
  const records = written.records.map((one, at) => {
    const record = knownRecord(run, one.text, at);
    if (record.t === "run") throw damagedRun(run, at);
    return stretchOf(one).record(record);
  });
  return runWithPieces({ header, records, shown }, pieces, parent);
}

/** Sums tell what is damaged before it comes here: JSON that is no record is one of a later version. */
function knownRecord(run: string, text: string, at: number): JournalRecord {
  const record = recordIn(text);
  if (record?.t === "run" && record.format > journalFormat)
    throw ofNewerHarn(
      `the run ${run} has format ${record.format}, this version of harn reads up to format ${journalFormat}`,
      `it was written by harn ${record.runtime}: use that version here, too`,
    );
  if (record !== undefined) return record;
  if (parsedJson(text) === undefined) throw damagedRun(run, at);
  throw ofNewerHarn(
    `record ${at} of the run ${run} is none that this version of harn knows`,
    "a newer version wrote it: use that one here, too",
  );
}

const ofNewerHarn = (message: string, advice: string): StoreError =>
  new StoreError("newer", message, [advice]);

function placeBetween(what: string, from: SnapshotRoots, to: SnapshotRoots): (path: string) => string {
  const [outward, inward] = [new Outward(from), new Inward(what, to)];
  return (path) => inward.path(outward.path(path));
}

/** The run with what lay in these folders; all others stay where they are. A `JournalProblem` when a piece is missing. */
export function movedRun({ journal, pieces: found, parent }: CarriedRun, moves: Moves): CarriedRun {
  const pieces = new Map(found);
  const stretch = new WrittenStretch(journal.header.format, pieces, moves);
  const header = stretch.header(journal.header);
  const records = journal.records.map((record) => stretch.record(record));
  return runWithPieces({ ...journal, header, records }, pieces, parent);
}

/** What one machine wrote of a run. */
class WrittenStretch {
  private readonly relocation: Relocation | undefined;
  private readonly place: (path: string) => string;

  /** `pieces` get those that are made. `place`: of names of scripts, which are moved as arguments usually. */
  constructor(format: number, pieces: Map<string, string>, moves: Moves, place?: (path: string) => string) {
    const keep = (hash: string, text: string): unknown => pieces.set(hash, text);
    const relocation = new Relocation(moves, { format, piece: pieceIn(pieces), keep });
    this.relocation = moves.length === 0 ? undefined : relocation;
    this.place = place ?? ((path) => this.relocation?.place(path) ?? path);
  }

  header(header: RunHeader): RunHeader {
    const { relocation } = this;
    if (relocation === undefined) return header;
    return { ...relocation.header(header), entry: this.place(header.entry), cwd: this.place(header.cwd) };
  }

  record(record: JournalRecord): JournalRecord {
    const { relocation } = this;
    return relocation === undefined ? record : recordAt(relocation.record(record), this.place);
  }
}

/** The roots of this machine, and the folders outside of them in which parts of these runs lie. */
export function rootsOfRuns(runs: readonly CarriedRun[], roots: SnapshotRoots): SnapshotRoots {
  const outward = new Outward(roots);
  for (const { journal } of runs) {
    for (const path of [journal.header.entry, journal.header.cwd]) outward.path(path);
    for (const record of journal.records) recordAt(record, (path) => outward.path(path));
  }
  return { ...roots, ...Object.fromEntries(outward.more) };
}

/** The roots of this machine with all that are named elsewhere: each as a writer with the same project had it. */
export function rootsWith(roots: SnapshotRoots, others: readonly SnapshotRoots[]): SnapshotRoots {
  const all: Record<string, string> = { ...roots };
  const atHome = others.filter(({ project }) => project === roots.project);
  for (const [name, folder] of [...atHome, ...others].flatMap((other) => Object.entries(other))) {
    if (Object.hasOwn(all, name) || !isFolderPath(folder)) continue;
    const isHere = atHome.some((other) => other[name] === folder);
    all[name] = isHere ? folder : rootHere(name, roots);
  }
  return all;
}
