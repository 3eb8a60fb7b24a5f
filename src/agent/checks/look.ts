/** What a check comes to: whether it holds, what was looked for and found, and what shows it. */
import type { Evidence } from "../../model/index.ts";

export interface CheckLook {
  readonly status: "met" | "partly" | "unmet";
  /** What was looked for and found, one sentence. */
  readonly notes: string;
  readonly evidence: readonly Omit<Evidence, "turn">[];
}

export const met = (notes: string, evidence: CheckLook["evidence"] = []): CheckLook => ({
  status: "met",
  notes,
  evidence,
});
export const partly = (notes: string, evidence: CheckLook["evidence"] = []): CheckLook => ({
  status: "partly",
  notes,
  evidence,
});
export const unmet = (notes: string, evidence: CheckLook["evidence"] = []): CheckLook => ({
  status: "unmet",
  notes,
  evidence,
});

/** Characters of what was found that are kept. */
const maxExcerpt = 200;

export const excerptOf = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > maxExcerpt ? `${line.slice(0, maxExcerpt - 1)}…` : line;
};
