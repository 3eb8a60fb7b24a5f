/** Which options `llm_call` knows (agents.md §1.1). */

const own = [
  "provider",
  "model",
  "model_tier",
  "max_tokens",
  "temperature",
  "top_p",
  "top_k",
  "stop",
  "seed",
  "frequency_penalty",
  "presence_penalty",
  "logprobs",
  "top_logprobs",
  "response_format",
  "schema",
  "json_schema",
  "output_schema",
  "output_format",
  "output_validation",
  "schema_retries",
  "schema_retry_nudge",
  "llm_retries",
  "llm_backoff_ms",
  "thinking",
  "reasoning_effort",
  "reasoning_policy",
  "thinking_policy",
  "reasoning_scale",
  "problem_scale",
  "reasoning_task",
  "interleaved_thinking",
  "anthropic_beta_features",
  "vision",
  "audio",
  "pdf",
  "video",
  "tools",
  "tool_choice",
  "tool_format",
  "tool_contract",
  "tool_search",
  "budget",
  "cache",
  "stream",
  "timeout",
  "timeout_ms",
  "idle_timeout",
  "idle_timeout_ms",
  "structural_experiment",
  "prefill",
  "session_id",
  "llm_transcript_dir",
  "transcript",
  "messages",
  "api_mode",
  "base_url",
  "schema_stream_abort",
  "route_policy",
  "routing_policy",
  "fallback_chain",
  "fast",
];

let known: { providers: readonly string[]; names: ReadonlySet<string> } | undefined;

/** All known names; a provider's name is one, for its body overrides. */
export function knownCallOptions(providers: readonly string[]): ReadonlySet<string> {
  // A manifest may name others: two runs of one process need not know the same.
  if (known === undefined || !sameNames(known.providers, providers))
    known = { providers, names: new Set([...own, ...providers]) };
  return known.names;
}

const sameNames = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name, index) => name === b[index]);
