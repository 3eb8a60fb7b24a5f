/** Who is to blame for a trial that did not succeed: the first rule that fits. */
import type { Blame, Fault, Score } from "../plan/index.ts";

export interface BlameFacts {
  /** Category of the error that ended the trial. */
  readonly errorCategory: string | null;
  /** 1, 0, or null for unscored. */
  readonly success: 0 | 1 | null;
  readonly scores: readonly Score[];
  /** Scorers that must pass. */
  readonly deciding: readonly string[];
  /** False: the oracle does not pass on this sample either; null: nobody knows. */
  readonly oraclePasses: boolean | null;
  readonly faults: readonly Fault[];
}

/** Null for a trial that succeeded. What replacing roles showed (crossed re-runs) is decided by whoever ran them. */
export function blameOf(facts: BlameFacts): Blame | null {
  const { errorCategory, success, scores, oraclePasses, faults } = facts;
  if (success === 1 && errorCategory === null) return null;
  if (errorCategory === "harness" || scores.some(isScorersFault)) return "harness";
  if (errorCategory !== null) return "environment";
  if (oraclePasses === false || scores.some(({ error }) => error?.code === "HARN-EVL-033")) return "task";
  if (faults.some(({ severity }) => severity === "hindered")) return "user";
  if (isJudgeSplit(facts)) return "judge";
  return "agent";
}

/** A success that the user's fault helped to is shown as such. */
export const isHelped = (success: 0 | 1 | null, faults: readonly Fault[]): boolean =>
  success === 1 && faults.some(({ severity }) => severity === "helped");

/** A scorer that threw; a judge that gave no verdict has not. */
const isScorersFault = ({ error }: Score): boolean =>
  error !== null && error.code !== "judge_error" && error.code !== "HARN-EVL-033";

/** One changed vote changes the verdict of a judge that draws several times, or that is a panel, and decides. */
function isJudgeSplit({ scores, deciding }: BlameFacts): boolean {
  const broken = scores.some(
    ({ scorer, error }) => deciding.includes(scorer) && error?.code === "judge_error",
  );
  return (
    broken ||
    deciding.some((name) => {
      const draws = scores.filter(({ scorer }) => scorer === name);
      if (draws.length === 1) return panelIsSplit(draws[0] as Score);
      const passed = draws.filter(({ pass }) => pass === true).length;
      const voted = draws.filter(({ pass }) => pass !== null).length;
      return passed * 2 <= voted && (passed + 1) * 2 > voted && voted > 1;
    })
  );
}

/** Parts `judge_1`, `judge_2` … of a panel: half of them, less one vote, were for it. */
function panelIsSplit({ parts, pass, meta }: Score): boolean {
  if (pass !== false || meta?.get("split") !== true) return false;
  const votes = Object.entries(parts).filter(([name]) => /^judge_\d+$/.test(name));
  const passed = votes.filter(([, value]) => value >= 1).length;
  return (passed + 1) * 2 > votes.length;
}
