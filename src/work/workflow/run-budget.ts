/**
 * What a whole run may spend: `budget.total_budget_usd` and `limits.tokens` of the call. Money is checked before a model is
 * asked, against what the answer could cost at most; tokens between turns. A run that has nothing left is paused before the
 * stage that it can't pay, and goes on when it is given more.
 */

import type { Task } from "../../interp/index.ts";
import { ModelBudget, modelBudgetOf } from "../../model/index.ts";
import { at, row } from "../../table/index.ts";
import { Dict, Float, numericValue, option, type Value } from "../../values/index.ts";

/** How loops end that could not pay. */
const spentReasons: ReadonlySet<Value | undefined> = new Set([
  "tokens",
  "total_cost_usd",
  "budget_exhausted",
]);

export class RunBudget {
  readonly modelBudget: ModelBudget;

  /** `spent`: by the parts of the run before this one. */
  constructor(task: Task, limits: RunLimits, spent: Dict) {
    this.modelBudget = new ModelBudget(modelBudgetOf(task));
    this.modelBudget.limitUsd = limits.usd;
    this.modelBudget.limitTokens = limits.tokens;
    this.modelBudget.spentUsd = numericValue(spent.get("cost_usd")) ?? 0;
    this.modelBudget.spentTokens = numericValue(spent.get("tokens")) ?? 0;
  }

  /** For the record: what a part of the run that goes on later has to count in. */
  get spent(): Dict {
    return Dict.of({ cost_usd: new Float(this.modelBudget.spentUsd), tokens: this.modelBudget.spentTokens });
  }

  /** The loop with this result stopped because the run, or what it works for, has nothing left. */
  ranOut(loop: Dict): boolean {
    const reason = loop.get("stop_reason") ?? null;
    if (loop.get("status") !== "budget_exhausted" || (reason !== null && !spentReasons.has(reason)))
      return false;
    return this.modelBudget.hasDollarLimit || this.modelBudget.tokensLeft <= 0;
  }
}

export interface RunLimits {
  readonly usd: number | null;
  readonly tokens: number | null;
}

/** The limits of the run among its options, and the options without them: what is left is each loop's. */
export function runLimitsOf(caller: string, loop: Dict): { limits: RunLimits; loop: Dict } {
  const usd = limitIn(caller, loop, "budget", "total_budget_usd");
  const tokens = limitIn(caller, loop, "limits", "tokens");
  return {
    limits: { usd, tokens },
    loop: withoutOption(withoutOption(loop, "budget", "total_budget_usd"), "limits", "tokens"),
  };
}

function limitIn(caller: string, options: Dict, name: string, key: string): number | null {
  const value = option(options.get(name), key);
  return value === undefined
    ? null
    : row.number("", null, { min: 0 }).read(value, at(caller, `${name}.${key}`));
}

function withoutOption(options: Dict, name: string, key: string): Dict {
  const bound = options.get(name);
  if (!(bound instanceof Dict)) return options;
  const rest = bound.without(key);
  return rest.size === 0 ? options.without(name) : options.with(name, rest);
}
