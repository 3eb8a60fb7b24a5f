/** How a loop ends: what its result says as `status` and `stop_reason`, with what each means. */

interface LoopEnd {
  /** A sentence for people. */
  readonly means: string;
  /** Each `stop_reason` with what it means; where callers give words of their own, `others` says whose. */
  readonly reasons: Readonly<Record<string, string>>;
  readonly others?: string;
}

/** An end with one reason. */
const onlyBy = <R extends string>(reason: R, means: string) => ({
  means,
  reasons: { [reason]: "always" } as { readonly [K in R]: string },
});

export const loopEnds = {
  done: {
    means: "The work is done.",
    reasons: {
      natural: "a text without calls",
      sentinel: "the model said the word (`done_sentinel`)",
      work_complete: "a claim that passed (`completion`)",
      unclaimed_completion: "it was never claimed; the end was accepted at the bound",
      post_turn_stop: "`post_turn_callback` gave true, or `{stop: true}`",
      required_tools_satisfied: "a text, and `require_successful_tools` is met",
      stalled_done_judge: 'a judge with `when: "stalled"` accepted',
      wait_for_user: "the model handed over to the user (std/agent/chat)",
    },
    others: "the `stop_reason` of a callback",
  },
  stuck: {
    means: "The model went on without calls and without an answer.",
    reasons: {
      max_nudges: "more turns without calls in a row than `max_nudges`",
      empty_answer: "it said nothing, however often it was nudged",
      refusal: "it said nothing, and its vendor says that it declined; that is not asked again",
    },
  },
  stalled: {
    means: "Nothing new came of it.",
    reasons: {
      no_progress: "the option `stall`",
      doom_loop: "the option `doom_loop`",
      completion_refused: "the same refusal of its end three times, and nothing new between",
    },
  },
  budget_exhausted: {
    means: "A limit was reached.",
    reasons: {
      max_iterations: "turns",
      wall_clock_ms: "running time",
      total_cost_usd: "money of the loop",
      tokens: "tokens",
      tool_calls: "calls of tools",
      max_tokens: "an answer was cut by the token limit, and what followed too",
      circuit_breaker: "`consecutive_failures` of model calls",
      budget_exhausted: "the `budget` of the coming call: nothing was sent, `error` says which limit",
    },
  },
  verify_capped: {
    means: "A judge vetoed as often as it may.",
    reasons: {
      completion_judge_cap_reached: "`verify_completion_judge`",
      done_judge_cap_reached: "`done_judge`",
    },
  },
  verify_exhausted: {
    means: "More refusals of its end than `max_verify_attempts`.",
    reasons: {},
    others: "the reason that was proposed, or the gate that refused last (`contract` …)",
  },
  provider_error: onlyBy(
    "provider_error",
    "A model call failed; `error` has what the vendor said, `status` and `address`.",
  ),
  suspended: onlyBy("suspended", "It is parked: `reason` says why, `handle` resumes it."),
  failed: {
    means: "It could not be done.",
    reasons: {
      missing_required_tools: "`require_successful_tools` was not met, however the loop ended otherwise",
      contract_error: "a check of the contract failed with the same error three times",
      context_exhausted: "what can't be left out is more than the model takes in",
    },
  },
  idle: onlyBy("idle", "A daemon waits, and nothing in this run can wake it."),
  watchdog: onlyBy("watchdog", "A daemon waited, and nothing woke it in time."),
  blocked: onlyBy("user_prompt_submit_blocked", "A hook refused the prompt; no model was called."),
  stopped: {
    means: "`loop_control` said stop, without a `status` of its own.",
    reasons: { loop_control: "it gave no `reason`" },
    others: "its `reason`",
  },
  error: onlyBy("error", "What an `llm_caller` gave as its `status`, as any other word of its own."),
} as const satisfies Readonly<Record<string, LoopEnd>>;

export type LoopStatus = keyof typeof loopEnds;

/** `loop_control` and an `llm_caller` may give others. */
export const loopStatuses = Object.keys(loopEnds) as readonly LoopStatus[];
