/** Durations, tokens and cost as a person reads them, in the live view and in a run's tree. */
import type { RunTotals } from "../../events/index.ts";

export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} m ${Math.round((ms % 60_000) / 1000)} s`;
}

/** With thousands apart. */
export const groupedCount = (n: number): string => n.toLocaleString("en-US");

export const costText = ({ cost_usd }: Pick<RunTotals, "cost_usd">): string =>
  cost_usd === null ? "cost unknown" : `$${cost_usd.toFixed(4)}`;
