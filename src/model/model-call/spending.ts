/**
 * Tokens and money of one run: what was spent, what calls in flight may still cost, and whether one more fits.
 *
 * A dollar limit counts the worst case of every call in flight, so it can't be passed by calls that run side by side.
 * Input is bounded by the UTF-8 length of everything sent (no token is shorter than a byte), output by `max_tokens`.
 */
import {
  boundInputTokens,
  type Catalogue,
  estimateInputTokens,
  type ModelError,
  type ModelRequest,
  type ModelResponse,
  type Price,
  utf8Length,
} from "../llm/index.ts";
import { type CallBudget, callBudgetFields } from "./call-fields.ts";
import type { ModelBudget } from "./model-budget.ts";
import type { BudgetRefusal } from "./types.ts";

/** Answers may be this long where nobody says (agents.md §1.1). */
export const defaultMaxTokens = 16_384;

export class Spending {
  inputTokens = 0;
  outputTokens = 0;
  cacheReadTokens = 0;
  cacheWriteTokens = 0;
  costUsd = 0;
  calls = 0;
  durationMs = 0;
  /** Answers of remote models that no price is known for: the cost is then a lower bound. */
  unpriced = 0;
  /** `llm_budget(usd)`; null without one. */
  limitUsd: number | null = null;
  private reserved = 0;

  /** Money that is spent or may be spent by calls in flight. */
  get committedUsd(): number {
    return this.costUsd + this.reserved;
  }

  reserve(usd: number): void {
    this.reserved += usd;
  }

  release(usd: number): void {
    // Sums of floats drift; nothing in flight means nothing reserved.
    this.reserved = Math.max(0, this.reserved - usd);
    if (this.reserved < 1e-12) this.reserved = 0;
  }

  /** Books what a call may have cost of which nobody knows whether it was made. */
  bookInDoubt(usd: number): void {
    this.costUsd += usd;
  }

  /** Books an answer, or the part of one that had arrived when the call failed. */
  settle(response: ModelResponse | null, durationMs: number, answered: boolean): void {
    this.durationMs += durationMs;
    if (response === null) return;
    const { usage } = response;
    this.inputTokens += usage.input_tokens;
    this.outputTokens += usage.output_tokens;
    this.cacheReadTokens += usage.cache_read_tokens;
    this.cacheWriteTokens += usage.cache_write_tokens;
    if (answered) this.calls += 1;
    const used = usage.input_tokens + usage.output_tokens > 0;
    if (response.cost_usd === null) this.unpriced += used ? 1 : 0;
    else this.costUsd += response.cost_usd;
  }
}

/**
 * What a call that ended in the middle may cost, when nobody said. One that broke off or was too late may have gone on at
 * the vendor: its worst case. One that was ended from here has cost what it was asked and what had arrived, a token a byte.
 */
export function costInDoubt(
  catalogue: Catalogue,
  request: ModelRequest,
  worst: number,
  { error, partial, begun }: { error: ModelError; partial: ModelResponse; begun?: boolean },
): number {
  const endedHere = error.category === "cancelled" || error.category === "schema_stream_aborted";
  const brokeOff = error.category === "transient_network" || error.category === "timeout";
  if (brokeOff) return begun === true || error.category === "timeout" ? worst : 0;
  if (!endedHere || begun !== true) return 0;
  const arrived = utf8Length(partial.text) + utf8Length(partial.thinking ?? "") + argumentBytes(partial);
  return Math.min(worst, worstCase(catalogue, request, arrived) ?? 0);
}

const argumentBytes = ({ tool_calls: calls }: ModelResponse): number =>
  calls.reduce((sum, { raw_arguments: raw }) => sum + utf8Length(raw), 0);

/** What one call may use at most. `costUsd` is null for a remote model without a price. */
export interface SpendingProjection {
  readonly costUsd: number | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export function project(catalogue: Catalogue, request: ModelRequest): SpendingProjection {
  const outputTokens = maxOutput(request);
  return {
    costUsd: worstCase(catalogue, request, outputTokens),
    inputTokens: estimateInputTokens(request),
    outputTokens,
  };
}

/** What the answer may have, fields of the vendor's own included: they go out as they are. */
function maxOutput({ max_tokens, provider_overrides: own }: ModelRequest): number {
  const number = (name: string): number => {
    const value = own?.[name];
    return typeof value === "number" && Number.isFinite(value) ? value : 0;
  };
  const limits = ["max_tokens", "max_completion_tokens", "max_output_tokens"].map(number);
  return Math.max(max_tokens ?? defaultMaxTokens, ...limits) * Math.max(1, number("n"));
}

function worstCase(catalogue: Catalogue, request: ModelRequest, outputTokens: number): number | null {
  const price = catalogue.priceAt(request.provider, request.model);
  if (price === "free") return 0;
  if (price === null) return null;
  const input = boundInputTokens(request);
  const usual = Math.max(
    rated(price, input, outputTokens),
    price.long_prompt === undefined ? 0 : longRated(price, input, outputTokens),
  );
  return request.fast ? usual * (catalogue.fastFactor(request.provider, request.model) ?? 1) : usual;
}

/** The dearest way to count: every input token written to the cache where that costs more. */
function rated(price: Omit<Price, "long_prompt">, input: number, output: number): number {
  const perInput = Math.max(price.input_per_mtok, price.cache_write_per_mtok);
  return (input * perInput + output * price.output_per_mtok) / 1_000_000;
}

function longRated(price: Price, input: number, output: number): number {
  const long = price.long_prompt;
  return long === undefined || input <= long.above ? 0 : rated(long, input, output);
}

/**
 * Why a call must not be made, or undefined. Limits are looked at in the order input, output, cost, total, and last the
 * limit of the run.
 */
export function refusal(
  spending: Spending,
  projection: SpendingProjection,
  budget: CallBudget | null | undefined,
  spentUsd: number,
  modelBudget: ModelBudget | null = null,
): { refusal: BudgetRefusal; message: string } | undefined {
  const { costUsd, inputTokens, outputTokens } = projection;
  const details = (limit: string, value: number): BudgetRefusal => ({
    limit,
    limit_value: value,
    projected_cost_usd: costUsd,
    session_cost_usd: spending.costUsd,
    projected_input_tokens: inputTokens,
    projected_output_tokens: outputTokens,
  });
  const over = (limit: string, value: number, what: string): { refusal: BudgetRefusal; message: string } => ({
    refusal: details(limit, value),
    message: `LLM budget exceeded before provider call: ${what} would exceed ${limit} ${value}`,
  });
  const { maxInputTokens, maxOutputTokens, maxCostUsd, totalBudgetUsd } = budget ?? callBudgetFields.usual;
  if (maxInputTokens !== null && inputTokens > maxInputTokens) {
    return over("max_input_tokens", maxInputTokens, `projected input tokens ${inputTokens}`);
  }
  if (maxOutputTokens !== null && outputTokens > maxOutputTokens) {
    return over("max_output_tokens", maxOutputTokens, `projected output tokens ${outputTokens}`);
  }
  const dollarLimits = [
    { limit: "max_cost_usd", value: maxCostUsd, before: 0 },
    { limit: "total_budget_usd", value: totalBudgetUsd, before: spentUsd },
    ...budgetsAround(modelBudget).map(({ limitUsd, committedUsd }) => ({
      limit: "total_budget_usd",
      value: limitUsd,
      before: committedUsd,
    })),
    { limit: "llm_budget", value: spending.limitUsd, before: spending.committedUsd },
  ];
  for (const { limit, value, before } of dollarLimits) {
    if (value === null) continue;
    if (costUsd === null) return { refusal: details(limit, value), message: unpricedText(limit) };
    if (before + costUsd > value) {
      const sum = before === 0 ? dollars(costUsd) : `${dollars(costUsd)} on top of ${dollars(before)}`;
      return over(limit, value, `projected cost ${sum}`);
    }
  }
  return undefined;
}

/** A budget and those around it, the innermost first. */
function budgetsAround(modelBudget: ModelBudget | null): ModelBudget[] {
  return modelBudget === null ? [] : [modelBudget, ...budgetsAround(modelBudget.parent)];
}

const unpricedText = (limit: string): string =>
  `LLM budget exceeded before provider call: the model has no price in the catalogue, so ${limit} can't be kept; name a priced model, add its pricing under [llm.models] in harn.toml, or drop the limit`;

const dollars = (usd: number): string => `$${usd.toFixed(6).replace(/0{1,4}$/, "")}`;
