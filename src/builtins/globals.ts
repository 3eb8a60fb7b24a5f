/** Values (not functions) that every program has. */
import type { Runtime } from "../interp/index.ts";
import { Float, List, type Value } from "../values/index.ts";

const makers: ReadonlyMap<string, (runtime: Runtime) => Value> = new Map<string, (runtime: Runtime) => Value>(
  [
    ["pi", () => new Float(Math.PI)],
    ["e", () => new Float(Math.E)],
    ["argv", (runtime) => new List([...runtime.args])],
  ],
);

/** The names, for the resolver. */
export function globalNames(): Iterable<string> {
  return makers.keys();
}

export function isGlobalName(name: string): boolean {
  return makers.has(name);
}

/** The value of a global; `undefined` for a name that is none. */
export function globalValue(runtime: Runtime, name: string): Value | undefined {
  return makers.get(name)?.(runtime);
}
