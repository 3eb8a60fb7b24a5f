/**
 * The races of a set while it runs: what can't change an answer any more is skipped. Which trials count depends on the planned
 * order alone, so a set that was killed ends with the same ones; those that ended though they were not needed are skipped, too.
 */
import type { EvalSetRow } from "../../../durable/index.ts";
import { Dict, Float } from "../../../values/index.ts";
import { type RacedTrial, TaskRace } from "../../report/race.ts";
import type { RecordedTrial } from "../../report/recorded-set.ts";
import type { EvalStore } from "../../sets/eval-store.ts";
import { storedSetOf } from "../../sets/read-set.ts";
import { type PlannedTrial, unskipped } from "../set-plan.ts";
import { storedFaults } from "../trial-streams.ts";
import type { TrialResult } from "./trial-executor.ts";

type SettledTrial = Extract<TrialResult, { kind: "done" | "errored" }>;

export class SetRaces {
  private readonly store: EvalStore;
  private readonly trials: readonly PlannedTrial[];
  private readonly races = new Map<string, TaskRace>();
  /** Answers that are known, by task. */
  private readonly known = new Map<string, number>();

  constructor(store: EvalStore, set: EvalSetRow, trials: readonly PlannedTrial[]) {
    this.store = store;
    this.trials = trials.filter(({ spec }) => spec.race !== null);
    if (this.trials.length === 0) return;
    const stored = new Map(
      storedSetOf(store, set).tasks.flatMap((task) => task.trials.map((trial) => [trial.id, trial])),
    );
    for (const [name, own] of Map.groupBy(this.trials, ({ spec }) => spec.name)) {
      const race = new TaskRace((own[0] as PlannedTrial).spec, own.map(racedTrial));
      this.races.set(name, race);
      for (const trial of own) {
        if (trial.state === "skipped") trial.row = unskipped(trial.row);
        const recorded = stored.get(trial.id);
        // What errored is run again.
        if (recorded === undefined || trial.state !== "done") continue;
        const { scores, faults, metrics } = recorded;
        race.settled(recordedOf(trial, "done", { scores, faults, metrics }), trial.cluster);
      }
      this.skipUnneeded(name, () => false);
    }
  }

  /** A trial is done, or errored and not tried again by this process: its observation may be complete with it. */
  ended(trial: PlannedTrial, end: SettledTrial, isRunning: (trial: PlannedTrial) => boolean): void {
    const race = this.races.get(trial.spec.name);
    if (race === undefined) return;
    const isDone = end.kind === "done";
    const said = {
      scores: isDone ? end.scores : [],
      faults: storedFaults(trial.row),
      metrics: isDone ? metricFigures(end.outcome) : {},
    };
    race.settled(recordedOf(trial, isDone ? "done" : "errored", said), trial.cluster);
    if (!race.isNeeded(racedTrial(trial))) this.skip([trial]);
    this.skipUnneeded(trial.spec.name, (other) => other === trial || isRunning(other));
  }

  private skipUnneeded(name: string, isRunning: (trial: PlannedTrial) => boolean): void {
    const race = this.races.get(name) as TaskRace;
    const known = race.decided;
    if (known === (this.known.get(name) ?? 0)) return;
    this.known.set(name, known);
    this.skip(
      this.trials.filter(
        (trial) =>
          trial.spec.name === name &&
          trial.state !== "skipped" &&
          !isRunning(trial) &&
          !race.isNeeded(racedTrial(trial)),
      ),
    );
  }

  private skip(trials: readonly PlannedTrial[]): void {
    for (const trial of trials)
      trial.row = { ...(this.store.trial(trial.id) ?? trial.row), state: "skipped" };
    this.store.write(trials.map(({ row }) => ({ table: "eval_trial", row: { ...row } })));
  }
}

const racedTrial = ({ key, variant, cluster }: PlannedTrial): RacedTrial => ({
  sample: key.sample,
  cluster,
  variant: variant.name,
});

/** What a race reads of a trial. */
const recordedOf = (
  { key, variant, row }: PlannedTrial,
  state: "done" | "errored",
  said: Pick<RecordedTrial, "scores" | "faults" | "metrics">,
): RecordedTrial => ({
  ...said,
  sample: key.sample,
  variant: variant.name,
  epoch: row.epoch,
  state,
  error: null,
  limit: null,
  stopReason: null,
  blame: null,
  inputTokens: row.input_tokens,
  outputTokens: row.output_tokens,
  costUsd: row.cost,
  turns: row.turns,
  workingMs: row.working_ms,
  wallMs: row.wall_ms,
  attempts: row.attempts,
  failedTool: null,
});

/** Figures that a trial measured itself. */
function metricFigures(outcome: Dict): Record<string, number> {
  const metrics = outcome.get("metrics");
  if (!(metrics instanceof Dict)) return {};
  return Object.fromEntries(
    [...metrics.entries()].flatMap(([name, value]): [string, number][] => {
      if (value instanceof Float) return [[name, value.value]];
      return typeof value === "number" ? [[name, value]] : [];
    }),
  );
}
