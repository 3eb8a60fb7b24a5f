/** Journals of a set on their way into a store: under their names here, new or longer than what is here of them. */
import {
  type Journal,
  JournalProblem,
  type JournalRecord,
  journalFormat,
  oldestFormat,
  type RunHeader,
  recordProblem,
} from "../../../effects/index.ts";
import { type Moves, recordAt, relocated, type Store } from "../../../store/index.ts";
import { isJsonObject, type Json } from "../../../values/index.ts";
import { ImportProblem } from "../../report/index.ts";
import { fittingPart, type SetArchive } from "./archive.ts";
import { journalShape } from "./layout.ts";

/** What a file says of a journal: its run, the trial (null: it is the plan), what it went on from, questions to people. */
export type JournalFacts = ReturnType<typeof journalFacts>;
const journalFacts = (json: Json, place: string) => fittingPart(journalShape, json, place);

export interface ArchivedJournal {
  readonly facts: JournalFacts;
  readonly header: RunHeader;
  /** Its pieces first. */
  readonly records: readonly JournalRecord[];
}

/** The journals of a file. Throws an `ImportProblem` for what is none. */
export function* archivedJournals(archive: SetArchive): Generator<ArchivedJournal> {
  let open: { readonly facts: JournalFacts; readonly records: JournalRecord[] } | undefined;
  for (const { json, place } of archive.lines("journals")) {
    if (isJsonObject(json) && json.t === "journal") {
      if (open !== undefined) yield wholeJournalOf(open);
      open = { facts: journalFacts(json, place), records: [] };
      continue;
    }
    const problem = recordProblem(json as unknown as JournalRecord);
    if (open === undefined || problem !== undefined)
      throw new ImportProblem(`${place}: ${problem ?? "a record of no journal"}`);
    open.records.push(json as unknown as JournalRecord);
  }
  if (open !== undefined) yield wholeJournalOf(open);
}

function wholeJournalOf({
  facts,
  records: [header, ...records],
}: {
  readonly facts: JournalFacts;
  readonly records: readonly JournalRecord[];
}): ArchivedJournal {
  if (header?.t !== "run" || !(header.format >= oldestFormat && header.format <= journalFormat))
    throw new ImportProblem(`the journal of ${facts.name} has no header that this version of harn reads`);
  return { facts, header, records };
}

/** What the name of a run says after the number of its trial: the attempt, and of a scoring which. */
export const partOfTrial = (run: string): string =>
  /(?:~\d+)?(?:\.(?:pair|min)-[\w-]+)?(?:\.score\d*)?$/u.exec(run)?.[0] ?? "";

export interface JournalPlaces {
  /** Addresses of trials begin with it. */
  readonly set: string;
  /** The name that a run has here; undefined: it is not among those that were taken. */
  readonly nameOf: (run: string) => string | undefined;
  /** Where folders lay that lie elsewhere here. */
  readonly moves?: Moves | undefined;
}

/** The journal as one of this store: its names, its paths. `run`: its own name. */
export function placedJournal(
  {
    facts,
    header,
    records,
  }: Pick<ArchivedJournal, "header" | "records"> & { readonly facts: { shown: number } },
  run: string,
  { set, nameOf, moves = [] }: JournalPlaces,
): Journal {
  const options = isJsonObject(header.options ?? null) ? (header.options as { [name: string]: Json }) : {};
  const { trial, plan } = options;
  const address = (text: string): string => text.replace(/^[^:]*/u, set);
  const placed: RunHeader = {
    ...header,
    run,
    entry: header.entry === trial ? address(trial as string) : movedPath(header.entry, moves),
    cwd: movedPath(header.cwd, moves),
    options: {
      ...options,
      ...(typeof trial === "string" ? { trial: address(trial) } : {}),
      ...(typeof plan === "string" ? { plan: nameOf(plan) ?? plan } : {}),
    },
  };
  const here = records.map((record) => recordAt(record, (path) => movedPath(path, moves)));
  return relocated({ header: placed, records: here, shown: facts.shown }, moves);
}

function movedPath(path: string, moves: Moves): string {
  const longestFirst = [...moves].sort(([a], [b]) => b.length - a.length);
  for (const [from, to] of longestFirst)
    if (path === from || path.startsWith(`${from}/`)) return to + path.slice(from.length);
  return path;
}

interface JournalPlace {
  readonly parent?: string | undefined;
  readonly trial?: number | undefined;
  readonly questions?: JournalFacts["questions"];
}

/**
 * Makes a run of a journal, or lengthens the one that is here. Throws an `ImportProblem` for a journal of another course. Gives whether
 * anything has changed.
 */
export function placeRun(
  files: Store,
  journal: Journal,
  { parent, trial, questions }: JournalPlace,
): boolean {
  const { run } = journal.header;
  const { runs } = files;
  try {
    const isNew = !runs.has(run);
    if (isNew)
      runs.add(journal, {
        ...(parent === undefined ? {} : { parent }),
        ...(trial === undefined ? {} : { trial }),
      });
    const isChanged = isNew || lengthened(files, journal);
    if (isChanged && questions !== undefined) runs.questions.replace(run, questions);
    return isChanged;
  } catch (error) {
    if (error instanceof JournalProblem) throw new ImportProblem(`the journal of ${run}: ${error.message}`);
    throw error;
  }
}

function lengthened({ runs }: Store, journal: Journal): boolean {
  const { run } = journal.header;
  const held = runs.read(run).records;
  const isPiece = ({ t }: JournalRecord): boolean => t === "blob";
  const records = journal.records.filter((record) => !isPiece(record));
  if (held.some((record, at) => at < records.length && stepOf(record) !== stepOf(records[at])))
    throw new ImportProblem(`the journal of ${run} goes another course than the one that is here`);
  if (records.length <= held.length) return false;
  const writer = runs.take(run);
  for (const record of [...journal.records.filter(isPiece), ...records.slice(held.length)])
    writer.append(record);
  writer.flush();
  writer.shown(journal.shown ?? 0);
  writer.close();
  return true;
}

/** What of a record is the same wherever its folders lie. */
function stepOf(record: JournalRecord | undefined): string {
  const { t, p, n, k } = (record ?? {}) as { readonly [name: string]: Json };
  return JSON.stringify([t, p, n, k]);
}
