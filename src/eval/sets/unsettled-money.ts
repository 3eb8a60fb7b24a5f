/** What is spent on trials and scorings that are not over: their rows do not tell it, their journals do. */
import type { EvalTrialRow } from "../../durable/index.ts";
import { type RecordedMoney, recordedMoney } from "../../model/index.ts";
import type { Store } from "../../store/index.ts";

/** By the number of the trial. */
export type UnsettledMoney = ReadonlyMap<number, Pick<RecordedMoney, "tokens"> & { readonly usd: number }>;

export function unsettledMoney({ runs }: Store, set: number): UnsettledMoney {
  const found = new Map<number, { usd: number; tokens: number }>();
  for (const { name, trial } of runs.unsettledOf(set)) {
    const { costUsd, inDoubtUsd, tokens } = recordedMoney(runs.read(name));
    const known = found.get(trial) ?? { usd: 0, tokens: 0 };
    found.set(trial, { usd: known.usd + costUsd + inDoubtUsd, tokens: known.tokens + tokens });
  }
  return found;
}

export type TrialMoney = Pick<EvalTrialRow, "id" | "state" | "cost" | "doubtful">;

/**
 * US dollars of a trial with all its attempts and judges, `judged` being what its scores cost. `doubtful` of a row is what the
 * attempt that counts has not in its figures: calls whose end nobody knows, and attempts before it.
 */
export function spentInAll(row: TrialMoney, judged: number, unsettled: UnsettledMoney): number {
  const booked = row.cost + row.doubtful + judged;
  const recorded = unsettled.get(row.id)?.usd ?? 0;
  // Of a trial that is over only scorings are unsettled; the journals of another have all that was ever done for it.
  return row.state === "done" ? booked + recorded : Math.max(booked, recorded);
}
