/** What a run record is judged by: scorers that find what is wrong, a sentence each. A record passes where nothing is found. */
import { Dict, List } from "../../values/index.ts";
import type { Score } from "../plan/index.ts";
import { readScore } from "../score/index.ts";

export interface RecordScorer {
  readonly name: string;
  /** Throws what can't be meant. */
  readonly failures: (run: Dict) => readonly string[];
}

/** A scorer's word on a record, in the form that every scorer has. */
export function scoreRecord({ name, failures }: RecordScorer, run: Dict): Score {
  const found = failures(run);
  const dict = Dict.of({
    value: found.length === 0 ? 1 : 0,
    pass: found.length === 0,
    why: found.length === 0 ? null : found.join("\n"),
    meta: Dict.of({ failures: new List([...found]) }),
  });
  return readScore(dict, { scorer: name, threshold: 1, draw: 1 });
}

/** The sentences of scores, in order. */
export const failuresOf = (scores: readonly Score[]): string[] =>
  scores.flatMap(({ meta }) => {
    const found = meta?.get("failures");
    return found instanceof List ? found.toArray().map(String) : [];
  });
