/** Values that every program has besides the language's own: `harness`, `stream`, `event_log`, `workflow`, `skills` and `mcp`. */
import { BuiltinFunction, type Runtime, type Task } from "../interp/index.ts";
import type { GlobalMaker, Globals } from "../lower/index.ts";
import { projectClients } from "../mcp/index.ts";
import type { MaybePromise, Value } from "../values/index.ts";
import { streamNamespace, streamOperators } from "./data/streams.ts";
import { eventLogNamespace, eventLogOperations } from "./events/event-log/namespace.ts";
import { harnessMethods, harnessOf } from "./harness.ts";
import { workflowNamespace, workflowOperations } from "./work/workflow-mailbox/namespace.ts";

/** Names by the way in which a program writes the value: `stream`, `harness`, `harness.fs`. */
export const namespaceMembers = (): ReadonlyMap<string, readonly string[]> =>
  new Map([
    ["stream", streamOperators()],
    ["event_log", eventLogOperations],
    ["workflow", workflowOperations],
    ...harnessMethods(),
  ]);

/** By name; made when a program first reads one. */
export const builtinGlobals: Globals = new Map<string, GlobalMaker>([
  ["harness", harnessOf],
  ["stream", streamNamespace],
  ["event_log", eventLogNamespace],
  ["workflow", workflowNamespace],
  // Its repositories may have to be fetched.
  ["skills", Object.assign(skillsOf, { waits: true as const })],
  ["mcp", (_runtime, task) => projectClients(task)],
]);

/** The registry of `discover_skills()`, found when a program first reads the name. */
function skillsOf(runtime: Runtime, task: Task): MaybePromise<Value> {
  const spec = runtime.builtins.get("discover_skills");
  return spec === undefined ? null : new BuiltinFunction(spec).call(task, []);
}
