/**
 * A set again from its journals alone: plan, trials and judges are followed, nothing outside is touched, and the receipt is made
 * anew of what comes out.
 */
import type { EvalScoreRow, EvalSetRow } from "../../durable/index.ts";
import type { RoleRules } from "../../model/index.ts";
import { type Dict, jsonParse } from "../../values/index.ts";
import { canonicalJson } from "../plan/canonical-json.ts";
import type { SetSpec } from "../sets/set-spec.ts";
import { withoutTimes } from "./outcome.ts";
import type { TrialRuns } from "./ports.ts";
import { type ReceiptLine, receiptOf } from "./receipt.ts";
import { roleOptions } from "./role-options.ts";
import { scoresText } from "./score-trial.ts";
import { type PlannedTrial, plannedTrials } from "./set-plan.ts";
import { newestScores } from "./stored-scores.ts";
import {
  judgements,
  runTrial,
  scoreStored,
  scoringName,
  type TrialEnd,
  type TrialJob,
  type TrialMachinery,
} from "./trial-job.ts";
import { judgeStreamOf, streamsOf } from "./trial-streams.ts";
import { TrialWatch } from "./trial-watch.ts";

export interface ReplayedSet {
  readonly receipt: string;
  /** What the set has. */
  readonly stored: string;
  readonly trials: number;
  /** Trials without a journal of their own that nothing can be compared with: imported ones. */
  readonly notReplayable: number;
  /** The first trial that came out otherwise. */
  readonly differs: { readonly path: string; readonly stored: string; readonly replayed: string } | null;
  /** A journal that ends before its trial does, or can't be followed. */
  readonly broken: { readonly path: string; readonly message: string; readonly isEarly: boolean } | null;
}

/** Trials that are followed side by side: none of them waits for anything outside, and each has two Runtimes in memory. */
const atOnce = 2;

/** `only`: the row of the one trial that is followed, also when it is not done. */
export async function replaySet(runs: TrialRuns, set: EvalSetRow, only?: number): Promise<ReplayedSet> {
  const { store } = runs;
  const { digest } = store;
  const done = plannedTrials(store, set).filter(({ id, state }) =>
    only === undefined ? state === "done" : id === only,
  );
  const scores = new Map<number, Parameters<typeof scoresText>[0][number][]>();
  const rows = store.scores(set.id);
  const all = Map.groupBy(rows, ({ trial }) => trial);
  const newest = new Map<number, EvalScoreRow[]>();
  for (const row of newestScores(rows)) {
    newest.set(row.trial, [...(newest.get(row.trial) ?? []), row]);
    const list = scores.get(row.trial) ?? [];
    list.push({ ...row, pass: row.pass === null ? null : row.pass === 1 });
    scores.set(row.trial, list);
  }
  const then: ReceiptLine[] = [];
  const now: ReceiptLine[] = [];
  let differs: ReplayedSet["differs"] = null;
  let broken: ReplayedSet["broken"] = null;
  const replayed = async (trial: PlannedTrial): Promise<void> => {
    const outcome = withoutTimes(jsonParse(store.piece(trial.row.outcome) ?? "{}") as Dict);
    const texts = { outcome: canonicalJson(outcome), scores: scoresText(scores.get(trial.row.id) ?? []) };
    const line = { address: trial.path, outcome: digest(texts.outcome), scores: digest(texts.scores) };
    then.push(line);
    const end = await replayTrial(runs, set, trial, {
      rows: all.get(trial.row.id) ?? [],
      newest: newest.get(trial.row.id) ?? [],
    });
    if (end.kind !== "done") {
      broken ??= { path: trial.path, ...brokenBy(end) };
      return;
    }
    const again = { outcome: canonicalJson(withoutTimes(end.outcome)), scores: scoresText(end.scores) };
    const own = { address: trial.path, outcome: digest(again.outcome), scores: digest(again.scores) };
    now.push(own);
    if (own.outcome !== line.outcome)
      differs ??= { path: trial.path, ...textDifference(texts.outcome, again.outcome) };
    else if (own.scores !== line.scores)
      differs ??= { path: trial.path, ...textDifference(texts.scores, again.scores) };
  };
  const queue = done.values();
  const work = async (): Promise<void> => {
    for (const trial of queue) {
      await replayed(trial);
      trial.rest();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return {
    receipt: receiptOf(now, digest),
    stored: (only === undefined ? set.receipt : null) ?? receiptOf(then, digest),
    trials: done.length,
    notReplayable: 0,
    differs,
    broken,
  };
}

function brokenBy(end: Exclude<TrialEnd, { kind: "done" }>): {
  readonly message: string;
  readonly isEarly: boolean;
} {
  if (end.kind === "broken") return { message: end.message, isEarly: !end.isMismatch };
  if (end.kind === "errored") return { message: end.error.message, isEarly: false };
  return { message: "the replay was stopped", isEarly: true };
}

/** What a replay has of a trial's scores: all versions, and the newest. */
interface TrialScores {
  readonly rows: readonly EvalScoreRow[];
  readonly newest: readonly EvalScoreRow[];
}

/** Called for every answer of a model that a replay comes to. */
type DrawListener = (job: TrialJob) => NonNullable<RoleRules["draw"]>;

/** A trial again from its journals. */
function replayTrial(
  runs: TrialRuns,
  set: EvalSetRow,
  trial: PlannedTrial,
  scored: TrialScores,
  listening?: DrawListener,
): Promise<TrialEnd> {
  const { machinery, job } = replayedJob(runs, set, trial, scored, listening);
  return runTrial(machinery, job, () => {});
}

/** Tells of every answer that a trial and its judges had. Of a crossed one that is a trial of the set only the judges had some. */
export async function replayAnswers(
  runs: TrialRuns,
  set: EvalSetRow,
  trial: PlannedTrial,
  rows: readonly EvalScoreRow[],
  listening: DrawListener,
): Promise<void> {
  const scored = { rows, newest: newestScores(rows) };
  if (trial.row.kind === "epoch" || trial.row.run !== null) {
    await replayTrial(runs, set, trial, scored, listening);
    return;
  }
  const { machinery, job } = replayedJob(runs, set, trial, scored, listening);
  const outcome = jsonParse(runs.store.piece(trial.row.outcome) ?? "{}") as Dict;
  for (const scoring of job.scorings ?? [])
    await scoreStored(machinery, job, outcome, scoring, new TrialWatch(trial.spec.limits));
}

/** A trial as it goes through its journals once more, with nothing outside touched. */
export function replayedJob(
  runs: TrialRuns,
  set: EvalSetRow,
  trial: PlannedTrial,
  scored: TrialScores,
  draw?: DrawListener,
): { readonly machinery: TrialMachinery; readonly job: TrialJob } {
  const { row, spec, variant } = trial;
  const { sandbox } = spec;
  const run = runs.newestOf(row.id) ?? `${set.name}.${row.id}`;
  const { options: asked } = JSON.parse(set.spec) as SetSpec;
  const versions = scored.newest.map(({ version }) => version);
  const judged = row.kind === "cross" ? Math.max(0, ...scored.newest.map((one) => one.draw)) : 0;
  const runIds = [...new Set(scored.newest.map((one) => one.run))];
  const recorded = runIds.map((id) => {
    const own = (id === null ? scored.newest : scored.rows).filter((one) => one.run === id);
    return {
      // Without effects there is no run, and none of this name.
      run: (id === null ? undefined : runs.runNamed(id)) ?? scoringName({ run }, 0),
      scorers: spec.scorers.filter(({ name }) => own.some(({ scorer }) => scorer === name)),
      wanted: new Set(scored.newest.filter((one) => one.run === id).map(({ scorer }) => scorer)),
      draws: drawCounts(own),
    };
  });
  const scorings = judged === 0 ? recorded : judgements({ run }, spec.scorers, judged, Math.max(...versions));
  return {
    machinery: {
      runs,
      open: new Set(),
      models: (watch, job) => ({
        roles: {
          options: roleOptions(spec, variant, asked.roles),
          draw: draw?.(job),
          booked: (call) => watch.booked(call),
          admit: async () => () => {},
        },
      }),
    },
    job: {
      id: row.id,
      set: set.id,
      run,
      address: `${set.name}:${trial.path}`,
      spec,
      sample: trial.sample(),
      variant,
      epoch: row.epoch,
      stream: streamsOf(row),
      seed: set.seed,
      resume: "where it stopped",
      as: "solver",
      replayOnly: true,
      withScores: true,
      draws: {},
      folder: sandbox === null ? null : { ...sandbox, run, cwd: runs.sandboxes.place(run) },
      scorings,
      ...(judged === 0 ? {} : { judgeStream: judgeStreamOf(row) }),
    },
  };
}

/** How often each scorer drew. */
function drawCounts(rows: readonly EvalScoreRow[]): Record<string, number> {
  const draws: Record<string, number> = {};
  for (const { scorer, draw } of rows) draws[scorer] = Math.max(draws[scorer] ?? 0, draw);
  return draws;
}

/** Some characters of both texts from shortly before they part. */
export function divergedAt(
  recorded: string,
  now: string,
): { readonly recorded: string; readonly now: string } {
  let at = 0;
  while (at < recorded.length && recorded[at] === now[at]) at++;
  const from = Math.max(0, at - 40);
  return { recorded: recorded.slice(from, at + 120), now: now.slice(from, at + 120) };
}

const textDifference = (
  stored: string,
  replayed: string,
): { readonly stored: string; readonly replayed: string } => {
  const { recorded, now } = divergedAt(stored, replayed);
  return { stored: recorded, replayed: now };
};
