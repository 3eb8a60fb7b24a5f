/**
 * Forks of a trial: live continuations of it from a step on, some with a change and some without. They lie beside the trials of the
 * set and never enter its figures; what is there of them is not run again.
 */
import type { EvalSetRow, EvalTrialRow } from "../../../durable/index.ts";
import { Dict } from "../../../values/index.ts";
import type { EvalStore } from "../../sets/eval-store.ts";
import { faultsText, redoneIn } from "../../users/index.ts";
import type { TrialFork } from "../running/request.ts";
import { type PlannedTrial, plannedTrials } from "../set-plan.ts";
import { storedFaults } from "../trial-streams.ts";
import { freshRow, identityLike } from "./trial-row.ts";

/** What is different from the step on; null: nothing of the kind. */
export interface ForkChange {
  readonly model: string | null;
  readonly provider: string | null;
  /** Variables of the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Digest of another program. */
  readonly program: string | null;
  /** The step's own result, JSON or text. */
  readonly result: string | null;
}

/** One continuation, as its row keeps it. */
interface ForkPlace {
  /** Name of the run that it goes like. */
  readonly from: string;
  readonly at: number;
  /** From 1. */
  readonly number: number;
  /** Null: nothing is changed. */
  readonly change: ForkChange | null;
}

export const forkPlace = ({ streams }: Pick<EvalTrialRow, "streams">): ForkPlace =>
  JSON.parse(streams) as ForkPlace;

export interface ForkArm {
  readonly at: number;
  readonly change: ForkChange | null;
}

/** The continuations of each arm, in turns, so that both have as many when it is broken off. Writes the rows that are missing. */
export function planForks(
  store: EvalStore,
  set: EvalSetRow,
  source: PlannedTrial,
  request: { readonly from: string; readonly count: number; readonly arms: readonly ForkArm[] },
): PlannedTrial[] {
  const { from, count, arms } = request;
  const wanted = Array.from({ length: count }, (_, at) => at + 1).flatMap((number) =>
    arms.map(({ at, change }) => JSON.stringify({ from, at, number, change } satisfies ForkPlace)),
  );
  const keyOf = ({ row }: PlannedTrial): string | undefined =>
    row.sample === source.row.sample && row.variant === source.row.variant && row.epoch === source.row.epoch
      ? row.streams
      : undefined;
  const known = new Set(plannedTrials(store, set, "fork").map(keyOf));
  const redone = redoneIn(storedFaults(source.row));
  const fresh = wanted
    .filter((streams) => !known.has(streams))
    .map((streams) => {
      // Users who were given another stream keep it: what they said before the step must be said again.
      const faults = redone.length === 0 ? null : faultsText(redone);
      const digest = identityLike(store, set, source, { epoch: source.row.epoch, streams: {} });
      return { ...freshRow(source.row), kind: "fork", streams, faults, digest };
    });
  store.insert("eval_trial", fresh);
  const byKey = new Map(plannedTrials(store, set, "fork").map((trial) => [keyOf(trial), trial]));
  return wanted.flatMap((streams) => byKey.get(streams) ?? []);
}

/** What the engine makes of a continuation. */
export function trialFork({ row }: PlannedTrial): TrialFork {
  const { from, at, change } = forkPlace(row);
  const named = Object.entries({ model: change?.model, provider: change?.provider }).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return {
    start: {
      run: from,
      step: at,
      result: change?.result ?? null,
      env: change?.env ?? {},
      otherProgram: (change?.program ?? null) !== null,
    },
    forced: Dict.of(Object.fromEntries(named)),
  };
}
