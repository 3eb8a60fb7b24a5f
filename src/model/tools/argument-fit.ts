/**
 * Arguments as models write them, brought to what their schema means, where nothing is guessed: null for something
 * optional that can't be null is "not given", and `4.0` for an integer is 4 (JSON knows one kind of number). All else is
 * left to the check.
 */

import { Dict, Float, List, type Value } from "../../values/index.ts";
import { isObject, type JsonObject } from "../llm/index.ts";
import { checkSchema, requiredKeys } from "../values/schema-check.ts";

export function fitArguments(args: Dict, schema: JsonObject): Dict {
  return fitDict(args, schema, schema);
}

function fitValue(value: Value, schema: JsonObject, root: JsonObject): Value {
  if (value instanceof Dict) return fitDict(value, schema, root);
  if (value instanceof List) return fitList(value, schema, root);
  if (value instanceof Float && schema.type === "integer" && Number.isSafeInteger(value.value))
    return value.value;
  return value;
}

function fitDict(dict: Dict, schema: JsonObject, root: JsonObject): Dict {
  const { properties } = schema;
  if (!isObject(properties)) return dict;
  const required = requiredKeys(schema);
  let fitted = dict;
  for (const [key, property] of Object.entries(properties)) {
    const value = dict.get(key);
    if (value === undefined || !isObject(property)) continue;
    if (value === null && !required.includes(key) && !takesNull(property, root)) fitted = fitted.without(key);
    else {
      const inner = fitValue(value, property, root);
      if (inner !== value) fitted = fitted.with(key, inner);
    }
  }
  return fitted;
}

function fitList(list: List, schema: JsonObject, root: JsonObject): List {
  const { items } = schema;
  if (!isObject(items)) return list;
  let changed = false;
  const fitted = list.toArray().map((item) => {
    const inner = fitValue(item, items, root);
    changed ||= inner !== item;
    return inner;
  });
  return changed ? new List(fitted) : list;
}

const takesNull = (schema: JsonObject, root: JsonObject): boolean =>
  checkSchema(null, { ...schema, $defs: root.$defs ?? {} }, { matches: () => true }).errors.length === 0;
