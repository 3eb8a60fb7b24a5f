/**
 * Agents that ended other than done, in a program that never looks how they ended (decisions, "A loop that ends other than
 * done"). A result that is shown, returned by the program, written as JSON, merged or iterated was looked at.
 */
import { describeSite, type Runtime, type Task, type UnseenEnd, unseenEnds } from "../../interp/index.ts";
import { Dict, display, type Value, WatchedDict } from "../../values/index.ts";

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
