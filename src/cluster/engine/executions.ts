/**
 * What the engine carries a job in. A workflow of one activity: what is generally available of it, cancelled in 50 ms, and schedules
 * start nothing else. Or the activity alone, which is quicker and a preview of the engine (1.32): one switch (`isAlone` of
 * `EngineOptions`), for the day that the preview ends; `npm run bench cluster` measures both.
 */
import type { Client } from "@temporalio/client";
import type { JobResult } from "../ports.ts";
import { attemptOptions, type CarriedOrder, workflowTypes } from "./order.ts";

type Sdk = typeof import("@temporalio/client");

/** What the engine says of one. */
export interface ExecutionState {
  readonly isOpen: boolean;
  /** Numbers of the attempts that a worker has in hand. */
  readonly inHand: readonly number[];
}

export interface Executions {
  /** When there is one of that id at work, that one is meant. */
  start(id: string, queue: string, order: CarriedOrder): Promise<unknown>;
  result(id: string): Promise<JobResult>;
  /** `runId`: of this one, and not of a later one of that id. */
  state(id: string, runId?: string): Promise<ExecutionState>;
  cancel(id: string): Promise<unknown>;
  /** Over at once, whatever a worker does. */
  terminate(id: string, why: string): Promise<unknown>;
  isUnknown(error: unknown): boolean;
  /** Why it failed; undefined: what was thrown says something else. */
  failureIn(error: unknown): { readonly cause: Error | undefined } | undefined;
}

/** States of an attempt that no worker has in hand: waiting, and held back by somebody. */
const idle: ReadonlySet<unknown> = new Set([1, 4, "SCHEDULED", "PAUSED", undefined]);

export function workflowsOfOne({ workflow }: Client, sdk: Sdk): Executions {
  const handle = (id: string, runId?: string) => workflow.getHandle(id, runId);
  return {
    start: (id, queue, order) =>
      workflow.start(workflowTypes[order.job.kind], {
        args: [order],
        taskQueue: queue,
        workflowId: id,
        workflowIdConflictPolicy: "USE_EXISTING",
        workflowIdReusePolicy: "ALLOW_DUPLICATE",
        priority: { fairnessKey: order.project },
      }),
    result: (id) => handle(id).result() as Promise<JobResult>,
    state: async (id, runId) => {
      const { status, raw } = await handle(id, runId).describe();
      const taken = raw.pendingActivities?.filter(({ state }) => !idle.has(state)) ?? [];
      return { isOpen: status.name === "RUNNING", inHand: taken.map(({ attempt }) => Number(attempt)) };
    },
    cancel: (id) => handle(id).cancel(),
    terminate: (id, why) => handle(id).terminate(why),
    isUnknown: (error) => error instanceof sdk.WorkflowNotFoundError,
    failureIn: (error) => (error instanceof sdk.WorkflowFailedError ? error : undefined),
  };
}

export function activitiesAlone({ activity }: Client, sdk: Sdk): Executions {
  const handle = (id: string, runId?: string) => activity.getHandle<JobResult>(id, runId);
  return {
    start: (id, queue, order) =>
      activity.start("perform", {
        id,
        args: [order],
        taskQueue: queue,
        idConflictPolicy: "USE_EXISTING",
        idReusePolicy: "ALLOW_DUPLICATE",
        priority: { fairnessKey: order.project },
        ...attemptOptions(order.leaseMs),
      }),
    result: (id) => handle(id).result(),
    state: async (id, runId) => {
      const { status, runState, attempt } = await handle(id, runId).describe();
      const isOpen = status === "RUNNING" || status === "PAUSED";
      return { isOpen, inHand: isOpen && !idle.has(runState) ? [attempt] : [] };
    },
    cancel: (id) => handle(id).cancel("the job was cancelled"),
    terminate: (id, why) => handle(id).terminate(why),
    isUnknown: (error) => error instanceof sdk.ActivityNotFoundError,
    failureIn: (error) => (error instanceof sdk.ActivityExecutionFailedError ? error : undefined),
  };
}
