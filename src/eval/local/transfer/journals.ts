/** Journals of a set on their way into a store: under their names here, new or longer than what is here of them. */
import {
  JournalProblem,
  type JournalRecord,
  journalFormat,
  oldestFormat,
  type RunHeader,
  recordProblem,
} from "../../../effects/index.ts";
import { type CarriedRun, carriedJournal, movedRun, takeCarriedRun } from "../../../store/copies/index.ts";
import type { Moves, Store } from "../../../store/index.ts";
import { isJsonObject, type Json } from "../../../values/index.ts";
import { ImportProblem } from "../../report/index.ts";
import { fittingPart, type SetArchive } from "./archive.ts";
import { journalShape } from "./layout.ts";

/** What a file says of a journal: its run, the trial (null: it is the plan), what it went on from, questions to people. */
export type JournalFacts = ReturnType<typeof journalFacts>;
const journalFacts = (json: Json, place: string) => fittingPart(journalShape, json, place);

export interface ArchivedJournal extends CarriedRun {
  readonly facts: JournalFacts;
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
    throw new ImportProblem(
      `the journal of ${facts.name} has no header that this version of harn reads`,
      header?.t === "run" && header.format > journalFormat,
    );
  return { facts, ...carriedJournal({ header, records, shown: facts.shown }) };
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

/** The journal as one of this store: its names, its paths. `name`: its own. Throws an `ImportProblem` when pieces of it are missing. */
export function placedJournal(
  run: CarriedRun,
  name: string,
  { set, nameOf, moves = [] }: JournalPlaces,
): CarriedRun {
  const { entry, options: kept } = run.journal.header;
  const options = isJsonObject(kept ?? null) ? (kept as { [name: string]: Json }) : {};
  const { trial, plan } = options;
  const address = (text: string): string => text.replace(/^[^:]*/u, set);
  const { journal, ...moved } = inWordsOfImport(name, () => movedRun(run, moves));
  const header: RunHeader = {
    ...journal.header,
    run: name,
    ...(entry === trial ? { entry: address(entry) } : {}),
    options: {
      ...options,
      ...(typeof trial === "string" ? { trial: address(trial) } : {}),
      ...(typeof plan === "string" ? { plan: nameOf(plan) ?? plan } : {}),
    },
  };
  return { ...moved, journal: { ...journal, header } };
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
export function placeRun(files: Store, run: CarriedRun, { parent, trial, questions }: JournalPlace): boolean {
  const name = run.journal.header.run;
  const { as } = inWordsOfImport(name, () =>
    takeCarriedRun(
      files,
      { ...run, parent },
      { counts: "longer", isAlike: isSameStep, ...(trial === undefined ? {} : { trial }) },
    ),
  );
  if (as === "refused")
    throw new ImportProblem(`the journal of ${name} goes another course than the one that is here`);
  if (as !== "same" && questions !== undefined) files.runs.questions.replace(name, questions);
  return as !== "same";
}

function inWordsOfImport<T>(run: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof JournalProblem) throw new ImportProblem(`the journal of ${run}: ${error.message}`);
    throw error;
  }
}

/** Wherever its folders lie. */
const isSameStep = (one: JournalRecord, other: JournalRecord): boolean => stepOf(one) === stepOf(other);

function stepOf(record: JournalRecord): string {
  const { t, p, n, k } = record as unknown as { readonly [name: string]: Json };
  return JSON.stringify([t, p, n, k]);
}
