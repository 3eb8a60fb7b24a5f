/**
 * What `--stale follow` would do, before it is done: every stale trial is followed under the new program from its journal, without a
 * call. Nothing is written.
 */
import type { EvalScoreRow, EvalSetRow } from "../../durable/index.ts";
import { type Dict, jsonParse } from "../../values/index.ts";
import { canonicalJson } from "../plan/canonical-json.ts";
import { withoutTimes } from "./outcome.ts";
import type { TrialRuns } from "./ports.ts";
import { replayedJob } from "./replay-set.ts";
import { scoresText } from "./score-trial.ts";
import { type PlannedTask, type PlannedTrial, staleTrials } from "./set-plan.ts";
import { newestScores } from "./stored-scores.ts";
import { runTrial, scoreStored, scoringName, type TrialEnd } from "./trial-job.ts";
import { TrialWatch } from "./trial-watch.ts";

/** Trials that diverge from their journals at one kind of effect. */
interface DivergedTrials {
  /** Kind of the effect; null: the trial ends otherwise, in an error or before its journal does. */
  readonly kind: string | null;
  /** It is the judging that diverges. */
  readonly judging: boolean;
  readonly trials: number;
  /** Least and greatest number of the step. */
  readonly from: number;
  readonly to: number;
  /** One of them. */
  readonly example: string;
}

export interface ReplayedTask {
  readonly task: string;
  /** Finished trials that the new plan has. */
  readonly trials: number;
  /** The same outcome and the same scores. */
  readonly unchanged: number;
  /** The same outcome, and other scores, which no call is needed for. */
  readonly rescored: number;
  /** Another outcome, which no call is needed for. */
  readonly otherwise: number;
  readonly diverged: readonly DivergedTrials[];
  /** Trials of the plan that are not done. */
  readonly missing: number;
  /** What the diverged and the missing ones may cost at most; null: nothing bounds it. */
  readonly boundUsd: number | null;
}

type ReplayedTrial =
  | "unchanged"
  | "rescored"
  | "otherwise"
  | Pick<DivergedTrials, "kind" | "judging" | "from">;

/** `runs` go through the plan of the new program. */
export async function replayTasks(
  runs: TrialRuns,
  set: EvalSetRow,
  plan: { readonly tasks: readonly PlannedTask[]; readonly program: string },
): Promise<ReplayedTask[]> {
  const newest = Map.groupBy(newestScores(runs.store.scores(set.id)), ({ trial }) => trial);
  const tasks: ReplayedTask[] = [];
  for (const task of plan.tasks) {
    const { stale, same, missing } = staleTrials(runs.store, set, { tasks: [task], program: plan.program });
    const counts = { unchanged: same.length, rescored: 0, otherwise: 0 };
    const diverged = new Map<string, DivergedTrials>();
    for (const trial of stale) {
      const found = await replayUnderProgram(runs, set, trial, newest.get(trial.row.id) ?? []);
      if (typeof found === "string") counts[found]++;
      else addDivergence(diverged, found, trial.path);
    }
    const groups = [...diverged.values()].sort((a, b) => b.trials - a.trials || a.from - b.from);
    const live = missing + groups.reduce((sum, { trials }) => sum + trials, 0);
    const { costUsd } = task.spec.limits;
    tasks.push({
      task: task.spec.name,
      trials: stale.length + same.length,
      ...counts,
      diverged: groups,
      missing,
      boundUsd: live === 0 ? 0 : costUsd === null ? null : costUsd * live,
    });
  }
  return tasks;
}

function addDivergence(
  groups: Map<string, DivergedTrials>,
  { kind, judging, from }: Exclude<ReplayedTrial, string>,
  path: string,
): void {
  const name = `${judging} ${kind}`;
  const known = groups.get(name);
  groups.set(
    name,
    known === undefined
      ? { kind, judging, trials: 1, from, to: from, example: path }
      : {
          ...known,
          trials: known.trials + 1,
          from: Math.min(known.from, from),
          to: Math.max(known.to, from),
        },
  );
}

async function replayUnderProgram(
  runs: TrialRuns,
  set: EvalSetRow,
  trial: PlannedTrial,
  scores: readonly EvalScoreRow[],
): Promise<ReplayedTrial> {
  const { machinery, job: replayed } = replayedJob(runs, set, trial, { rows: [], newest: [] });
  const { scorings: _recorded, ...job } = {
    ...replayed,
    resume: "under a new program" as const,
    withScores: false,
  };
  const end = await runTrial(machinery, job, () => {});
  if (end.kind !== "done") return divergenceOf(end, false);
  const stored = jsonParse(runs.store.piece(trial.row.outcome) ?? "{}") as Dict;
  if (canonicalJson(withoutTimes(end.outcome)) !== canonicalJson(withoutTimes(stored))) return "otherwise";
  const watch = new TrialWatch(trial.spec.limits);
  const scoring = { run: scoringName(job), scorers: trial.spec.scorers };
  const scored = await scoreStored(machinery, job, stored, scoring, watch);
  if (scored.kind !== "ended") return divergenceOf(scored.end, true);
  const before = scores.map((row) => ({ ...row, pass: row.pass === null ? null : row.pass === 1 }));
  return scoresText(scored.scores) === scoresText(before) ? "unchanged" : "rescored";
}

function divergenceOf(end: TrialEnd, judging: boolean): Exclude<ReplayedTrial, string> {
  const at = end.kind === "broken" ? end.divergedAt : undefined;
  return { kind: at?.kind ?? null, judging, from: at?.step ?? 0 };
}
