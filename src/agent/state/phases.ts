/**
 * Phases of a turn, as those see them who want to know exactly where a loop is: `harn torture --phases` kills a run in each of
 * them. Nobody else is told: what a program may know are events.
 */
import { stateKey } from "../../interp/index.ts";

/** In the order of a turn. `gate` to `settle` come once per call or batch; those of a compaction where there is one. */
export const loopPhases = [
  "repair",
  "compaction.plan",
  "compaction.summary",
  "compaction.commit",
  "context",
  "model",
  "read",
  "gate",
  "tool",
  "settle",
  "check",
  "decide",
  "continue",
] as const;
export type LoopPhase = (typeof loopPhases)[number];

export type PhaseObserver = (phase: LoopPhase) => void;

/** Of a run. */
export const phaseObserver = stateKey<{ reached: PhaseObserver }>("agent.phases", () => ({
  reached: () => {},
}));
