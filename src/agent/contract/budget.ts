/**
 * The budget envelope: what a session may use before it yields. A limit is never a kill switch: reaching it pauses the
 * loop, and the caller extends it and resumes, or closes the session.
 *
 * Wall clock counts running time only: the machine has no clock, so whoever drives it says what time it is (`tick`),
 * and the time between a pause and its resume is not counted.
 */
const unused = { turns: 0, tool_calls: 0, wall_clock_ms: 0, tokens: 0, cost_usd: 0 };
export type BudgetKind = keyof typeof unused;
export const budgetKinds = Object.keys(unused) as readonly BudgetKind[];
export type Amounts = Partial<Record<BudgetKind, number>>;

export interface Budget {
  /** Absent: no limit. */
  limits: Amounts;
  used: Record<BudgetKind, number>;
  /** Time of the last tick, `null` while nothing runs. */
  lastTick: number | null;
}

/** A fresh envelope. Amounts that are no finite numbers of 0 or more are refused. */
export function createBudget(limits: Amounts = {}): Budget {
  for (const kind of budgetKinds) {
    const limit = limits[kind];
    if (limit !== undefined && !(Number.isFinite(limit) && limit >= 0)) {
      throw new RangeError(`budget ${kind} must be a number of 0 or more, got ${String(limit)}`);
    }
  }
  return {
    limits: { ...limits },
    used: { ...unused },
    lastTick: null,
  };
}

/** Takes over the time: adds what has passed since the last tick. A clock that goes back adds nothing. */
export function tick(budget: Budget, now: number | undefined): void {
  if (now === undefined) return;
  if (budget.lastTick !== null && now > budget.lastTick) budget.used.wall_clock_ms += now - budget.lastTick;
  budget.lastTick = now;
}

/** Stops the wall clock until the next tick. */
export function stopClock(budget: Budget): void {
  budget.lastTick = null;
}

/**
 * The first limit that stands in the way of using `next` more, or `undefined`. Wall clock, tokens and money are
 * reached when used up; turns and tool calls when the next ones would go beyond.
 */
export function reachedLimit(budget: Budget, next: Amounts = {}): BudgetKind | undefined {
  for (const kind of budgetKinds) {
    const limit = budget.limits[kind];
    if (limit === undefined) continue;
    const used = budget.used[kind];
    const wanted = next[kind] ?? 0;
    const counted = kind === "turns" || kind === "tool_calls";
    if (counted ? wanted > 0 && used + wanted > limit : used >= limit || used + wanted > limit) return kind;
  }
  return undefined;
}

/** Raises limits by the given amounts; limits that do not exist stay absent. Says whether anything grew. */
export function extend(budget: Budget, by: Amounts): boolean {
  let grown = false;
  for (const kind of budgetKinds) {
    const more = by[kind];
    const limit = budget.limits[kind];
    if (limit === undefined || more === undefined || !(Number.isFinite(more) && more > 0)) continue;
    budget.limits[kind] = limit + more;
    grown = true;
  }
  return grown;
}
