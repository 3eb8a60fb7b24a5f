/** Runs a scorer over an outcome. Whatever goes wrong in it leaves the trial unscored by it, and says so; it is never 0. */
import type { Task } from "../../interp/index.ts";
import { Dict, invoke2, List, ScriptError } from "../../values/index.ts";
import type { NamedScorer, Score } from "../plan/index.ts";
import { failedScore, scoreFrom } from "./read-score.ts";

/** The draws of a scorer, from 1 on: one, or as many as a judge draws. */
export async function runScorer(
  task: Task,
  scorer: Pick<NamedScorer, "name" | "threshold" | "score">,
  outcome: Dict,
  sample: Dict,
): Promise<readonly Score[]> {
  const { name, threshold, score } = scorer;
  try {
    const answer = await invoke2(task, score, outcome, sample);
    const drawn = answer instanceof Dict ? answer.get("draws") : null;
    const draws = drawn instanceof List ? drawn.toArray() : [answer];
    return draws.map((one, at) => scoreFrom(one, { scorer: name, threshold, draw: at + 1 }));
  } catch (error) {
    if (error instanceof ScriptError) return [failedScore(name, error)];
    throw error;
  }
}
