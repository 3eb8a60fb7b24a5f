/** The table of builtins for golden programs: each result is held against the keys that the checker knows of it. */
import { builtinTable } from "../../src/builtins/index.ts";
import {
  areKeys,
  type BuiltinSpec,
  type BuiltinTable,
  isVocabulary,
  type Known,
} from "../../src/table/index.ts";
import { Dict, type Value } from "../../src/values/index.ts";

let made: BuiltinTable | undefined;

export function checkedBuiltins(): BuiltinTable {
  made ??= new Map([...builtinTable()].map(([name, spec]) => [name, checked(spec)]));
  return made;
}

function checked(spec: BuiltinSpec): BuiltinSpec {
  const { resultKeys } = spec;
  if (resultKeys === undefined) return spec;
  const look = (value: Value): Value => {
    for (const wrong of unlistedKeys(value, resultKeys(), spec.name))
      throw new Error(`${wrong}: the checker does not know it (resultKeys of ${spec.name})`);
    return value;
  };
  return {
    ...spec,
    run: (task, ...args) => {
      const result = spec.run(task, ...args);
      return result instanceof Promise ? result.then(look) : look(result);
    },
  };
}

/** Paths of what a value has and the lists do not: keys, and texts of a vocabulary that are nearly one of it. */
export function unlistedKeys(value: Value, known: Known | undefined, path: string): string[] {
  if (known === undefined) return [path];
  if (isVocabulary(known) || known === null || !(value instanceof Dict) || !areKeys(known)) return [];
  return [...value.entries()].flatMap(([key, inner]) => unlistedKeys(inner, known[key], `${path}.${key}`));
}
