/** Scores of trials that are done already: of scorers that have not said anything of them yet, or not often enough, or that are asked anew. */
import type { EvalScoreRow, EvalTrialRow } from "../../../durable/index.ts";
import { type Dict, jsonParse } from "../../../values/index.ts";
import { type Score, successOfScores, type TaskSpec } from "../../plan/index.ts";
import { Pieces } from "../../sets/eval-store.ts";
import { blameOf, faultsOf, faultsText, redoneIn } from "../../users/index.ts";
import { SandboxProblem } from "../ports.ts";
import type { PlannedTrial } from "../set-plan.ts";
import { newestScores, plainScore } from "../stored-scores.ts";
import {
  judgements,
  scoreStored,
  scoringName,
  type TrialJob,
  type TrialMachinery,
  wantedScores,
} from "../trial-job.ts";
import { storedFaults } from "../trial-streams.ts";
import { TrialWatch } from "../trial-watch.ts";
import type { RunSetRequest } from "./request.ts";
import type { TrialJobs } from "./trial-jobs.ts";
import type { TrialRows } from "./trial-rows.ts";

export class LaterScores {
  private readonly request: RunSetRequest;
  private readonly jobs: TrialJobs;
  private readonly rows: TrialRows;
  /** The most draws of each scorer, by trial. */
  private scored: Map<number, Map<string, number>> | undefined;

  constructor(request: RunSetRequest, jobs: TrialJobs, rows: TrialRows) {
    this.request = request;
    this.jobs = jobs;
    this.rows = rows;
  }

  /** Scorers that a finished trial still lacks. */
  missing({ id, spec }: PlannedTrial): TaskSpec["scorers"] {
    const { rescore, beside, runs, set } = this.request;
    if (rescore !== undefined)
      return spec.scorers.filter(({ name }) => rescore.scorers?.includes(name) !== false);
    if (this.scored === undefined) {
      this.scored = new Map();
      for (const { trial, scorer, draw } of runs.store.scores(set.id)) this.note(trial, scorer, draw);
    }
    const known = this.scored.get(id);
    return spec.scorers.filter(({ name }) => (known?.get(name) ?? 0) < (beside?.judgements ?? 1));
  }

  private note(trial: number, scorer: string, draw: number): void {
    const known = this.scored?.get(trial) ?? new Map<string, number>();
    this.scored?.set(trial, known.set(scorer, Math.max(known.get(scorer) ?? 0, draw)));
  }

  private scorings(plain: TrialJob, scorers: TaskSpec["scorers"], version: number) {
    const draws = this.request.beside?.judgements;
    return draws === undefined
      ? [{ run: scoringName(plain, version), scorers }]
      : judgements(plain, scorers, draws, version);
  }

  async make(trial: PlannedTrial, machinery: TrialMachinery): Promise<void> {
    const { runs, rescore, beside, onWarning } = this.request;
    const { store } = runs;
    const text = store.piece(store.trial(trial.id)?.outcome ?? null);
    if (text === null) return;
    const outcome = jsonParse(text) as Dict;
    const watch = new TrialWatch(trial.spec.limits);
    const plain = this.jobs.of(trial, "where it stopped", 1);
    const scorers = this.missing(trial);
    const before = store.scoresOf(trial.row.id);
    const isFirst = rescore === undefined && beside === undefined;
    const version = isFirst ? 1 : 1 + before.reduce((max, row) => Math.max(max, row.version), 0);
    const scorings = this.scorings(plain, scorers, version);
    const made: Score[] = [];
    let recorded: string | null = null;
    for (const scoring of scorings) {
      let job: TrialJob;
      try {
        job = await this.jobs.inLeftSandbox(trial, plain, scoring.run, outcome);
      } catch (error) {
        if (!(error instanceof SandboxProblem)) throw error;
        // It stays without these scores, as one that was stopped does.
        onWarning?.(error.message);
        return;
      }
      const scored = await scoreStored(machinery, job, outcome, scoring, watch);
      if (job.folder !== null) await runs.sandboxes.remove(scoring.run);
      if (scored.kind !== "ended") return;
      made.push(...wantedScores(scoring, scored.scores));
      recorded ??= scored.run;
    }
    const pieces = new Pieces(store.digest);
    await runs.steady();
    const rows = this.rows.scores(trial, made, watch, pieces, recorded);
    if (version > 1) for (const { row } of rows) (row as { version: number }).version = version;
    const row = { ...trial.row, ...judgedAnew(trial, outcome, made, before) };
    store.write([{ table: "eval_trial", row }, ...rows], pieces);
    trial.row = row;
    for (const { scorer, draw } of made) this.note(trial.row.id, scorer, draw);
  }
}

/** Faults and blame of a trial under scores that were made later. */
function judgedAnew(
  trial: PlannedTrial,
  outcome: Dict,
  made: readonly Score[],
  before: readonly EvalScoreRow[],
): Pick<EvalTrialRow, "faults" | "blame"> {
  const names = new Set(made.map(({ scorer }) => scorer));
  const kept = newestScores(before.filter(({ scorer }) => !names.has(scorer))).map(plainScore);
  const scores = [...kept, ...made];
  const found = [...redoneIn(storedFaults(trial.row)), ...faultsOf(outcome, scores)];
  const deciding = trial.spec.success;
  return {
    faults: found.length === 0 ? null : faultsText(found),
    blame: blameOf({
      errorCategory: null,
      success: successOfScores(scores, deciding),
      scores,
      deciding,
      oraclePasses: null,
      faults: found,
    }),
  };
}
