/** Levels of effort, from least to most, and the budgets of tokens that stand for them where a model takes those. */

export const effortLadder: readonly string[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

export const effortBudgets: ReadonlyMap<string, number> = new Map([
  ["minimal", 1024],
  ["low", 1024],
  ["medium", 4096],
  ["high", 16_384],
  ["xhigh", 32_768],
  ["max", 32_768],
]);
