/**
 * The keywords of JSON Schema 2020-12 that say more than type, size and fields: combinations (`not`, `if`), numbers (`multipleOf`), lists
 * (`prefixItems`, `contains`), dicts (`patternProperties`, `dependentRequired` …). Each gives what is wrong as text; what is wrong inside a
 * part is said where the part is checked.
 */

import { Dict, display, Float, fromJson, isInt, List, type Value } from "../../values/index.ts";
import { isObject, type Json, type JsonObject } from "../llm/index.ts";

/** What the keywords need of the check around them. */
export interface Judge {
  /** A part against a schema; wrong things are said at its path. Gives the value, with defaults where asked for. */
  value(value: Value, schema: JsonObject, path: string): Value;
  /** Whether a value fits, with nothing said. */
  fits(value: Value, schema: JsonObject): boolean;
  fail(path: string, text: string): void;
  /** True, false, or why the pattern can't be read. */
  matches(pattern: string, text: string): boolean | string;
}

/** A boolean in a schema's place: anything, or nothing. */
const asSchema = (value: Json | undefined): JsonObject | undefined => {
  if (value === true) return {};
  if (value === false) return { not: {} };
  return isObject(value) ? value : undefined;
};

const keywordCount = (value: Json | undefined): number | undefined =>
  typeof value === "number" ? value : undefined;

/** `not`, `if` with `then` and `else`; for values of every type. */
export function checkConditions(judge: Judge, value: Value, schema: JsonObject, path: string): Value {
  const not = asSchema(schema.not);
  if (not !== undefined && judge.fits(value, not))
    judge.fail(path, `value must not fit ${showSchema(not)}, got ${display(value)}`);
  const condition = asSchema(schema.if);
  if (condition === undefined) return value;
  const then = asSchema(judge.fits(value, condition) ? schema.then : schema.else);
  return then === undefined ? value : judge.value(value, then, path);
}

export function checkMultiple(
  judge: Judge,
  value: number | bigint | Float,
  schema: JsonObject,
  path: string,
): void {
  const step = keywordCount(schema.multipleOf);
  if (step === undefined || step <= 0 || isMultiple(value, step)) return;
  judge.fail(path, `expected a multiple of ${step}, got ${display(value)}`);
}

function isMultiple(value: number | bigint | Float, step: number): boolean {
  if (isInt(value) && Number.isInteger(step)) return BigInt(value) % BigInt(step) === 0n;
  const times = (value instanceof Float ? value.value : Number(value)) / step;
  // 0.3 is a multiple of 0.1, whatever their binary forms are.
  return Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times));
}

/** The schemas of the first items: `prefixItems`, or a list in the place of `items` (older drafts). */
export function prefixOf(schema: JsonObject): readonly JsonObject[] {
  const list = Array.isArray(schema.prefixItems) ? schema.prefixItems : schema.items;
  return Array.isArray(list) ? list.map((one) => asSchema(one) ?? {}) : [];
}

/** The schema of the items after those of `prefixOf`. */
export function restSchema(schema: JsonObject): JsonObject | undefined {
  return asSchema(Array.isArray(schema.items) ? schema.additionalItems : schema.items);
}

/** `contains` with `minContains` and `maxContains`. */
export function checkContains(judge: Judge, value: List, schema: JsonObject, path: string): void {
  const wanted = asSchema(schema.contains);
  if (wanted === undefined) return;
  const min = keywordCount(schema.minContains) ?? 1;
  const max = keywordCount(schema.maxContains);
  const count = value.toArray().filter((item) => judge.fits(item, wanted)).length;
  if (count < min)
    judge.fail(path, `expected at least ${itemsKeyword(min)} that fit ${showSchema(wanted)}, got ${count}`);
  if (max !== undefined && count > max)
    judge.fail(path, `expected at most ${itemsKeyword(max)} that fit ${showSchema(wanted)}, got ${count}`);
}

const itemsKeyword = (count: number): string => (count === 1 ? "1 item" : `${count} items`);
const keys = (count: number): string => (count === 1 ? "1 key" : `${count} keys`);

/** Number and names of keys, and what some of them bring with them. */
export function checkKeys(judge: Judge, value: Dict, schema: JsonObject, path: string): Value {
  const count = [...value.keys()].length;
  const min = keywordCount(schema.minProperties);
  const max = keywordCount(schema.maxProperties);
  if (min !== undefined && count < min) judge.fail(path, `expected at least ${keys(min)}, got ${count}`);
  if (max !== undefined && count > max) judge.fail(path, `expected at most ${keys(max)}, got ${count}`);
  const names = asSchema(schema.propertyNames);
  if (names !== undefined)
    for (const key of value.keys())
      if (!judge.fits(key, names)) judge.fail(path, `key '${key}' does not fit ${showSchema(names)}`);
  for (const [key, needed] of Object.entries(
    isObject(schema.dependentRequired) ? schema.dependentRequired : {},
  ))
    if (value.has(key) && Array.isArray(needed))
      for (const other of needed)
        if (typeof other === "string" && !value.has(other))
          judge.fail(path, `missing key '${other}', which '${key}' needs`);
  let checked: Value = value;
  for (const [key, input] of Object.entries(
    isObject(schema.dependentSchemas) ? schema.dependentSchemas : {},
  )) {
    const further = asSchema(input);
    if (value.has(key) && further !== undefined) checked = judge.value(checked, further, path);
  }
  return checked;
}

/** The schemas of `patternProperties` that a key falls under. */
export function patternSchemas(judge: Judge, key: string, schema: JsonObject, path: string): JsonObject[] {
  if (!isObject(schema.patternProperties)) return [];
  return Object.entries(schema.patternProperties).flatMap(([pattern, input]) => {
    const found = judge.matches(pattern, key);
    if (typeof found === "string") judge.fail(path, `schema pattern '${pattern}' can't be read: ${found}`);
    const part = asSchema(input);
    return found === true && part !== undefined ? [part] : [];
  });
}

const maxShown = 80;

/** A schema in a message. */
function showSchema(schema: JsonObject): string {
  const text = display(fromJson(schema));
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}…`;
}

// ---------------------------------------------------------------- what nobody judges

/** Keywords that narrow values and that are not judged: whoever defines such a schema is told. (`format` and its kin only describe.) */
const notJudged = [
  "unevaluatedProperties",
  "unevaluatedItems",
  "$dynamicRef",
  "$recursiveRef",
  "dependencies",
] as const;

/** Keywords whose values are schemas, lists of them, or schemas by name. */
const holdSchemas = [
  "items prefixItems additionalItems contains properties patternProperties additionalProperties additional_properties propertyNames",
  "not if then else allOf anyOf oneOf all_of union dependentSchemas $defs definitions",
].flatMap((words) => words.split(" "));

const byName = new Set(["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"]);

/** Paths of keywords in a schema that nobody judges: `properties.when.unevaluatedItems`. */
export function keywordsNotJudged(schema: Dict): string[] {
  const found: string[] = [];
  const visit = (value: Value | undefined, path: string): void => {
    if (value instanceof List) {
      let index = 0;
      for (const one of value) visit(one, `${path}[${index++}]`);
      return;
    }
    if (!(value instanceof Dict)) return;
    for (const [key, part] of value.entries()) {
      const at = path === "" ? key : `${path}.${key}`;
      if ((notJudged as readonly string[]).includes(key)) found.push(at);
      else if (byName.has(key) && part instanceof Dict)
        for (const [name, one] of part.entries()) visit(one, `${at}.${name}`);
      else if (holdSchemas.includes(key)) visit(part, at);
    }
  };
  visit(schema, "");
  return found;
}
