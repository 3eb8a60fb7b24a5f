/**
 * Whether failures are the task's: of samples on which trials failed the oracle is run once, beside the set. Where it does not pass
 * either, the task is to blame.
 */
import type { EvalTrialRow } from "../../../durable/index.ts";
import { type Dict, List } from "../../../values/index.ts";
import { type Blame, isTaskFolder, successOfScores } from "../../plan/index.ts";
import type { NewRow } from "../../sets/eval-store.ts";
import { setProgress } from "../../sets/read-progress.ts";
import { oraclesCost } from "../../sets/read-set.ts";
import type { RunSetRequest, SetEnd } from "../running/request.ts";
import { runSet } from "../running/run-set.ts";
import { type PlannedTrial, plannedTrials } from "../set-plan.ts";
import { newestScores, plainScore } from "../stored-scores.ts";
import { freshRow, identityLike } from "./trial-row.ts";

/** Runs what is left of a set, then looks whose the failures are. The caller holds its lease. `run`: who runs trials. */
export async function runSetAndBlame(request: RunSetRequest, run = runSet): Promise<SetEnd> {
  const end = await run(request);
  const isOver = end.state === "done" || end.state === "incomplete" || end.state === "waiting";
  if (isOver && (request.as ?? "solver") === "solver" && request.signal?.aborted !== true)
    await blameTasks({ ...request, set: end.set }, run);
  return end;
}

/** Blame that a broken task takes precedence of. */
const afterTask: ReadonlySet<Blame> = new Set(["user", "judge", "agent"]);

const hasBlameAfterTask = ({ row }: PlannedTrial): boolean =>
  row.state === "done" && row.blame !== null && afterTask.has(row.blame as Blame);

async function blameTasks(request: RunSetRequest, run: typeof runSet): Promise<void> {
  const { store } = request.runs;
  const failed = plannedTrials(store, request.set).filter(
    (trial) => request.isAsked?.(trial) !== false && hasBlameAfterTask(trial),
  );
  const asked = new Map<string, PlannedTrial>();
  for (const trial of failed)
    if (!asked.has(nameOf(trial.row)) && hasOracle(trial)) asked.set(nameOf(trial.row), trial);
  if (asked.size === 0) return;
  const before = new Map(plannedTrials(store, request.set, "oracle").map(({ row }) => [nameOf(row), row]));
  for (const [name, trial] of asked) {
    const row = oracleRow(request, trial);
    const known = before.get(name);
    if (known === undefined) store.insert("eval_trial", [row]);
    // Under another program it may come to something else.
    else if (known.digest !== row.digest)
      store.write([{ table: "eval_trial", row: { ...row, id: known.id, attempts: known.attempts } }]);
  }
  const oracles = (): PlannedTrial[] =>
    plannedTrials(store, request.set, "oracle").filter(({ row }) => asked.has(nameOf(row)));
  const { rescore: _, follow: __, onProgress: ___, ...set } = request;
  await run({
    ...set,
    as: "oracle",
    beside: { trials: oracles(), costUsd: moneyLeft(request) },
  });
  const broken = new Set(
    oracles().flatMap((trial) => (passes(request, trial) === false ? nameOf(trial.row) : [])),
  );
  const trials = failed.filter(({ row }) => broken.has(nameOf(row)));
  store.write(
    trials.map(({ row }) => ({
      table: "eval_trial",
      row: { ...(store.trial(row.id) as EvalTrialRow), blame: "task" satisfies Blame } as unknown as NewRow,
    })),
  );
}

const nameOf = ({ sample, variant }: Pick<EvalTrialRow, "sample" | "variant">): string =>
  `${sample} ${variant}`;

const hasOracle = (trial: PlannedTrial): boolean =>
  trial.spec.hasOracle === true || isSolution(trial.sample().body);

const isSolution = (sample: Dict): boolean => {
  const solution = sample.get("solution");
  return solution instanceof List || (typeof solution === "string" && isTaskFolder(sample));
};

function oracleRow({ runs, set }: RunSetRequest, trial: PlannedTrial): NewRow {
  const digest = identityLike(runs.store, set, trial, { epoch: 1, streams: {} });
  return { ...freshRow(trial.row), digest, epoch: 1, streams: "{}", kind: "oracle" };
}

/** What the set may still cost; null: no limit. */
function moneyLeft({ runs, set }: RunSetRequest): number | null {
  const { options } = JSON.parse(set.spec) as { readonly options: { readonly costUsd: number | null } };
  if (options.costUsd === null) return null;
  const { store } = runs;
  const spent = setProgress(store, set).costUsd ?? 0;
  // What oracles have spent counts beside them.
  const own = spent - oraclesCost(store, set.id, store.unsettled(set.id));
  return Math.max(0, options.costUsd - own);
}

/** Undefined: nobody knows, since it was not run to its end, or only models would judge it. */
function passes({ runs }: RunSetRequest, { row, spec }: PlannedTrial): boolean | undefined {
  if (row.state === "errored") return row.category === "harness" ? false : undefined;
  if (row.state !== "done") return undefined;
  const judged = new Set(spec.scorers.filter(({ needs }) => needs.includes("model")).map(({ name }) => name));
  const deciding = spec.success.filter((name) => !judged.has(name));
  if (deciding.length === 0) return undefined;
  const success = successOfScores(newestScores(runs.store.scoresOf(row.id)).map(plainScore), deciding);
  return success === null ? undefined : success === 1;
}
