/** Values that every program has besides the language's own: `harness` and `stream`. */
import type { Runtime } from "../interp/index.ts";
import type { Value } from "../values/index.ts";
import { harnessOf } from "./harness.ts";
import { streamNamespace } from "./streams.ts";

/** By name; made when a program first reads one. */
export const builtinGlobals: ReadonlyMap<string, (runtime: Runtime) => Value> = new Map([
  ["harness", harnessOf],
  ["stream", streamNamespace],
]);
