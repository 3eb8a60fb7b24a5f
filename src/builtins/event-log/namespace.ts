/** The namespace value `event_log`. Every program has it, so it loads nothing of the log itself: that comes with its builtins. */
import { BuiltinFunction, type Runtime } from "../../interp/index.ts";
import { Dict, type Value } from "../../values/index.ts";

const operations = ["emit", "latest", "read", "topics", "describe", "subscribe"] as const;

/** The value of `event_log`: its operations as functions of the run's own table. */
export const eventLogNamespace = (runtime: Runtime): Value =>
  Dict.from([
    ["_namespace", "event_log" as Value] as const,
    ...operations.flatMap((name): (readonly [string, Value])[] => {
      const spec = runtime.builtins.get(`event_log_${name}`);
      return spec === undefined ? [] : [[name, new BuiltinFunction(spec)]];
    }),
  ]);
