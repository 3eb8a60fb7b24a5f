/** Values such as `event_log` and `workflow`: a namespace whose members are builtins. Loading one loads no area. */
import { BuiltinFunction, type Runtime } from "../interp/index.ts";
import { Dict, type Value } from "../values/index.ts";

/** The operations `NAME_operation` of the run's own table, under their short names. */
export const namespaceValue = (runtime: Runtime, name: string, operations: readonly string[]): Value =>
  Dict.from([
    ["_namespace", name as Value] as const,
    ...operations.flatMap((operation): (readonly [string, Value])[] => {
      const spec = runtime.builtins.get(`${name}_${operation}`);
      return spec === undefined ? [] : [[operation, new BuiltinFunction(spec)]];
    }),
  ]);
