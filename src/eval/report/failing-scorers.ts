/** A task whose scorers all failed on all of its trials says nothing, however many trials are done. */
import { evalMessage } from "../eval-error.ts";
import type { RecordedTask } from "./recorded-set.ts";

/** HARN-EVL-034 in a sentence; undefined when something was scored, or nothing was to be. */
export function whyUnscored({ spec, trials }: RecordedTask): string | undefined {
  const scored = trials.filter(({ state, scores }) => state === "done" && scores.length > 0);
  const [first] = scored;
  if (first === undefined) return undefined;
  // What a score says besides is read only where none has a value.
  const isMute = scored.every(({ scores }) =>
    scores.every(({ value, label }) => value === null && label === null),
  );
  if (!isMute || !scored.every(({ scores }) => scores.every(({ error }) => error !== null))) return undefined;
  const error = first.scores[0]?.error?.message ?? "";
  return evalMessage("HARN-EVL-034", { task: spec.name, trials: scored.length, error });
}
