/** What a scorer may need beside outcome and sample. Whoever scores a trial fills it in; elsewhere it is empty. */
import type { StateKey } from "../../interp/index.ts";

export interface ScoringContext {
  /** Name of the task whose outcome is scored. */
  task: string | null;
  /** Absolute path of the trial's folder; null without a sandbox. */
  sandbox: string | null;
  /** How often the judge that is at work draws, in the place of what it was declared with; null: as declared. */
  draws: number | null;
}

/** `task.runtime.state(scoringContext)` */
export const scoringContext: StateKey<ScoringContext> = {
  name: "scoring context",
  create: () => ({ task: null, sandbox: null, draws: null }),
};
