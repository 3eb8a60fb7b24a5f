/** The receipt of a set: one digest over all outcomes and scores. Equal receipts, equal results. */
import type { Digest } from "../../effects/index.ts";

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
