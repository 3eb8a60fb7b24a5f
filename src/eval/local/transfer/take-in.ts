/**
 * Takes what was done with some trials of a set elsewhere into the set: all of it or nothing, and the same twice changes nothing. What
 * contradicts the set (another program, sample or trial, a trial that has ended otherwise) is refused with HARN-EVL-023.
 */
import type { EvalScoreRow, EvalSetRow, EvalTrialRow } from "../../../durable/index.ts";
import type { Moves, Store } from "../../../store/index.ts";
import type { EvalStore, NewRow } from "../../engine/index.ts";
import { evalMessage } from "../../index.ts";
import { ImportProblem } from "../../report/index.ts";
import type { ArchivedRow, SetArchive } from "./archive.ts";
import { archivedJournals, partOfTrial, placedJournal, placeRun } from "./journals.ts";
import { takeDraws } from "./read.ts";

/** In the words of HARN-EVL-023. */
export class ContradictingResult extends Error {
  override name = "ContradictingResult";
}

export interface TakenResult {
  /** Trials of which something was new. */
  readonly taken: readonly number[];
  /** The others: the set has it all. */
  readonly known: readonly number[];
}

/** `trials`: those that were handed out. Throws a `ContradictingResult`. */
export function takeIntoSet(
  files: Store,
  store: EvalStore,
  set: EvalSetRow,
  result: {
    readonly archive: SetArchive;
    readonly trials: ReadonlySet<number>;
    readonly moves: Moves;
  },
): TakenResult {
  try {
    return store.together(() => new SetResult(files, store, set, result).take());
  } catch (error) {
    if (!(error instanceof ImportProblem)) throw error;
    throw new ContradictingResult(evalMessage("HARN-EVL-023", { name: set.name, what: error.message }));
  }
}

type TrialOfFile = ArchivedRow<"eval_trial">;

class SetResult {
  private readonly files: Store;
  private readonly store: EvalStore;
  private readonly set: EvalSetRow;
  private readonly archive: SetArchive;
  private readonly chosen: ReadonlySet<number>;
  private readonly moves: Moves;

  constructor(
    files: Store,
    store: EvalStore,
    set: EvalSetRow,
    { archive, trials, moves }: Parameters<typeof takeIntoSet>[3],
  ) {
    this.files = files;
    this.store = store;
    this.set = set;
    this.archive = archive;
    this.chosen = trials;
    this.moves = moves;
  }

  take(): TakenResult {
    const rows = this.trialsOfSet();
    const scores = this.newScores(rows);
    const taken = new Set<number>();
    for (const { own, row } of rows.values())
      if (isNewer(own, row) || scores.some(({ trial }) => trial === row.id)) taken.add(row.id);
    const runs = this.takeJournals(taken);
    this.takeRows(
      [...rows.values()].filter(({ row }) => taken.has(row.id)),
      scores,
      runs,
    );
    this.takeLimits();
    takeDraws(this.store, this.archive);
    return { taken: [...taken], known: [...rows.keys()].filter((id) => !taken.has(id)) };
  }

  // ── what it speaks of ─────────────────────────────────────────────────────────────────────────────────────────────

  /** Trials of the file with those of the set. */
  private trialsOfSet(): ReadonlyMap<number, { readonly own: EvalTrialRow; readonly row: TrialOfFile }> {
    const { set } = this.archive.head;
    if (set.program !== this.set.program) throw new ImportProblem("it was made with another program");
    if (set.seed !== this.set.seed) throw new ImportProblem("it was made with another seed");
    const { samples, variants } = this.namesOfFile();
    const found = new Map<number, { readonly own: EvalTrialRow; readonly row: TrialOfFile }>();
    for (const row of this.archive.rows("eval_trial")) {
      const [sample, variant] = [samples.get(row.sample), variants.get(row.variant)];
      const path = `${sample?.key ?? row.sample}.${row.epoch}`;
      const own = this.chosen.has(row.id) ? this.store.trial(row.id) : undefined;
      if (own === undefined || own.eval_set !== this.set.id || found.has(row.id))
        throw new ImportProblem(`the trial ${path} (${row.id}) was not handed out`);
      if (sample === undefined || variant === undefined || !this.isSame(own, row, sample, variant))
        throw new ImportProblem(`the trial ${path} (${row.id}) is another one in the set`);
      if (own.digest !== row.digest)
        throw new ImportProblem(`the trial ${path} was made of something else than the one in the set`);
      if (hasEndedRow(own) && hasEndedRow(row) && own.attempts === row.attempts && !isSameEnd(own, row))
        throw new ImportProblem(`the trial ${path} has ended otherwise`);
      found.set(row.id, { own, row });
    }
    return found;
  }

  /** Samples and variants of the file by their numbers there. */
  private namesOfFile() {
    const { tasks, variants } = this.archive.head;
    const names = new Map(tasks.map(({ id, name }) => [id, name]));
    const named = <T extends { readonly id: number; readonly task: number }>(rows: Iterable<T>) =>
      new Map([...rows].map((row) => [row.id, { ...row, taskName: names.get(row.task) }]));
    return { samples: named(this.archive.rows("eval_sample")), variants: named(variants) };
  }

  private isSame(
    own: EvalTrialRow,
    row: TrialOfFile,
    sample: { readonly key: string; readonly digest: string; readonly taskName: string | undefined },
    variant: { readonly key: string; readonly digest: string; readonly taskName: string | undefined },
  ): boolean {
    const ownSample = this.store.sample(own.sample);
    const ownVariant = this.store.variants(this.set.id).find(({ id }) => id === own.variant);
    const ownTask = this.store.tasks(this.set.id).find(({ id }) => id === ownSample?.task)?.name;
    if (ownSample !== undefined && ownSample.key === sample.key && ownSample.digest !== sample.digest)
      throw new ImportProblem(`the sample ${sample.key} is another one`);
    return (
      ownSample?.key === sample.key &&
      ownVariant?.key === variant.key &&
      ownVariant.digest === variant.digest &&
      ownTask === sample.taskName &&
      ownTask === variant.taskName &&
      (["epoch", "streams", "kind"] as const).every((column) => own[column] === row[column])
    );
  }

  /** Scores that the set has not; those that it has must say the same. */
  private newScores(
    rows: ReadonlyMap<number, { readonly own: EvalTrialRow; readonly row: TrialOfFile }>,
  ): readonly ArchivedRow<"eval_score">[] {
    const known = new Map<string, EvalScoreRow>();
    for (const id of rows.keys())
      for (const score of this.store.scoresOf(id)) known.set(scoreKeyOf(score), score);
    return [...this.archive.rows("eval_score")].filter((score) => {
      const trial = rows.get(score.trial);
      if (trial === undefined)
        throw new ImportProblem(
          `a score of ${score.scorer} is of the trial ${score.trial}, which is not in it`,
        );
      // What an older end was scored with.
      if (trial.own.attempts > trial.row.attempts) return false;
      const before = known.get(scoreKeyOf(score));
      if (before === undefined) return true;
      if ((["value", "pass", "label"] as const).some((column) => before[column] !== score[column]))
        throw new ImportProblem(
          `the scorer ${score.scorer} has said something else of the trial ${score.trial}`,
        );
      return false;
    });
  }

  // ── what is taken ─────────────────────────────────────────────────────────────────────────────────────────────────

  /** Journals of these trials; gives names of runs by those in the file. */
  private takeJournals(trials: ReadonlySet<number>): ReadonlyMap<string, string> {
    const runs = new Map<string, string>();
    const places = {
      set: this.set.name,
      moves: this.moves,
      nameOf: (run: string) => runs.get(run) ?? this.planName(),
    };
    for (const journal of archivedJournals(this.archive)) {
      const { name, trial, parent, questions } = journal.facts;
      if (trial === null || !trials.has(trial)) continue;
      const own = this.files.runs.ofTrial(trial).includes(name)
        ? name
        : `${this.set.name}.${trial}${partOfTrial(name)}`;
      placeRun(this.files, placedJournal(journal, own, places), {
        parent: parent === null ? undefined : (runs.get(parent) ?? parent),
        trial,
        questions: questions ?? [],
      });
      runs.set(name, own);
    }
    return runs;
  }

  private planName(): string | undefined {
    return this.set.plan === null ? undefined : this.files.runs.nameOf(this.set.plan);
  }

  private takeRows(
    trials: readonly { readonly own: EvalTrialRow; readonly row: TrialOfFile }[],
    scores: readonly ArchivedRow<"eval_score">[],
    runs: ReadonlyMap<string, string>,
  ): void {
    const runOf = (name: string | null): string | null => (name === null ? null : (runs.get(name) ?? null));
    const newer = trials.filter(({ own, row }) => isNewer(own, row));
    const rows: NewRow[] = newer.map(({ own, row }) => ({
      ...row,
      eval_set: own.eval_set,
      sample: own.sample,
      variant: own.variant,
      ord: own.ord,
      run: runOf(row.run),
    }));
    // Scores that were made later say anew whose a failure is.
    const judged = trials
      .filter(({ own, row }) => !isNewer(own, row))
      .map(({ own, row: { faults, blame } }): NewRow => ({ ...own, faults, blame }));
    const written = new Set(newer.map(({ row }) => row.id));
    const attempts = [...this.archive.rows("eval_attempt")].filter(({ trial }) => written.has(trial));
    const pieces = this.archive.piecesOf([...rows, ...scores]);
    this.store.write(
      [
        ...[...rows, ...judged].map((row) => ({ table: "eval_trial" as const, row })),
        ...attempts.map((row) => ({ table: "eval_attempt" as const, row: { ...row, run: runOf(row.run) } })),
        ...scores.map((row) => ({
          table: "eval_score" as const,
          row: { ...row, eval_set: this.set.id, run: runOf(row.run) },
        })),
      ],
      pieces,
    );
  }

  private takeLimits(): void {
    const limits = [...this.archive.rows("eval_limit")];
    if (limits.length === 0) return;
    const nameOf = (row: (typeof limits)[number]): string =>
      JSON.stringify([row.at, row.provider, row.old, row.new, row.reason]);
    const known = new Set(this.store.limits(this.set.id).map(nameOf));
    const fresh = limits.filter((row) => !known.has(nameOf(row)));
    this.store.insert(
      "eval_limit",
      fresh.map((row) => ({ ...row, eval_set: this.set.id })),
    );
  }
}

type EndOfRow = Pick<EvalTrialRow, "state" | "attempts" | "ended" | "error" | "category" | "cost"> &
  Pick<EvalTrialRow, "input_tokens" | "output_tokens">;

/** A race may have skipped one that had ended. */
const hasEndedRow = ({ state, ended }: EndOfRow): boolean =>
  state === "done" || state === "errored" || (state === "skipped" && ended !== null);

/** The file may have come further with a trial than the set. */
const isNewer = (own: EndOfRow, row: EndOfRow): boolean =>
  row.attempts > own.attempts || (row.attempts === own.attempts && !hasEndedRow(own));

/** Two ends at the same moment, for the same money, are one. */
const isSameEnd = (own: EndOfRow, row: EndOfRow): boolean =>
  (["ended", "error", "category", "cost", "input_tokens", "output_tokens"] as const).every(
    (column) => own[column] === row[column],
  );

const scoreKeyOf = ({
  trial,
  scorer,
  version,
  draw,
}: Pick<EvalScoreRow, "trial" | "scorer" | "version" | "draw">): string =>
  JSON.stringify([trial, scorer, version, draw]);
