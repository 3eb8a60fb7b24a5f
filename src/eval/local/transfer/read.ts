/** Takes a set from a file into this store, all of it or nothing. The file may come from anybody. */
import type { EvalTables } from "../../../durable/index.ts";
import type { Moves, Store } from "../../../store/index.ts";
import { isJsonObject, type Json } from "../../../values/index.ts";
import { type EvalStore, type NewRow, type SetSpec, usualOptions } from "../../engine/index.ts";
import { ImportProblem, mustBeDistinct, reportOf, storedSetOf, summaryText } from "../../report/index.ts";
import { parsedPart, SetArchive } from "./archive.ts";
import { archivedJournals, partOfTrial, placedJournal, placeRun } from "./journals.ts";

/** Rows that are written at once. */
const batch = 1000;

/** Gives the name of the set, and how many trials it has. Throws an `ImportProblem`. */
export function importSetFile(
  files: Store,
  store: EvalStore,
  bytes: Buffer,
  asked: string | undefined,
): { readonly name: string; readonly trials: number } {
  const archive = new SetArchive(bytes);
  const name = asked ?? archive.head.set.name;
  if (store.set(name) !== undefined)
    throw new ImportProblem(
      `it holds the set ${name}, and one is called so already; --set names it otherwise`,
    );
  return store.together(() => {
    const { trials } = new TakenSet(files, store, archive, { name, runs: name }).take();
    mustBeShown(store, name);
    return { name, trials };
  });
}

/**
 * Takes a chunk of a set into a store that has nothing: rows have the numbers that they have where the set is, runs of trials are named
 * `RUNS.NUMBER`, questions to people and kept answers come along. Gives the names that runs had, by those that they have.
 */
export function placeSetPart(
  files: Store,
  store: EvalStore,
  archive: SetArchive,
  { runs, moves }: { readonly runs: string; readonly moves: Moves },
): ReadonlyMap<string, string> {
  const { name } = archive.head.set;
  return store.together(() => {
    const taken = new TakenSet(files, store, archive, { name, runs, moves, isPart: true });
    taken.take();
    takeDraws(store, archive);
    return new Map([...taken.runs].map(([then, now]) => [now, then]));
  });
}

/** Kept answers that are not here yet. */
export function takeDraws(store: EvalStore, archive: SetArchive): void {
  const fresh = [...archive.rows("eval_draw")].filter(({ key }) => store.draw(key) === undefined);
  const writes = fresh.map((row) => ({ table: "eval_draw" as const, row }));
  store.write(writes, archive.piecesOf(fresh));
}

/** Rows may fit one by one and make no set: what can't be shown is not taken in. */
function mustBeShown(store: EvalStore, name: string): void {
  try {
    const row = store.set(name);
    if (row !== undefined) summaryText(reportOf(storedSetOf(store, row)), { setName: name });
  } catch {
    throw new ImportProblem("what it says of its tasks makes no set");
  }
}

interface SetPlace {
  readonly name: string;
  /** What names of runs of trials begin with. */
  readonly runs: string;
  readonly moves?: Moves;
  /** Rows keep their numbers: the store has no others. */
  readonly isPart?: boolean;
}

class TakenSet {
  /** Names of runs by those that they have in the file. */
  readonly runs = new Map<string, string>();
  private readonly files: Store;
  private readonly store: EvalStore;
  private readonly archive: SetArchive;
  private readonly at: SetPlace;
  private set = 0;
  private tasks: ReadonlyMap<number, number> = new Map();
  private variants: ReadonlyMap<number, number> = new Map();
  private samples: ReadonlyMap<number, number> = new Map();
  private trials: ReadonlyMap<number, number> = new Map();

  constructor(files: Store, store: EvalStore, archive: SetArchive, at: SetPlace) {
    this.files = files;
    this.store = store;
    this.archive = archive;
    this.at = at;
  }

  take(): { readonly trials: number } {
    const { archive } = this;
    const { name } = this.at;
    const { set, tasks, variants } = archive.head;
    const spec = askedOfSet(set.spec);
    this.set = this.insert("eval_set", [{ ...set, name, plan: null, spec: "{}" }])[0] as number;
    this.tasks = this.numbered("eval_task", tasks, (row) => ({ ...row, eval_set: this.set }));
    this.variants = this.numbered("eval_variant", variants, (row) => ({
      ...row,
      eval_set: this.set,
      task: numberHere(this.tasks, row.task, "task"),
    }));
    this.samples = this.numbered("eval_sample", archive.rows("eval_sample"), (row) => ({
      ...row,
      eval_set: this.set,
      task: numberHere(this.tasks, row.task, "task"),
    }));
    const trials = [...archive.rows("eval_trial")];
    mustBeDistinct(
      trials.map(({ sample, variant, epoch, streams, kind }) => [sample, variant, epoch, streams, kind]),
      "rows of eval_trial",
    );
    const placed = (row: (typeof trials)[number], run: string | null): NewRow => ({
      ...row,
      eval_set: this.set,
      sample: numberHere(this.samples, row.sample, "sample"),
      variant: numberHere(this.variants, row.variant, "variant"),
      run,
    });
    this.trials = this.numbered("eval_trial", trials, (row) => placed(row, null));
    this.takeJournals();
    this.write("eval_trial", trials, (row) => ({
      ...placed(row, this.run(row.run)),
      id: numberHere(this.trials, row.id, "trial"),
    }));
    for (const table of ["eval_attempt", "eval_score", "eval_label"] as const)
      this.write<NewRow & { readonly trial: number }>(table, archive.rows(table) as never, (row) => ({
        ...row,
        trial: numberHere(this.trials, row.trial, "trial"),
        ...(table === "eval_label" ? {} : { run: this.run(row.run as string | null) }),
        ...(table === "eval_score" ? { eval_set: this.set } : {}),
      }));
    const limits = [...archive.rows("eval_limit")].map((row) => ({ ...row, eval_set: this.set }));
    this.insert("eval_limit", limits);
    const plan = this.runs.get(spec.plan) ?? "";
    this.store.write([
      {
        table: "eval_set",
        row: {
          ...set,
          id: this.set,
          name,
          plan: plan === "" ? null : plan,
          spec: JSON.stringify({ ...spec, plan }),
        },
      },
    ]);
    return { trials: trials.length };
  }

  /** Takes rows in; gives their numbers here by those that they have in the file. */
  private numbered<T extends { readonly id: number }>(
    table: keyof EvalTables,
    rows: Iterable<T>,
    row: (of: T) => NewRow,
  ): Map<number, number> {
    const numbers = new Map<number, number>();
    for (const part of batches(rows)) {
      if (this.at.isPart === true) this.write(table, part, row);
      const made = this.at.isPart === true ? undefined : this.insert(table, part.map(row).map(withoutId));
      for (const [at, { id }] of part.entries())
        numbers.set(id, made === undefined ? id : (made[at] as number));
    }
    return numbers;
  }

  private insert(table: keyof EvalTables, rows: readonly NewRow[]): readonly number[] {
    return this.store.insert(table, rows, this.archive.piecesOf(rows));
  }

  private write<T>(table: keyof EvalTables, rows: Iterable<T>, row: (of: T) => NewRow): void {
    for (const part of batches(rows)) {
      const writes = part.map((one) => ({ table, row: row(one) }));
      this.store.write(writes, this.archive.piecesOf(writes.map((one) => one.row)));
    }
  }

  private run(name: string | null): string | null {
    return name === null ? null : (this.runs.get(name) ?? null);
  }

  private takeJournals(): void {
    const { name: set, runs, moves, isPart = false } = this.at;
    const places = { set, moves, nameOf: (run: string) => this.runs.get(run) };
    for (const journal of archivedJournals(this.archive)) {
      const { name, trial, parent, questions } = journal.facts;
      const number = trial === null ? undefined : numberHere(this.trials, trial, "trial");
      const wanted = number === undefined ? name : `${runs}.${number}${partOfTrial(name)}`;
      const own = this.freeName(wanted);
      placeRun(this.files, placedJournal(journal, own, places), {
        parent: parent === null ? undefined : (this.runs.get(parent) ?? parent),
        trial: number,
        // Of a file from anybody they would be answers that nobody here has given.
        questions: isPart ? questions : undefined,
      });
      this.runs.set(name, own);
    }
  }

  private freeName(wanted: string): string {
    for (let n = 1; ; n++) {
      const name = n === 1 ? wanted : `${wanted}-${n}`;
      if (!this.files.runs.has(name)) return name;
    }
  }
}

/** What a set was asked for; of options that it lacks, and of such as make no sense, the usual ones count. */
function askedOfSet(text: string): SetSpec {
  const spec = parsedPart(text, "set.json: set.spec");
  if (!isJsonObject(spec) || typeof spec.plan !== "string" || !isJsonObject(spec.options))
    throw new ImportProblem("set.json: set.spec: it does not say what the set was asked for");
  const options = Object.entries(usualOptions).map(([name, usual]) => {
    const input = (spec.options as { readonly [name: string]: Json })[name];
    const isAlike = usual === null || typeof input === typeof usual;
    return [name, input === undefined || !isAlike ? usual : input];
  });
  return { ...(spec as unknown as SetSpec), options: Object.fromEntries(options) };
}

function numberHere(numbers: ReadonlyMap<number, number>, id: number, what: string): number {
  const number = numbers.get(id);
  if (number === undefined) throw new ImportProblem(`a row refers to ${what} ${id}, which is not in it`);
  return number;
}

const withoutId = ({ id: _id, ...row }: NewRow): NewRow => row;

function* batches<T>(rows: Iterable<T>): Generator<T[]> {
  let part: T[] = [];
  for (const row of rows) {
    part.push(row);
    if (part.length < batch) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
