/** What a trial may use at most. Null: no limit. A trial that meets one ends in order and is scored as it stands. */
export interface Limits {
  readonly turns: number | null;
  readonly toolCalls: number | null;
  /** Input and output, of all roles but the judge. */
  readonly tokens: number | null;
  /** US dollars, of all roles but the judge. */
  readonly costUsd: number | null;
  /** Working time, without waiting for connections, retries, permits and people. */
  readonly timeMs: number | null;
  /** Time by the clock on the wall. */
  readonly wallMs: number | null;
}

/** The name of a limit as scripts, outcomes and reports write it. */
export type LimitName = "turns" | "tool_calls" | "tokens" | "cost_usd" | "time" | "wall";

export const noLimits: Limits = {
  turns: null,
  toolCalls: null,
  tokens: null,
  costUsd: null,
  timeMs: null,
  wallMs: null,
};

/** Under each limit the smaller one: a sample narrows what its task allows. */
export function narrowed(task: Limits, sample: Limits): Limits {
  const least = (a: number | null, b: number | null): number | null =>
    a === null ? b : b === null ? a : Math.min(a, b);
  return {
    turns: least(task.turns, sample.turns),
    toolCalls: least(task.toolCalls, sample.toolCalls),
    tokens: least(task.tokens, sample.tokens),
    costUsd: least(task.costUsd, sample.costUsd),
    timeMs: least(task.timeMs, sample.timeMs),
    wallMs: least(task.wallMs, sample.wallMs),
  };
}
