/** Values that every program has besides the language's own: `harness`, `stream` and `event_log`. */
import type { Runtime } from "../interp/index.ts";
import type { Value } from "../values/index.ts";
import { eventLogNamespace } from "./event-log/index.ts";
import { harnessOf } from "./harness.ts";
import { streamNamespace } from "./streams.ts";

/** By name; made when a program first reads one. */
export const builtinGlobals: ReadonlyMap<string, (runtime: Runtime) => Value> = new Map([
  ["harness", harnessOf],
  ["stream", streamNamespace],
  ["event_log", eventLogNamespace],
]);
