/** Error categories and how a text is classified (builtins.md §2.3): a status number first, then known words. */

export const errorCategories: ReadonlySet<string> = new Set([
  "timeout",
  "auth",
  "rate_limit",
  "overloaded",
  "server_error",
  "transient_network",
  "schema_validation",
  "tool_error",
  "tool_rejected",
  "egress_blocked",
  "cancelled",
  "not_found",
  "circuit_open",
  "budget_exceeded",
  "generic",
  "schema_stream_aborted",
  "channel_closed",
]);

/** Worth another attempt. */
export const transientCategories: ReadonlySet<string> = new Set([
  "timeout",
  "rate_limit",
  "overloaded",
  "server_error",
  "transient_network",
]);

const byStatus: ReadonlyMap<string, string> = new Map([
  ["401", "auth"],
  ["403", "auth"],
  ["404", "not_found"],
  ["410", "not_found"],
  ["408", "timeout"],
  ["504", "timeout"],
  ["522", "timeout"],
  ["524", "timeout"],
  ["429", "rate_limit"],
  ["503", "overloaded"],
  ["529", "overloaded"],
  ["500", "server_error"],
  ["502", "server_error"],
]);

/** Matched as written, in this order. */
const words: readonly (readonly [string, string])[] = [
  ["Deadline exceeded", "timeout"],
  ["context deadline exceeded", "timeout"],
  ["overloaded_error", "overloaded"],
  ["api_error", "server_error"],
  ["insufficient_quota", "rate_limit"],
  ["billing_hard_limit_reached", "rate_limit"],
  ["invalid_api_key", "auth"],
  ["authentication_error", "auth"],
  ["not_found_error", "not_found"],
  ["model_not_found", "not_found"],
  ["circuit_open", "circuit_open"],
];

/** Matched in any case. */
const networkWords = [
  "connection reset",
  "connection refused",
  "connection closed",
  "broken pipe",
  "dns error",
  "stream error",
  "unexpected eof",
];

/** The category that a text suggests; `generic` when none. */
export function classifyError(text: string): string {
  // A categorised error that was caught names its category.
  const named = /^Error \[(\w+)\]: /.exec(text)?.[1];
  if (named !== undefined && errorCategories.has(named)) return named;
  for (const [status] of text.matchAll(/(?<!\d)[45]\d\d(?!\d)/g)) {
    const category = byStatus.get(status);
    if (category !== undefined) return category;
  }
  for (const [word, category] of words) if (text.includes(word)) return category;
  const lower = text.toLowerCase();
  return networkWords.some((word) => lower.includes(word)) ? "transient_network" : "generic";
}
