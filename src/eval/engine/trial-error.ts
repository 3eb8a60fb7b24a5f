/**
 * What went wrong in a trial, and whose matter it is (docs/evals.md): the provider's and the environment's are tried again, a
 * wrong configuration stops the set, and what the script threw is the harness's. Never a failure of the agent.
 */
import type { CallRole, ModelError } from "../../model/index.ts";
import { Dict, display, type ScriptError, textOf, uncaughtText, type Value } from "../../values/index.ts";

export type TrialErrorCategory = "provider" | "environment" | "config" | "harness";

export interface TrialError {
  readonly category: TrialErrorCategory;
  readonly message: string;
}

/** Categories of model errors that pass without anybody's doing. */
const passing = new Set([
  "rate_limit",
  "overloaded",
  "server_error",
  "transient_network",
  "timeout",
  "circuit_open",
]);
/** Those that only another configuration mends. */
const wrong = new Set(["auth", "not_found"]);

/** What a script threw; what it threw as text is its own. */
export function errorOfTrial(error: ScriptError): TrialError {
  const { value } = error;
  if (error.kind === "thrown" && value instanceof Dict && typeof value.get("category") === "string")
    return errorOfDict(value);
  const message = uncaughtText(error);
  if (error.category !== undefined && passing.has(error.category)) return { category: "provider", message };
  if (/API key|api_key|unknown provider|unknown model|calls are disabled/i.test(message))
    return { category: "config", message };
  return { category: "harness", message };
}

/** An error dict of a model call. */
function errorOfDict(value: Dict): TrialError {
  const category = textOf(value.get("category") ?? "");
  const message = textOf(value.get("message") ?? display(value));
  const ofModel = typeof value.get("provider") === "string";
  if (ofModel && passing.has(category)) return { category: "provider", message };
  if (ofModel && wrong.has(category)) return { category: "config", message };
  if (category === "environment") return { category: "environment", message };
  return { category: "harness", message };
}

/** A model that could not be asked, whatever its program made of that; null for what it refuses. */
export function errorOfCall(role: CallRole, { category, message }: ModelError): TrialError | null {
  if (!passing.has(category)) return null;
  if (role === "user")
    return { category: "environment", message: `the model of the simulated user failed: ${message}` };
  return { category: "provider", message };
}

/** A loop that ended because its model did not answer; null for every other end, which is an outcome. */
export function errorOfResult(result: Value): TrialError | null {
  if (!(result instanceof Dict) || result.get("status") !== "provider_error") return null;
  const error = result.get("error");
  if (!(error instanceof Dict)) return { category: "provider", message: "the model did not answer" };
  const found = errorOfDict(error);
  // What a vendor refuses for good (a context that is full, a text that it won't answer) is what the agent came to.
  return found.category === "harness" ? null : found;
}

/** Whether a call was refused because a limit of the trial is reached, and which. */
export function limitOfError(value: Value): "cost_usd" | "tokens" | undefined {
  if (!(value instanceof Dict) || value.get("category") !== "budget_exceeded") return undefined;
  return value.get("limit") === "tokens" ? "tokens" : "cost_usd";
}
