/** Running crossed trials: first what the set's trials drew is read from their journals, then what is missing is run beside the set. */
import type { EvalScoreRow } from "../../../durable/index.ts";
import { replayAnswers } from "../replay-set.ts";
import type { RunSetRequest, SetEnd } from "../running/request.ts";
import { runSet } from "../running/run-set.ts";
import type { PlannedTrial } from "../set-plan.ts";
import { NoiseDraws, type NoisyHarness } from "./noise-draws.ts";
import type { NoisePlan } from "./noise-plan.ts";

interface RunNoiseRequest extends Omit<RunSetRequest, "beside" | "rescore" | "follow" | "as"> {
  readonly plan: NoisePlan;
  readonly judgements: number;
  /** US dollars for crossed trials and their judges, those of before included; null: no limit. */
  readonly costUsd: number | null;
}

export interface NoiseEnd {
  readonly end: SetEnd;
  /** Trials of which the first request differs from its recording, and how many could be compared. */
  readonly noisy: readonly NoisyHarness[];
  readonly compared: number;
}

/** Trials that are replayed side by side. */
const atOnce = 8;

/** The caller holds the set's lease. */
export async function runNoise(request: RunNoiseRequest): Promise<NoiseEnd> {
  const { plan, judgements, costUsd, ...set } = request;
  const draws = new NoiseDraws(request.runs.store);
  await replayDraws(request, draws);
  const end = await runSet({
    ...set,
    beside: {
      trials: plan.trials,
      judgements,
      costUsd,
      draw: (trial, job) => draws.drawing(trial, job),
    },
  });
  return { end, noisy: draws.noisy, compared: draws.compared };
}

/** What is done, the set's own trials first, is replayed for its answers. */
async function replayDraws(
  { runs, set, plan, judgements }: RunNoiseRequest,
  draws: NoiseDraws,
): Promise<void> {
  const all = Map.groupBy(runs.store.scores(set.id), ({ trial }) => trial);
  const scoresOf = ({ row }: PlannedTrial): readonly EvalScoreRow[] => all.get(row.id) ?? [];
  const isOpen = (trial: PlannedTrial): boolean =>
    trial.row.state !== "done" || scoresOf(trial).every(({ draw }) => draw < judgements);
  if (!plan.trials.some(isOpen)) return;
  const work = async (queue: PlannedTrial[]): Promise<void> => {
    for (let trial = queue.shift(); trial !== undefined; trial = queue.shift()) {
      const source = trial;
      await replayAnswers(runs, set, source, scoresOf(source), (job) => draws.noting(source, job));
    }
  };
  for (const trials of [plan.sources, plan.trials]) {
    const queue = trials.filter(({ row }) => row.state === "done");
    await Promise.all(Array.from({ length: atOnce }, () => work(queue)));
  }
}
