/** The table of builtins for golden programs: each result is held against the keys that the checker knows of it. */
import { builtinTable } from "../../src/builtins/index.ts";
import {
  areKeys,
  type BuiltinSpec,
  type BuiltinTable,
  isVocabulary,
  type ValueKnowledge,
} from "../../src/table/index.ts";
import { Dict, type Value } from "../../src/values/index.ts";

let made: BuiltinTable | undefined;

export function checkedBuiltins(): BuiltinTable {
  made ??= new Map([...builtinTable()].map(([name, spec]) => [name, checked(spec)]));
  return made;
}

function checked(spec: BuiltinSpec): BuiltinSpec {
  const { resultKeys, resultTexts, ownStatesBy = [] } = spec;
  const known = resultKeys ?? resultTexts;
  if (known === undefined) return spec;
  const look = (value: Value, hasOwnStates: boolean): Value => {
    for (const wrong of unlistedKeys(value, known(), spec.name, hasOwnStates))
      throw new Error(`${wrong}: the checker does not know it (resultKeys, resultTexts of ${spec.name})`);
    return value;
  };
  return {
    ...spec,
    run: (task, ...args) => {
      const hasOwnStates = args.some(
        (arg) => arg instanceof Dict && ownStatesBy.some((name) => arg.has(name)),
      );
      const result = spec.run(task, ...args);
      return result instanceof Promise
        ? result.then((value) => look(value, hasOwnStates))
        : look(result, hasOwnStates);
    },
  };
}

/** Paths of what a value has and the lists do not: keys, and texts that are none of a vocabulary. */
export function unlistedKeys(
  value: Value,
  known: ValueKnowledge | undefined,
  path: string,
  hasOwnStates = false,
): string[] {
  if (known === undefined) return [path];
  if (isVocabulary(known))
    return hasOwnStates || typeof value !== "string" || known.includes(value) ? [] : [`${path}: ${value}`];
  if (known === null || !(value instanceof Dict) || !areKeys(known)) return [];
  return [...value.entries()].flatMap(([key, inner]) =>
    unlistedKeys(inner, known[key], `${path}.${key}`, hasOwnStates),
  );
}
