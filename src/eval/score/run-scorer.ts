/** Runs a scorer over an outcome. Whatever goes wrong in it leaves the trial unscored by it, and says so; it is never 0. */
import type { Task } from "../../interp/index.ts";
import { Dict, invoke2, List, ScriptError } from "../../values/index.ts";
import type { NamedScorer, Score } from "../plan/index.ts";
import { failedScore, readScore } from "./read-score.ts";

export interface Scored {
  /** What counts: draw 1, or draw 0 where several were drawn. */
  readonly verdict: Score;
  /** Draws 1 to j of a judge that draws several times; empty otherwise. */
  readonly draws: readonly Score[];
}

export async function runScorer(
  task: Task,
  scorer: Pick<NamedScorer, "name" | "threshold" | "score">,
  outcome: Dict,
  sample: Dict,
): Promise<Scored> {
  const { name, threshold, score } = scorer;
  try {
    const given = await invoke2(task, score, outcome, sample);
    const drawn = given instanceof Dict ? given.get("draws") : null;
    if (!(given instanceof Dict) || !(drawn instanceof List))
      return { verdict: readScore(given, { scorer: name, threshold, draw: 1 }), draws: [] };
    return {
      verdict: readScore(given, { scorer: name, threshold, draw: 0 }),
      draws: drawn.toArray().map((one, at) => readScore(one, { scorer: name, threshold, draw: at + 1 })),
    };
  } catch (error) {
    if (error instanceof ScriptError) return { verdict: failedScore(name, error), draws: [] };
    throw error;
  }
}

/** Whether a trial succeeded: 1 when all named scorers pass, 0 when one does not, null when one is unscored and none fails. */
export function successOf(names: readonly string[], verdicts: ReadonlyMap<string, Score>): 0 | 1 | null {
  const passes = names.map((name) => verdicts.get(name)?.pass ?? null);
  if (passes.includes(false)) return 0;
  return passes.includes(null) ? null : 1;
}
