/**
 * What a set has spent before this process: of trials that are over their rows tell it, of others their journals, in which every
 * request stands before it is sent. So no kill makes money forgotten.
 */
import type { EvalScoreRow, EvalSetRow, EvalTrialRow } from "../../../durable/index.ts";
import type { EvalStore } from "../../sets/eval-store.ts";
import { setProgress } from "../../sets/read-progress.ts";
import { spentInAll, type UnsettledMoney } from "../../sets/unsettled-money.ts";
import type { PlannedTrial } from "../set-plan.ts";

export class SpentBefore {
  /** US dollars, those in doubt included. */
  readonly costUsd: number;
  readonly tokens: number;
  private readonly unsettled: UnsettledMoney;
  /** Of scores, by trial. */
  private readonly judged = new Map<number, number>();
  /** Of trials in progress: their rows change. */
  private readonly known = new Map<number, number>();

  /** `isSet`: the trials are the set's own. */
  constructor(
    store: EvalStore,
    set: EvalSetRow,
    trials: readonly PlannedTrial[],
    scores: readonly EvalScoreRow[],
    isSet: boolean,
  ) {
    this.unsettled = store.unsettled(set.id);
    for (const { trial, cost } of scores)
      if (cost > 0) this.judged.set(trial, (this.judged.get(trial) ?? 0) + cost);
    let costUsd = 0;
    let tokens = 0;
    for (const { row } of trials) {
      if (!isSet) costUsd += this.of(row);
      tokens += Math.max(row.input_tokens + row.output_tokens, this.unsettled.get(row.id)?.tokens ?? 0);
    }
    // Of a set also its oracles, and rows that have left its dataset.
    this.costUsd = isSet ? (setProgress(store, set).costUsd ?? 0) : costUsd;
    this.tokens = tokens;
  }

  /** On a trial, before it was begun here. */
  on({ row }: PlannedTrial): number {
    const known = this.known.get(row.id) ?? this.of(row);
    this.known.set(row.id, known);
    return known;
  }

  private of(row: EvalTrialRow): number {
    return spentInAll(row, this.judged.get(row.id) ?? 0, this.unsettled);
  }
}
