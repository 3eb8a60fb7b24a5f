/** What the store has of trials while a set runs: their rows, their attempts, and their scores. */
import type { EvalTrialRow, EvalWrite } from "../../../durable/index.ts";
import { type Fault, type Score, successOfScores } from "../../plan/index.ts";
import { type EvalStore, Pieces } from "../../sets/eval-store.ts";
import { blameOf, faultsOf, faultsText, redoneFor, redoneIn } from "../../users/index.ts";
import type { PlannedTrial } from "../set-plan.ts";
import { outcomeText, scoreRows, type TrialEnd } from "../trial-job.ts";
import { storedFaults } from "../trial-streams.ts";
import type { TrialWatch } from "../trial-watch.ts";

type EndOfTrial = Extract<TrialEnd, { kind: "done" | "errored" }>;

/** An attempt, as far as it is known: `ended` in milliseconds of the clock, null while it is in progress. */
interface TrialAttempt {
  readonly run: string | null;
  readonly state: string;
  readonly error?: string | null;
  readonly category?: string | null;
  readonly began: number;
  readonly ended: number | null;
}

export class TrialRows {
  private readonly store: EvalStore;
  private readonly set: number;
  private readonly now: () => number;
  /** Trials that have scores in the store. */
  private readonly scored: Set<number>;

  constructor(store: EvalStore, set: number, scored: Set<number>, now: () => number) {
    this.store = store;
    this.set = set;
    this.scored = scored;
    this.now = now;
  }

  /** It is in progress. */
  begun({ row }: PlannedTrial, began: number): void {
    const attempt = attemptOf(row, { run: null, state: "running", began, ended: null });
    this.store.write([{ table: "eval_trial", row: { ...row } }, attempt]);
  }

  /** What it came to, in the transaction that ends its journal. A faulty user gives it up: it is pending again then. */
  ended(
    trial: PlannedTrial,
    end: EndOfTrial,
    {
      run,
      began,
      spentUsd,
    }: {
      readonly run: string | null;
      readonly began: number;
      /** On all attempts and judges. */
      readonly spentUsd: number;
    },
  ): void {
    const pieces = new Pieces(this.store.digest);
    const { watch } = end;
    const isDone = end.kind === "done";
    const error = isDone ? null : end.error;
    const outcome = end.outcome === null ? null : pieces.keep(outcomeText(end.outcome));
    const before = redoneIn(storedFaults(trial.row));
    const found = isDone ? faultsOf(end.outcome, end.scores) : [];
    const redone = isDone ? redoneFor(trial.spec.onUserFault, before, found) : undefined;
    if (redone !== undefined) {
      this.givenUp(trial, [...before, redone], watch, run, began);
      return;
    }
    const scores = isDone ? this.scores(trial, end.scores, watch, pieces, end.scoring) : [];
    const cost = (before.length === 0 ? 0 : trial.row.cost) + watch.costUsd;
    const findings = [...before, ...found];
    const deciding = trial.spec.success;
    const row = {
      ...trial.row,
      state: isDone ? "done" : "errored",
      run,
      outcome,
      error: error?.message ?? null,
      category: error?.category ?? null,
      limit_hit: watch.limit,
      faults: findings.length === 0 ? null : faultsText(findings),
      blame: blameOf({
        errorCategory: error?.category ?? null,
        success: isDone ? successOfScores(end.scores, deciding) : null,
        scores: isDone ? end.scores : [],
        deciding,
        oraclePasses: null,
        faults: found,
      }),
      input_tokens: watch.tokens("inputTokens"),
      output_tokens: watch.tokens("outputTokens"),
      cost,
      doubtful: Math.max(0, spentUsd - cost - this.costOfScores(trial, scores)),
      turns: isDone ? Number(end.outcome.get("turns") ?? 0) : 0,
      working_ms: isDone ? end.workingMs : 0,
      wall_ms: isDone ? end.wallMs : 0,
      ended: this.now(),
    };
    const { state, category, ended } = row;
    this.store.write(
      [
        { table: "eval_trial", row: row as unknown as EvalWrite["row"] },
        attemptOf(trial.row, { run, state, error: row.error, category, began, ended }),
        ...scores,
      ],
      pieces,
    );
    trial.row = { ...trial.row, ...row, run: null, outcome: null };
  }

  /** US dollars of these scores, and of those that the trial has already. */
  private costOfScores({ row }: PlannedTrial, made: ReturnType<typeof scoreRows>): number {
    const before = this.scored.has(row.id) ? this.store.scoresOf(row.id) : [];
    return [...before.map(({ cost }) => cost), ...made.map((one) => Number(one.row.cost))].reduce(
      (sum, cost) => sum + cost,
      0,
    );
  }

  /** The trial begins again; what it has cost stays booked. Of a trial that goes on, the row has the cost of the attempts before. */
  private givenUp(
    trial: PlannedTrial,
    faults: readonly Fault[],
    watch: TrialWatch,
    run: string | null,
    began: number,
  ): void {
    const cost = trial.row.cost + watch.costUsd + (watch.usage.get("judge")?.costUsd ?? 0);
    const row = { ...trial.row, state: "pending", faults: faultsText(faults), cost };
    this.store.write([
      { table: "eval_trial", row: { ...row } },
      attemptOf(row, { run, state: "redone", began, ended: this.now() }),
    ]);
    trial.row = row;
  }

  /** It was stopped or broken off; `run` is the newest of it that there is. */
  unfinished(
    trial: PlannedTrial,
    why: Pick<EvalTrialRow, "state" | "error" | "category">,
    run: string | null,
    began: number,
  ): void {
    trial.row = { ...trial.row, ...why };
    this.store.write([
      { table: "eval_trial", row: { ...trial.row } },
      attemptOf(trial.row, { run, ...why, began, ended: this.now() }),
    ]);
  }

  /** Rows of scores: each is a version after those that there are. */
  scores(
    trial: PlannedTrial,
    scores: readonly Score[],
    watch: TrialWatch,
    pieces: Pieces,
    run: string | null = null,
  ): ReturnType<typeof scoreRows> {
    const versions = new Map<string, number>();
    const before = this.scored.has(trial.row.id) ? this.store.scoresOf(trial.row.id) : [];
    this.scored.add(trial.row.id);
    for (const row of before) versions.set(row.scorer, Math.max(versions.get(row.scorer) ?? 0, row.version));
    const rows = scoreRows(
      scores,
      {
        set: this.set,
        trial: trial.row.id,
        run,
        version: (scorer) => (versions.get(scorer) ?? 0) + 1,
      },
      pieces,
    );
    // What the judges cost is the set's: it stands with the first score.
    const judged = watch.usage.get("judge")?.costUsd ?? 0;
    const [first] = rows;
    if (first !== undefined && judged > 0) (first.row as { cost: number }).cost = judged;
    return rows;
  }
}

const attemptOf = (
  { id, attempts }: Pick<EvalTrialRow, "id" | "attempts">,
  { run, state, error = null, category = null, began, ended }: TrialAttempt,
): EvalWrite => ({
  table: "eval_attempt",
  row: { trial: id, n: attempts, run, state, error, category, began, ended },
});
