/** Money and decisions of a trigger's handlers, by hour and by day (builtins.md §2.22). */
import { describe, expect, it } from "vitest";
import { BudgetUsage, noBudget, type TriggerBudget } from "../../../src/builtins/events/triggers/budget.ts";

const hour = 3_600_000;
const limits = (costUsd?: number, decisions?: number) => ({ costUsd, decisions });
const budget = (more: Partial<TriggerBudget>): TriggerBudget => ({ ...noBudget, ...more });

describe("the budget of a trigger", () => {
  it("is never used up without limits", () => {
    const usage = new BudgetUsage();
    usage.spend(0, 1e9);
    usage.decide(0);
    expect(usage.exhausted(noBudget, 0)).toBeUndefined();
  });

  it("of an hour begins anew with the next one", () => {
    const usage = new BudgetUsage();
    const hourly = budget({ hourly: limits(1) });
    usage.spend(10, 0.5);
    expect(usage.exhausted(hourly, 20)).toBeUndefined();
    usage.spend(30, 0.5);
    expect(usage.exhausted(hourly, 40)).toEqual({ reason: "hourly_budget_exceeded", untilMs: hour });
    expect(usage.exhausted(hourly, hour)).toBeUndefined();
    usage.spend(hour, 0.5);
    expect(usage.exhausted(hourly, hour + 1)).toBeUndefined();
  });

  it("of a day adds its hours up", () => {
    const usage = new BudgetUsage();
    const daily = budget({ daily: limits(1), hourly: limits(1) });
    usage.spend(0, 0.6);
    usage.spend(23 * hour, 0.6);
    expect(usage.exhausted(daily, 23 * hour)).toEqual({
      reason: "daily_budget_exceeded",
      untilMs: 24 * hour,
    });
    expect(usage.exhausted(daily, 24 * hour)).toBeUndefined();
  });

  it("counts decisions", () => {
    const usage = new BudgetUsage();
    const both = budget({ hourly: limits(undefined, 1), daily: limits(undefined, 2) });
    usage.decide(0);
    expect(usage.exhausted(both, 1)?.reason).toBe("hourly_decisions_exceeded");
    expect(usage.exhausted(both, hour)).toBeUndefined();
    usage.decide(hour);
    expect(usage.exhausted(both, hour)?.reason).toBe("daily_decisions_exceeded");
  });
});
