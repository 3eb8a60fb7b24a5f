/**
 * Model errors (agents.md §1.7): categories, what each means, how statuses and wordings map to them.
 *
 * One table says kind and reason per category; the message's wording may refine the reason (a full context window
 * arrives as HTTP 400 and must not look like a bug of the script). `ModelError` is data; scripts catch `errorDict`.
 */
import type { ErrorCategory, JsonObject, ModelError } from "./port.ts";

/** A longer wait than this is never asked for, whatever a server says. */
export const maxRetryAfterMs = 60_000;

const meaning: { [C in ErrorCategory]: readonly [ModelError["kind"], string] } = {
  rate_limit: ["transient", "rate_limit"],
  overloaded: ["transient", "server_error"],
  server_error: ["transient", "server_error"],
  transient_network: ["transient", "network_error"],
  timeout: ["transient", "timeout"],
  auth: ["terminal", "auth_failure"],
  not_found: ["terminal", "model_unavailable"],
  schema_validation: ["terminal", "unknown"],
  tool_error: ["terminal", "unknown"],
  tool_rejected: ["terminal", "unknown"],
  cancelled: ["terminal", "cancelled"],
  circuit_open: ["terminal", "circuit_open"],
  budget_exceeded: ["terminal", "budget_exceeded"],
  egress_blocked: ["terminal", "egress_blocked"],
  schema_stream_aborted: ["terminal", "schema_stream_aborted"],
  generic: ["terminal", "unknown"],
};

const wordings: readonly (readonly [RegExp, string])[] = [
  [
    /context[ _-](?:window|length)|context_length_exceeded|prompt is too long|maximum context|too many tokens/i,
    "context_overflow",
  ],
  [
    /content[ _](?:policy|filter)|safety (?:system|policy|filter)|content management policy|responsible ai/i,
    "content_policy",
  ],
  [/insufficient_quota|exceeded your current quota/i, "quota"],
];

/** What is known about a failure; the rest is derived. */
export interface ErrorFacts {
  category: ErrorCategory;
  message: string;
  provider: string;
  model: string;
  kind?: ModelError["kind"];
  reason?: string;
  status?: number;
  address?: string;
  retryAfterMs?: number;
  /** It would fail in the same way at once. */
  lasts?: boolean;
}

/** Completes a failure: kind, reason, retry-after and whether repeating it unchanged can help. */
export function makeModelError(facts: ErrorFacts): ModelError {
  const [kind, reason] = meaning[facts.category];
  const error: ModelError = {
    kind: facts.kind ?? kind,
    reason: facts.reason ?? sniffReason(facts.message) ?? reason,
    category: facts.category,
    message: facts.message,
    provider: facts.provider,
    model: facts.model,
    retryable: false,
  };
  if (facts.status !== undefined) error.status = facts.status;
  if (facts.address !== undefined) error.address = facts.address;
  const wait = facts.retryAfterMs ?? retryAfterInText(facts.message);
  if (wait !== undefined) error.retry_after_ms = Math.min(Math.max(0, Math.round(wait)), maxRetryAfterMs);
  // A used-up quota answers 429 for ever: waiting does not help, paying does.
  error.retryable = error.kind === "transient" && error.reason !== "quota" && facts.lasts !== true;
  return error;
}

/** The dict that scripts catch: the fields of agents.md §1.7, and the address. */
export function errorDict(error: ModelError): JsonObject {
  const dict: JsonObject = {
    kind: error.kind,
    reason: error.reason,
    category: error.category,
    message: error.message,
    provider: error.provider,
    model: error.model,
  };
  if (error.retry_after_ms !== undefined) dict.retry_after_ms = error.retry_after_ms;
  if (error.status !== undefined) dict.status = error.status;
  if (error.address !== undefined) dict.address = error.address;
  return dict;
}

/** The kind and reason that a category has of itself. */
export function meaningOf(category: ErrorCategory): { kind: ModelError["kind"]; reason: string } {
  const [kind, reason] = meaning[category];
  return { kind, reason };
}

/** What an HTTP status says. */
export function categoryOfStatus(status: number): ErrorCategory {
  if (status === 401 || status === 403) return "auth";
  if (status === 404 || status === 410) return "not_found";
  if (status === 408 || status === 504 || status === 522 || status === 524) return "timeout";
  if (status === 429) return "rate_limit";
  if (status === 503 || status === 529) return "overloaded";
  return status >= 500 ? "server_error" : "generic";
}

/** The category a reason belongs to, for errors that name only their reason. */
export function categoryOfReason(reason: string): ErrorCategory | undefined {
  if (reason === "server_error") return "server_error";
  for (const [category, [, own]] of Object.entries(meaning)) {
    if (own === reason && own !== "unknown") return category as ErrorCategory;
  }
  return undefined;
}

/** A more telling reason, when the wording gives one away. */
export function sniffReason(message: string): string | undefined {
  return wordings.find(([pattern]) => pattern.test(message))?.[1];
}

/**
 * How vendors say that a history is malformed: calls and results that do not fit each other, a first message of the wrong
 * role, empty messages, reasoning that does not go with its answer.
 */
const malformedHistory = [
  /tool_use.{0,80}without.{0,40}tool_result|unexpected.{0,20}tool_use_id/is,
  /tool_calls.{0,80}must be followed by tool messages|role 'tool' must be a response/is,
  /no tool (?:output|call) found for function call/i,
  /function (?:call|response) (?:turn|parts)/i,
  /first message must use the "?user"? role|roles must alternate/i,
  /(?:must have|be) non-empty(?: content)?|text content blocks must/i,
  /without its required following item|expected `?(?:redacted_)?thinking|invalid `?signature`? in `?thinking/i,
];

/** Whether a vendor did not take a request because of the messages that it goes on from. */
export const refusesHistory = ({ category, message }: ModelError): boolean =>
  category === "generic" && malformedHistory.some((wording) => wording.test(message));

/** Reads a `retry-after: <seconds>` line; milliseconds. */
export function retryAfterInText(message: string): number | undefined {
  const found = /retry-after:\s*(\d+(?:\.\d+)?)/i.exec(message);
  return found ? Math.min(Number(found[1]) * 1000, maxRetryAfterMs) : undefined;
}

/** A mistake in an argument or a file, found before any call. Scripts see `message` as a plain thrown string. */
export class LlmUsageError extends Error {
  override name = "LlmUsageError";
}
