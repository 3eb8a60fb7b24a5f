/** A registered trigger: what it listens to, what it does, and its counts. */
import type { AutonomyTier } from "../../../agent/index.ts";
import { type Callable, Dict, type Value } from "../../../values/index.ts";
import { BudgetUsage, type TriggerBudget } from "./budget.ts";
import type { EventPath, EventTest } from "./filter-text.ts";
import type { RateWindow } from "./flow-control.ts";
import type { RetryPolicy } from "./retry.ts";

export type BindingState = "active" | "draining" | "terminated";

export interface Metrics {
  received: number;
  dispatched: number;
  skipped: number;
  failed: number;
  dlq: number;
  retried: number;
  replayed: number;
  in_flight: number;
}

/** What a trigger's predicate may cost. */
export interface PredicateBudget {
  readonly maxCostUsd: number | undefined;
  readonly maxTokens: number | undefined;
  readonly timeoutMs: number | undefined;
}

/** What a trigger does with an event. */
export type Handler =
  | { readonly kind: "local"; readonly run: Callable }
  | { readonly kind: "worker"; readonly address: string; readonly queue: string }
  | { readonly kind: "a2a"; readonly address: string; readonly url: string };

export interface BindingConfig {
  readonly id: string;
  readonly kind: string;
  readonly provider: string;
  readonly source: "manifest" | "dynamic";
  readonly handler: Handler;
  readonly when: Callable | undefined;
  readonly whenBudget: PredicateBudget | undefined;
  readonly retry: RetryPolicy;
  /** Kinds of events, `*` for any run of characters; empty: all. */
  readonly events: readonly string[];
  readonly dedupeKey: Callable | EventPath | undefined;
  /** A dict: what events must contain. */
  readonly filter: Callable | Dict | EventTest | undefined;
  readonly budget: TriggerBudget;
  readonly rate: RateWindow | undefined;
  readonly tenantId: string | undefined;
  readonly autonomyTier: AutonomyTier;
  readonly manifestPath: string | undefined;
  readonly packageName: string | undefined;
  readonly schedule: string | undefined;
  readonly timezone: string | undefined;
}

export interface TriggerBinding extends BindingConfig {
  readonly version: number;
  state: BindingState;
  readonly metrics: Metrics;
  /** One after the other; the third opens the circuit. */
  predicateFailures: number;
  readonly usage: BudgetUsage;
  /** Keys of events that it has taken. */
  readonly seen: Set<string>;
}

/** What the version before has spent counts on: registering a trigger again gives it no new budget. */
export function newBinding(config: BindingConfig, former: TriggerBinding | undefined): TriggerBinding {
  return {
    ...config,
    version: (former?.version ?? 0) + 1,
    state: "active",
    metrics: {
      received: 0,
      dispatched: 0,
      skipped: 0,
      failed: 0,
      dlq: 0,
      retried: 0,
      replayed: 0,
      in_flight: 0,
    },
    predicateFailures: 0,
    usage: former?.usage ?? new BudgetUsage(),
    seen: new Set(),
  };
}

/** Identifies one version of a trigger. */
export const bindingKey = (binding: TriggerBinding): string => `${binding.id}@v${binding.version}`;

/** What scripts hold of a trigger, and what `trigger_list` shows. */
export function bindingDict(binding: TriggerBinding): Dict {
  const optional: Readonly<Record<string, Value>> = {
    manifest_path: binding.manifestPath ?? null,
    package_name: binding.packageName ?? null,
    schedule: binding.schedule ?? null,
    timezone: binding.timezone ?? null,
  };
  return Dict.of({
    ...optional,
    id: binding.id,
    version: binding.version,
    source: binding.source,
    kind: binding.kind,
    provider: binding.provider,
    autonomy_tier: binding.autonomyTier,
    handler_kind: binding.handler.kind,
    state: binding.state,
    metrics: Dict.of({ ...binding.metrics }),
  });
}
