/**
 * What a set may spend while it runs, US dollars and tokens. A trial starts when its allotment can be set aside, a call is sent when
 * its worst case fits; who can't be paid waits for others, and when nobody can go on, the set is told so.
 */

import type { Task } from "../../../interp/index.ts";
import {
  callRoles,
  isMocking,
  modelsOf,
  routeOfCall,
  type SpendingProjection,
} from "../../../model/index.ts";
import type { RegisteredTask } from "../../plan/index.ts";
import type { SetOptions } from "../../sets/set-spec.ts";
import type { PlannedTrial } from "../set-plan.ts";
import type { CallWaits } from "../trial-waits.ts";
import { SetBudget } from "./set-budget.ts";
import type { SpentBefore } from "./spent-before.ts";

type SetSpending = Pick<SetOptions, "costUsd" | "tokens">;

interface SetMoneyPorts {
  /** How many trials are in progress. */
  readonly running: () => number;
  /** Something has become free. */
  readonly onFree: () => void;
  /** Nobody can go on, and nothing that is in flight could free anything. */
  readonly onEmpty: (budget: "budget" | "budget of tokens") => void;
  /** The limit can't be kept: nobody knows what a call of the trial costs. */
  readonly onUnpriced: (trial: PlannedTrial) => void;
}

/** US dollars and tokens. */
export interface SpentMoney<T> {
  readonly costUsd: T;
  readonly tokens: T;
}

export class SetMoney {
  private readonly ports: SetMoneyPorts;
  private readonly before: Pick<SpentBefore, "on">;
  private readonly money: SetBudget;
  private readonly tokens: SetBudget;
  /** Finished costs by variant, for what a trial without a limit may cost. */
  private readonly costs = new Map<string, number[]>();
  /** Calls that the set can't pay now. */
  private readonly unpaid = new Set<() => void>();
  /** Trials that wait for money, by row. */
  private readonly blocked = new Set<number>();

  constructor(
    limits: SetSpending,
    spent: Pick<SpentBefore, "costUsd" | "tokens" | "on">,
    ports: SetMoneyPorts,
  ) {
    this.ports = ports;
    this.before = spent;
    this.money = new SetBudget(limits.costUsd, spent.costUsd);
    this.tokens = new SetBudget(limits.tokens, spent.tokens);
    for (const budget of [this.money, this.tokens]) budget.changed = () => this.tryAgain();
  }

  get spentUsd(): number {
    return this.money.spent;
  }

  get limitUsd(): number | null {
    return this.money.limit;
  }

  /** Sets aside what the trial may cost; false when the set has not so much left. */
  begin(trial: PlannedTrial): boolean {
    return this.money.limit === null || this.money.open(accountOf(trial), this.allotmentOf(trial));
  }

  /** What is neither spent nor set aside; null: there is no limit. */
  get unspent(): SpentMoney<number | null> {
    const [costUsd, tokens] = [this.money, this.tokens].map(({ limit, committed }) =>
      limit === null ? null : Math.max(0, limit - committed),
    ) as [number | null, number | null];
    return { costUsd, tokens };
  }

  /** Sets a share aside for whoever does some of the trials elsewhere and keeps to it; null: there is no limit. */
  setAside(name: string, { costUsd, tokens }: SpentMoney<number | null>): void {
    this.money.hold(name, costUsd ?? 0);
    this.tokens.hold(name, tokens ?? 0);
  }

  /** That one is over: what was spent stays, the rest of its share is free. */
  settle(name: string, spent: SpentMoney<number>): void {
    this.money.book(name, spent.costUsd);
    this.tokens.book(name, spent.tokens);
    this.money.close(name);
    this.tokens.close(name);
  }

  /** What a trial may cost, as far as it is known: else 0. */
  expected(trial: PlannedTrial): number {
    return this.allotmentOf(trial);
  }

  book(trial: PlannedTrial, costUsd: number, tokens: number): void {
    this.money.book(accountOf(trial), costUsd);
    this.tokens.book(accountOf(trial), tokens);
  }

  /** US dollars of a trial in progress: everything that was ever done for it, judges and what is in doubt included. */
  spentOn(trial: PlannedTrial): number {
    return this.before.on(trial) + this.money.spentBy(accountOf(trial));
  }

  /** The trial is in progress no longer. */
  left(trial: PlannedTrial): void {
    this.blocked.delete(trial.id);
    this.money.close(accountOf(trial));
    this.tokens.close(accountOf(trial));
  }

  /** It is done: what it cost says what others of its variant may. */
  learn(trial: PlannedTrial): void {
    const costs = this.costs.get(arm(trial)) ?? [];
    costs.push(trial.row.cost);
    this.costs.set(arm(trial), costs);
  }

  raise(limits: SetSpending, before: SetSpending): void {
    if (limits.tokens !== before.tokens) this.tokens.raise(limits.tokens);
    if (limits.costUsd !== before.costUsd) this.money.raise(limits.costUsd);
  }

  /** Sets the worst case of a call aside, when there is room for it; that it had to wait is no work. */
  async admit(trial: PlannedTrial, worst: SpendingProjection, waits: CallWaits): Promise<() => void> {
    const { costUsd } = worst;
    if (this.money.limit !== null && costUsd === null) {
      this.ports.onUnpriced(trial);
      return await new Promise<never>(() => {});
    }
    const account = accountOf(trial);
    const bounds: [SetBudget, number][] = [
      [this.money, costUsd ?? 0],
      [this.tokens, worst.inputTokens + worst.outputTokens],
    ];
    const held = bounds.filter(([budget]) => budget.limit !== null);
    const over = held.length === 0 ? undefined : waits.begin(money);
    try {
      for (const [budget, amount] of held) await this.reserve(budget, trial, amount);
    } finally {
      over?.();
    }
    return () => {
      for (const [budget, amount] of held) budget.release(account, amount);
    };
  }

  private async reserve(budget: SetBudget, trial: PlannedTrial, amount: number): Promise<void> {
    while (!budget.reserve(accountOf(trial), amount)) {
      this.blocked.add(trial.id);
      // The promise is made before anybody looks whether all are blocked.
      const freed = new Promise<void>((resolve) => this.unpaid.add(resolve));
      if (budget.inFlight === 0 && this.blocked.size >= this.ports.running()) this.empty(budget);
      await freed;
      this.blocked.delete(trial.id);
    }
  }

  private tryAgain(): void {
    const waiting = [...this.unpaid];
    this.unpaid.clear();
    for (const resolve of waiting) resolve();
    this.ports.onFree();
  }

  private empty(budget: SetBudget): void {
    this.ports.onEmpty(budget === this.money ? "budget" : "budget of tokens");
  }

  /** What a trial may cost: its limit, else 1.5 times the 95th percentile of its variant; nothing is known at first. */
  private allotmentOf(trial: PlannedTrial): number {
    if (trial.spec.limits.costUsd !== null) return trial.spec.limits.costUsd;
    const costs = [...(this.costs.get(arm(trial)) ?? [])].sort((a, b) => a - b);
    if (costs.length === 0) return 0;
    return 1.5 * (costs[Math.min(costs.length - 1, Math.ceil(costs.length * 0.95) - 1)] as number);
  }
}

const money = { name: "money of the set", category: "environment", isShared: true } as const;

const accountOf = ({ id }: PlannedTrial): string => String(id);

const arm = ({ spec, variant }: PlannedTrial): string => `${spec.name}/${variant.key}`;

/**
 * Judges whose models nobody knows the price of, in a sentence: with a limit of money they are found before anything is asked.
 * Undefined when every judge has a price.
 */
export function unpricedJudge(task: Task, { spec, code }: RegisteredTask): string | undefined {
  const models = modelsOf(task);
  if (isMocking(models.mock)) return undefined;
  const leave = callRoles.enter(task, "judge");
  try {
    for (const [at, { calls }] of code.scorers.entries())
      for (const options of calls) {
        const { provider, model } = routeOfCall(task, options);
        if (models.catalogue.priceAt(provider, model) !== null) continue;
        return `scorer ${spec.scorers[at]?.name} of ${spec.name}: ${model} of ${provider} has no price, so the limit of the set can't be kept; name a model with one, or its \`pricing\` under [llm.models] in harn.toml`;
      }
    return undefined;
  } finally {
    leave();
  }
}
