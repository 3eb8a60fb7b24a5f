/** Stored trials as programs see them. */
import type { Read } from "../../table/index.ts";
import { Dict, fromJson, List } from "../../values/index.ts";
import { trialAddress } from "../plan/index.ts";
import { successOf } from "../report/trial-facts.ts";
import { scoreDict } from "../score/index.ts";
import type { evalTrialsFields } from "./program-fields.ts";
import type { StoredSet } from "./read-set.ts";

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
