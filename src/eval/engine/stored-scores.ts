/** Scores as rows, and stored trials as programs see them. */
import type { EvalScoreRow } from "../../durable/index.ts";
import type { Read } from "../../table/index.ts";
import { Dict, fromJson, List } from "../../values/index.ts";
import { type Score, trialAddress } from "../plan/index.ts";
import { successOf } from "../report/trial-facts.ts";
import { scoreDict } from "../score/index.ts";
import type { evalTrialsFields } from "../sets/program-fields.ts";
import type { StoredSet } from "../sets/read-set.ts";

/** A stored score without what it says besides its verdict. */
export const plainScore = ({ scorer, draw, value, pass, label }: EvalScoreRow): Score => ({
  scorer,
  draw,
  value,
  pass: pass === null ? null : pass === 1,
  label,
  answer: null,
  why: null,
  parts: {},
  meta: null,
  error: null,
});

/** Of each scorer of a trial the last version. */
export function newestScores<
  T extends { readonly trial: number; readonly scorer: string; readonly version: number },
>(rows: readonly T[]): T[] {
  const newest = new Map<string, number>();
  const keyOf = ({ trial, scorer }: T): string => `${trial} ${scorer}`;
  for (const row of rows) newest.set(keyOf(row), Math.max(newest.get(keyOf(row)) ?? 0, row.version));
  return rows.filter((row) => newest.get(keyOf(row)) === row.version);
}

export function trialDicts(set: StoredSet, filter: Read<typeof evalTrialsFields>): Dict[] {
  const wanted = (key: keyof typeof filter, value: unknown): boolean =>
    filter[key] === null || filter[key] === value;
  return set.tasks.flatMap((task) => {
    if (!wanted("task", task.spec.name)) return [];
    const samples = new Map(task.samples.map((sample) => [sample.id, sample]));
    return task.trials.flatMap((trial) => {
      const { variant, sample, epoch, state, blame } = trial;
      if (!wanted("variant", variant) || !wanted("state", state) || !wanted("blame", blame)) return [];
      const success = successOf(trial, task.spec);
      if (!wanted("success", success === undefined ? undefined : success === 1)) return [];
      return [
        Dict.of({
          address: trialAddress(set.name, { task: task.spec.name, variant, sample, epoch }),
          task: task.spec.name,
          variant,
          epoch,
          state,
          sample: samples.get(sample)?.body ?? null,
          outcome: fromJson(trial.outcome),
          scores: new List(trial.scores.map(scoreDict)),
        }),
      ];
    });
  });
}
