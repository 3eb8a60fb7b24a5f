/** Rows of trials beside those of a set: each is like a trial of it that nobody has run yet. */
import type { EvalSetRow, EvalTrialRow } from "../../../durable/index.ts";
import { trialIdentity } from "../../plan/index.ts";
import type { EvalStore } from "../../sets/eval-store.ts";
import { begunAnew, type PlannedTrial } from "../set-plan.ts";

/** A new row, without its identity: it has no outcome, no figures and no attempts. */
export function freshRow(trial: EvalTrialRow): Omit<EvalTrialRow, "id" | "digest"> {
  const { id: _id, digest: _digest, ...row } = begunAnew(trial);
  return { ...row, ...noFigures };
}

const noFigures = {
  input_tokens: 0,
  output_tokens: 0,
  cost: 0,
  doubtful: 0,
  turns: 0,
  working_ms: 0,
  wall_ms: 0,
  began: null,
  ended: null,
  attempts: 0,
} as const;

/** The identity of a trial like `source`, on other streams. */
export const identityLike = (
  store: EvalStore,
  set: EvalSetRow,
  source: PlannedTrial,
  { epoch, streams }: { readonly epoch: number; readonly streams: { readonly [role: string]: number } },
): string =>
  trialIdentity(store.digest, {
    task: source.spec.name,
    version: source.spec.version ?? set.program,
    sample: source.sample().digest,
    variant: source.variant.digest,
    epoch,
    streams,
  });
