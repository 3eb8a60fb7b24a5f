/** `retry_policy`: a node that fails is tried again, and every attempt is written down. */
import { backoffMs } from "../../../effects/index.ts";
import { newId, pauseTask, sleepInMock, type Task } from "../../../interp/index.ts";
import { Dict, List, numericValue, option, ScriptError, uncaughtText } from "../../../values/index.ts";
import { policyCount } from "../schedule.ts";
import { broken, type NodeResult } from "./node-result.ts";
import { shortcomings } from "./verification.ts";

export interface NodeAttempts {
  readonly result: NodeResult;
  readonly attempts: List;
}

/** Tries `perform` as often as the node's policy says; it is told what went wrong before. */
export async function withRetries(
  task: Task,
  node: Dict,
  perform: (shortcoming: string) => Promise<NodeResult> | NodeResult,
): Promise<NodeAttempts> {
  const policy = node.get("retry_policy");
  const max = node.get("kind") === "repair" ? 1 : (policyCount(node, "retry_policy", "max_attempts") ?? 1);
  const attempts: Dict[] = [];
  let shortcoming = "";
  for (let attempt = 1; ; attempt++) {
    const startedAt = newId(task);
    const result = await guarded(task, () => perform(option(policy, "repair") === true ? shortcoming : ""));
    attempts.push(attemptRecord(attempt, startedAt, newId(task), result));
    const unverified = result.outcome === "verification_failed";
    const again = result.status === "failed" && !(unverified && option(policy, "verify") === false);
    if (!again || attempt >= max) return { result, attempts: new List(attempts) };
    shortcoming = shortcomingOf(result);
    await waitBeforeRetry(task, policy, attempt);
  }
}

/** What a node throws is how it ended; what ends the program around the run is not the node's. */
async function guarded(task: Task, perform: () => Promise<NodeResult> | NodeResult): Promise<NodeResult> {
  try {
    return await perform();
  } catch (error) {
    if (!(error instanceof ScriptError) || isEnded(task)) throw error;
    return broken(errorText(error));
  }
}

/** A deadline around the run is over, or the task was asked to end: errors that say so look like any other. */
function isEnded(task: Task): boolean {
  for (let deadline = task.deadline; deadline !== undefined; deadline = deadline.outer)
    if (deadline.fired) return true;
  return task.blockingError !== undefined;
}

function errorText(error: ScriptError): string {
  const { value } = error;
  if (typeof value === "string") return value;
  const message = value instanceof Dict ? value.get("message") : null;
  return typeof message === "string" ? message : uncaughtText(error);
}

function shortcomingOf({ error, verification }: NodeResult): string {
  if (error !== null) return error;
  return verification === null ? "" : shortcomings(verification);
}

function attemptRecord(attempt: number, startedAt: string, finishedAt: string, result: NodeResult): Dict {
  return Dict.of({
    attempt,
    status: result.status,
    outcome: result.outcome,
    branch: result.branch,
    error: result.error,
    verification: result.verification,
    started_at: startedAt,
    finished_at: finishedAt,
  });
}

async function waitBeforeRetry(
  task: Task,
  policy: Parameters<typeof option>[0],
  attempt: number,
): Promise<void> {
  const baseMs = numericValue(option(policy, "backoff_ms")) ?? 0;
  const factor = numericValue(option(policy, "backoff_multiplier")) ?? 1;
  const ms = Math.round(backoffMs({ baseMs, factor }, attempt));
  if (ms > 0 && !sleepInMock(task, ms)) await pauseTask(task, ms);
}
