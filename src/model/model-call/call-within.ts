/**
 * A model call in the middle of an effect that is recorded as a whole: a server that asks for a model while it works. It is
 * priced, limited and booked like every other; what it did goes into the record of that effect, and a replay books it from
 * there.
 */

import { placeOf } from "../../events/index.ts";
import type { Task } from "../../interp/index.ts";
import type { ModelRequest, ModelResponse } from "../llm/index.ts";
import type { CallBudget } from "./call-fields.ts";
import { modelBudgetOf } from "./model-budget.ts";
import { emitUsage, modelCall } from "./model-call.ts";
import { modelsOf } from "./models.ts";
import type { ModelCallResult } from "./types.ts";

/** A call as it was booked. */
export interface BookedCall {
  readonly request: ModelRequest;
  readonly response: ModelResponse;
  readonly durationMs: number;
  /** The mock answered: a replay lets it answer again, so that its queue and its log are the same. */
  readonly mocked: boolean;
}

export async function callWithin(
  task: Task,
  request: ModelRequest,
  signal: AbortSignal,
  budget: CallBudget | null,
): Promise<{ readonly result: ModelCallResult; readonly booked: readonly BookedCall[] }> {
  const result = await modelCall(task, request, {
    within: signal,
    ...(budget === undefined ? {} : { budget }),
  });
  const { durationMs, mocked } = result;
  const response = result.ok ? result.response : result.partial;
  const booked = response === null ? [] : [{ request, response, durationMs, mocked }];
  return { result, booked };
}

export function bookAgain(task: Task, calls: readonly BookedCall[]): void {
  const models = modelsOf(task);
  const modelBudget = modelBudgetOf(task);
  for (const { request, response, durationMs, mocked } of calls) {
    // Its answer is known; what it does to the state of the mock is done at once.
    if (mocked) void models.client.stream(request);
    models.spending.settle(response, durationMs, true);
    modelBudget?.book(response.cost_usd, response.usage.input_tokens + response.usage.output_tokens);
    emitUsage(task, placeOf(task), "aside", response, durationMs);
  }
}
