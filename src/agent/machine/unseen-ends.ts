/**
 * Agents that ended other than done, in a program that never looks how they ended (decisions, "A loop that ends other than
 * done"). A result that is shown, returned by the program, written as JSON, merged or iterated was looked at.
 */
import { runEvents } from "../../events/index.ts";
import { type FailedCall, failedCallText } from "../../events/wire/index.ts";
import {
  agentOutcome,
  describeSite,
  notifyPerson,
  type Runtime,
  stateKey,
  type Task,
  type UnseenEnd,
  unseenEnds,
} from "../../interp/index.ts";
import { Dict, display, type Value, WatchedDict } from "../../values/index.ts";
import type { Loop } from "../state/loop-state.ts";
import { badOutcome } from "./outcome.ts";

const endEvents: ReadonlySet<string> = new Set([
  "status",
  "final_status",
  "stop_reason",
  "ok",
  "error",
  "error_envelope",
  "daemon_state",
  "acp_stop_reason",
  "trace",
]);

/** Ends that are no failures: it did its work, or waits for more of it. */
const expected: ReadonlySet<string> = new Set(["done", "idle", "suspended"]);

/** Gives the result of a loop to a script, watched when it is not what one expects. */
export function watchedResult(task: Task, result: Dict): Dict {
  const status = display(result.get("status") ?? "done");
  if (expected.has(status)) return result;
  const reason = display(result.get("stop_reason") ?? "");
  return watchEnd(task, result, reason === "" || reason === status ? status : `${status} (${reason})`);
}

/** The same for the envelope of a sub-agent. */
export function watchedEnvelope(task: Task, envelope: Value): Value {
  if (!(envelope instanceof Dict) || envelope.get("ok") !== false) return envelope;
  const error = envelope.get("error");
  const category = error instanceof Dict ? error.get("category") : undefined;
  if (category === "suspended") return envelope;
  const message = error instanceof Dict ? error.get("message") : undefined;
  return watchEnd(task, envelope, [category, message].filter((part) => typeof part === "string").join(": "));
}

function watchEnd(task: Task, result: Dict, how: string): Dict {
  const end = noteUnseenEnd(task.runtime, callSite(task), how);
  return watchedView(task.runtime, result, endEvents, end);
}

/** Where a script began an agent, as reports say it. */
export const callSite = (task: Task): string =>
  task.site === undefined ? "" : `${describeSite(task.site)}: `;

/** An agent has ended as nobody expects, and nobody knows it yet. `how`: its status and why. */
export function noteUnseenEnd(runtime: Runtime, at: string, how: string): UnseenEnd {
  const end: UnseenEnd = { what: "agent", result: undefined, at, text: how.split("\n", 1)[0] ?? "" };
  runtime.state(unseenEnds).add(end);
  return end;
}

const describingHandles: ReadonlySet<string> = new Set([...endEvents, "result"]);

/** The handle of a worker that ended so, as a script gets it. */
export const watchedHandle = (runtime: Runtime, handle: Dict, end: UnseenEnd): Dict =>
  watchedView(runtime, handle, describingHandles, end);

function watchedView(runtime: Runtime, result: Dict, keys: ReadonlySet<string>, end: UnseenEnd): Dict {
  const watched = new WatchedDict(result, keys, () => void runtime.state(unseenEnds).delete(end));
  end.result = watched;
  return watched;
}

/** Failures of model calls that were told already. */
const reportedFailures = stateKey<Set<string>>("reported failures of models", () => new Set());

/** How the run's own agent ended is kept for whoever looks at the run; a failed model call is told once, whoever waited for it. */
export function reportLoopEnd(task: Task, loop: Loop, error: FailedCall | null): void {
  const { runtime } = task;
  const { identity, state } = loop;
  const isOthers = runtime.state(runEvents).others.has(identity.id);
  if (identity.parent === null && !isOthers && state.end !== null)
    runtime.state(agentOutcome).bad = badOutcome(loop, state.end.status, state.end.reason);
  if (error === null || error.category === "budget_exceeded") return;
  const text = failedCallText(error);
  const reported = runtime.state(reportedFailures);
  if (reported.has(text)) return;
  reported.add(text);
  notifyPerson(runtime, `harn: ${callSite(task)}a model call of this agent failed: ${text}\n`);
}
