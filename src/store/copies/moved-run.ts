/**
 * Runs of which each stretch was written on another machine, in the paths of that machine: moved to where the same folders lie here.
 * What a machine wrote itself stays as it wrote it, to the byte, so its own store has the beginning of what comes back.
 */
import type { JournalRecord, RunHeader } from "../../effects/index.ts";
import { recordIn } from "../checked-text.ts";
import { Relocation } from "../relocation.ts";
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
import { type CarriedRun, pieceIn, standsAtEnd } from "./carried-run.ts";

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
 * The run as if all of it had been written here. `roots`: `rootsOfRuns` or `rootsWith`. A `JournalProblem` when there is something in it
 * that this version can't read.
 */
export function movedHere(written: WrittenRun, roots: SnapshotRoots): CarriedRun {
  const { pieces: found, parent, shown } = written;
  const run = { header: readableHeader(written.run, recordIn(written.header.text)), pieces: found };
  if (run.header.run !== written.run) throw damagedRun(written.run, 0);
  const made = new Map<string, string>();
  const stretches = new Map<SnapshotRoots, WrittenStretch>();
  const stretch = (from: SnapshotRoots): WrittenStretch => {
    const known = stretches.get(from) ?? new WrittenStretch(run, from, roots, made);
    stretches.set(from, known);
    return known;
  };
  const header = stretch(written.header.roots).header(run.header);
  const records = written.records.map(({ text, roots: from }, at) => {
    const record = recordIn(text);
    if (record === undefined || record.t === "run") throw damagedRun(written.run, at);
    return stretch(from).record(record);
  });
  const pieces = made.size === 0 ? found : new Map([...found, ...made]);
  const journal = { header, records, shown, blob: pieceIn(pieces) };
  return { journal, pieces, parent, isEnded: standsAtEnd(records) };
}

interface RunToMove {
  readonly header: RunHeader;
  readonly pieces: ReadonlyMap<string, string>;
}

/** What one machine wrote of a run. */
class WrittenStretch {
  private readonly relocation: Relocation | undefined;
  private readonly place: (path: string) => string;

  constructor(run: RunToMove, from: SnapshotRoots, to: SnapshotRoots, made: Map<string, string>) {
    const outward = new Outward(from);
    const inward = new Inward(`the run ${run.header.run}`, to);
    this.place = (path) => inward.path(outward.path(path));
    const moves = movesBetween(from, to);
    if (moves.length === 0) return;
    this.relocation = new Relocation(moves, {
      format: run.header.format,
      piece: pieceIn(run.pieces),
      keep: (hash, text) => {
        if (!run.pieces.has(hash)) made.set(hash, text);
      },
    });
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
