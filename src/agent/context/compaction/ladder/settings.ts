/** How the ladder is set: its rungs, mildest first, and when it climbs. */
export type Rung = "clear" | "externalize" | "summarize" | "drop";

/** By aggressiveness. */
export const allRungs: readonly Rung[] = ["clear", "externalize", "summarize", "drop"];

export type LadderTrigger = "soft" | "hard" | "context_overflow" | "manual" | "idle" | "tool";

/** Nothing may hold it back, and everything may go. */
export const isUrgent = (trigger: LadderTrigger): boolean =>
  trigger === "hard" || trigger === "context_overflow";

export interface LadderSettings {
  /** Parts of the budget. */
  readonly soft: number;
  readonly hard: number;
  readonly target: number;
  readonly keepExchanges: number;
  /** Tokens of persons' older messages that stay; `null`: a tenth of the budget, at most 8,000. */
  readonly userTokens: number | null;
  readonly rungs: ReadonlySet<Rung>;
}

export const usualSettings: LadderSettings = {
  soft: 0.8,
  hard: 0.95,
  target: 0.5,
  keepExchanges: 4,
  userTokens: null,
  rungs: new Set(allRungs),
};

/** A pass that frees less than this part of the budget is none. */
export const leastFreed = 0.02;

const mostUserTokens = 8000;

export const userTokensOf = ({ userTokens }: LadderSettings, budget: number): number =>
  userTokens ?? Math.min(mostUserTokens, Math.floor(budget / 10));

/** Tokens that a summary may have: 12 % of the budget within 1,000 … 8,000, never over a quarter. */
export const summaryCap = (budget: number): number =>
  Math.floor(Math.min(budget / 4, Math.min(8000, Math.max(1000, budget * 0.12))));
