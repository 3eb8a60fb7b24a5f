/** The namespace value `event_log`. Every program has it, so it loads nothing of the log itself: that comes with its builtins. */
import type { Runtime } from "../../../interp/index.ts";
import type { Value } from "../../../values/index.ts";
import { namespaceValue } from "../../namespace-value.ts";

export const eventLogOperations: readonly string[] = [
  "emit",
  "latest",
  "read",
  "topics",
  "describe",
  "subscribe",
];

/** The value of `event_log`: its operations as functions of the run's own table. */
export const eventLogNamespace = (runtime: Runtime): Value =>
  namespaceValue(runtime, "event_log", eventLogOperations);
