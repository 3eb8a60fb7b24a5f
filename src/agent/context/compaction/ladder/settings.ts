/** When the ladder climbs, and how much of the budget its parts may have. */
import type { LadderSettings } from "../../../options/ladder-options.ts";

export type LadderTrigger = "soft" | "hard" | "context_overflow" | "manual" | "idle" | "tool";

/** Nothing may hold it back, and everything may go. */
export const isUrgent = (trigger: LadderTrigger): boolean =>
  trigger === "hard" || trigger === "context_overflow";

/** A pass that frees less than this part of the budget is none. */
export const leastFreed = 0.02;

const maxUserTokens = 8000;

export const userTokensOf = ({ userTokens }: LadderSettings, budget: number): number =>
  userTokens ?? Math.min(maxUserTokens, Math.floor(budget / 10));

/** Tokens that a summary may have: 12 % of the budget within 1,000 … 8,000, never over a quarter. */
export const summaryCap = (budget: number): number =>
  Math.floor(Math.min(budget / 4, Math.min(8000, Math.max(1000, budget * 0.12))));
