/** What a trial may use at most. Null: no limit. A trial that meets one ends in order and is scored as it stands. */
import { type Read, row, rows } from "../../table/index.ts";

const time = (doc: string) => row.duration(doc).where("a time above 0", (ms) => ms > 0);

export const limitFields = rows(
  () => ({
    turns: row.int("Turns of the agent.", null, { min: 1 }),
    tool_calls: row.int("Tool calls of the agent.", null, { min: 0 }),
    tokens: row.int("Tokens in and out, of all roles but the judge.", null, { min: 1 }),
    cost_usd: row.number("Dollars, of all roles but the judge.", null, { min: 0 }),
    time: time("Working time: without waiting for connections, retries and people."),
    wall: time("Time by the clock on the wall."),
  }),
  { strict: true },
);

/** The name of a limit as scripts, outcomes and reports write it. */
export type LimitName = "turns" | "tool_calls" | "tokens" | "cost_usd" | "time" | "wall";

const trialLimits = ({ time, wall, ...counts }: Read<typeof limitFields>) => ({
  ...counts,
  timeMs: time,
  wallMs: wall,
});
export type TrialLimits = Readonly<ReturnType<typeof trialLimits>>;

export const noLimits: TrialLimits = trialLimits(limitFields.usual);

/** Of a task or, narrowing it, of a sample. */
export const limitsRow = (doc = "") => row.dict(limitFields, doc).bounds().to(trialLimits).or(noLimits);

/** Under each limit the smaller one: a sample narrows what its task allows. */
export function narrowed(task: TrialLimits, sample: TrialLimits): TrialLimits {
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
