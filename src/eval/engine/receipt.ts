/** The receipt of a set: one digest over all outcomes and scores. Equal receipts, equal results. */
import type { EvalSetRow } from "../../durable/index.ts";
import type { Digest } from "../../effects/index.ts";
import { type Dict, jsonParse } from "../../values/index.ts";
import { canonicalJson } from "../plan/canonical-json.ts";
import type { EvalStore } from "../sets/eval-store.ts";
import { withoutTimes } from "./outcome.ts";
import { scoresText } from "./score-trial.ts";
import { plannedTrials } from "./set-plan.ts";
import { newestScores } from "./stored-scores.ts";

export interface ReceiptLine {
  /** Of the trial, without the set. */
  readonly address: string;
  /** Hexadecimal digest of the canonical JSON of its outcome without times. */
  readonly outcome: string;
  /** Of its scores. */
  readonly scores: string;
}

export function receiptOf(lines: readonly ReceiptLine[], digest: Digest): string {
  const texts = lines.map(({ address, outcome, scores }) => `${address} ${outcome} ${scores}\n`);
  return digest(texts.sort().join(""));
}

/** One digest over outcomes and scores of all trials that are done. */
export function setReceipt(store: EvalStore, set: EvalSetRow): string {
  const { digest } = store;
  const done = plannedTrials(store, set).filter(({ state }) => state === "done");
  const byTrial = new Map<number, Parameters<typeof scoresText>[0][number][]>();
  for (const row of newestScores(store.scores(set.id))) {
    const list = byTrial.get(row.trial) ?? [];
    list.push({ ...row, pass: row.pass === null ? null : row.pass === 1 });
    byTrial.set(row.trial, list);
  }
  const lines = done.map(({ row, path }) => {
    const outcome = jsonParse(store.piece(row.outcome) ?? "null") as Dict;
    return {
      address: path,
      outcome: digest(canonicalJson(withoutTimes(outcome))),
      scores: digest(scoresText(byTrial.get(row.id) ?? [])),
    };
  });
  return receiptOf(lines, digest);
}
