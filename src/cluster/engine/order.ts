/** What a job looks like inside the engine: the input of its workflow, and of the activity in it. Older and newer workers read it. */
import type { Job, JobKind } from "../ports.ts";

export interface CarriedOrder {
  readonly job: Job;
  /** Of whoever handed it out. */
  readonly leaseMs: number;
  /** Whose share of the queue it is of. */
  readonly project: string;
}

/** Names of the workflows: `workflow.ts` exports them. */
export const workflowTypes = { run: "harnRun", trials: "harnTrials" } as const satisfies Record<
  JobKind,
  string
>;

/** How an attempt of a job is watched, and made again. */
export const attemptOptions = (leaseMs: number) =>
  ({
    heartbeatTimeout: leaseMs,
    startToCloseTimeout: "365 days",
    retry: { initialInterval: "1 second", backoffCoefficient: 2, maximumInterval: "30 seconds" },
  }) as const;

/** The engine's id of a job, or name of a queue: projects do not see each other. */
export const ownName = (project: string, name: string): string => `${project}/${name}`;
