/**
 * Values that every program has besides the language's own: `harness`, `stream`, `event_log`, `workflow`, `skills` and `mcp`. None
 * of them loads an area: that comes with its builtins.
 */

import { BuiltinFunction, type Runtime, type Task } from "../interp/index.ts";
import type { GlobalMaker, Globals } from "../lower/index.ts";
import { projectClients } from "../mcp/index.ts";
import { Dict, type MaybePromise, type Value } from "../values/index.ts";
import { streamNamespace, streamOperators } from "./data/streams.ts";
import { harnessMethods, harnessOf } from "./harness.ts";

/** The operations `NAME_operation` of the run's own table, under their short names. */
const namespaceValue = (runtime: Runtime, name: string, operations: readonly string[]): Value =>
  Dict.from([
    ["_namespace", name as Value] as const,
    ...operations.flatMap((operation): (readonly [string, Value])[] => {
      const spec = runtime.builtins.get(`${name}_${operation}`);
      return spec === undefined ? [] : [[operation, new BuiltinFunction(spec)]];
    }),
  ]);

const workflowOperations: readonly string[] = [
  "signal",
  "receive",
  "publish_query",
  "query",
  "update",
  "respond_update",
  "pause",
  "resume",
  "status",
  "continue_as_new",
];

/** The value of `workflow`: its operations as functions of the run's own table. */
const workflowNamespace = (runtime: Runtime): Value =>
  namespaceValue(runtime, "workflow", workflowOperations);

const eventLogOperations: readonly string[] = ["emit", "latest", "read", "topics", "describe", "subscribe"];

/** The value of `event_log`: its operations as functions of the run's own table. */
const eventLogNamespace = (runtime: Runtime): Value =>
  namespaceValue(runtime, "event_log", eventLogOperations);

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
