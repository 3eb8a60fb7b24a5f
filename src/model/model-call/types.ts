/**
 * What `modelCall` takes and gives. It never throws for a failing call: failure is data, and only the builtin or the
 * loop decides whether it becomes an error of the script.
 */
import type { ModelError, ModelEvent, ModelResponse } from "../llm/index.ts";
import type { CallBudget } from "./call-fields.ts";
import type { Inspector } from "./inspected.ts";

export interface ModelCallOptions {
  /** Streamed pieces of every attempt, in order. A replayed call gives its text in one piece. Must not throw. */
  readonly onEvent?: (event: ModelEvent) => void;
  /** Makes one for each attempt; what it finds wrong ends the answer with category `schema_stream_aborted`. */
  readonly inspector?: (() => Inspector) | undefined;
  /**
   * The call is part of an effect that is recorded as a whole, and ends with this signal: it has no effect of its own, so no
   * rate limit holds it back. The run's models must have been asked for before (`modelsOf`).
   */
  readonly within?: AbortSignal;
  /** Ends the call with category `cancelled`, without ending the task. */
  readonly interrupt?: AbortSignal;
  /** Absent or null: two for live calls whose server was busy, broken or out of reach, none for mocks. */
  readonly retries?: CallRetries | number | null;
  /** False once something was shown that can't be taken back: the call is not tried again. */
  readonly mayRepeat?: () => boolean;
  /** Base of the doubling delay; default 250. `retry_after_ms` of the error wins. */
  readonly backoffMs?: number;
  readonly budget?: CallBudget | null;
  /** What `total_budget_usd` is counted against; default the whole session of the Runtime. */
  readonly spentUsd?: number;
  /** For events: what the request takes of what it may have. */
  readonly context?: { readonly tokens: number; readonly budget: number } | null;
  /** For events: whose call this is. */
  readonly sessionId?: string;
  /** 1-based turn of that session's loop; 0 for a plain `llm_call`. */
  readonly iteration?: number;
}

/** Further attempts of a call after failures that pass. */
export interface CallRetries {
  readonly passing: number;
  /** After an answer that took too long for its caller. */
  readonly late: number;
}

/** Details of a refused call that `budget_exceeded` errors carry. */
export interface BudgetRefusal {
  readonly limit: string;
  readonly limit_value: number;
  readonly projected_cost_usd: number | null;
  readonly session_cost_usd: number;
  readonly projected_input_tokens: number;
  readonly projected_output_tokens: number;
}

export type ModelCallResult =
  | {
      readonly ok: true;
      readonly response: ModelResponse;
      /** Requests sent, the successful one included. */
      readonly attempts: number;
      readonly durationMs: number;
      /** Answered by the mock (queue, fixture or default). */
      readonly mocked: boolean;
    }
  | {
      readonly ok: false;
      readonly error: ModelError;
      readonly partial: ModelResponse | null;
      readonly attempts: number;
      readonly durationMs: number;
      readonly mocked: boolean;
      readonly budget?: BudgetRefusal;
    };
