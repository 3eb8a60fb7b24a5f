/** The namespace value `workflow`. Every program has it, so it loads nothing of the mailbox: that comes with its builtins. */
import type { Runtime } from "../../../interp/index.ts";
import type { Value } from "../../../values/index.ts";
import { namespaceValue } from "../../namespace-value.ts";

export const workflowOperations: readonly string[] = [
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
export const workflowNamespace = (runtime: Runtime): Value =>
  namespaceValue(runtime, "workflow", workflowOperations);
