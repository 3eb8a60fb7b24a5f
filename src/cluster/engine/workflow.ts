/**
 * The workflow of a job, which runs in the engine's sandbox: one activity, made again until it has an end, and cancelled with its
 * workflow. Bundled by itself at build (`scripts/engine-workflow.ts`); nobody imports it.
 *
 * Workers of several versions replay each other's: it schedules one activity and nothing else, whatever the version. What may change
 * are the options of the activity.
 */
import { ActivityCancellationType, proxyActivities } from "@temporalio/workflow";
import type { JobResult } from "../ports.ts";
import { attemptOptions, type CarriedOrder } from "./order.ts";

interface JobActivities {
  perform(order: CarriedOrder): Promise<JobResult>;
}

async function handOut(order: CarriedOrder): Promise<JobResult> {
  const { perform } = proxyActivities<JobActivities>({
    ...attemptOptions(order.leaseMs),
    // Over is what the worker says is over: its child and what that started have ended.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  });
  return await perform(order);
}

export { handOut as harnRun, handOut as harnTrials };
