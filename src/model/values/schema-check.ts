/**
 * The language's schema engine (builtins.md §2.11): checks a value against a schema, fills in defaults, says what is wrong.
 *
 * Schemas come in three spellings (the language's canonical one, JSON Schema, OpenAPI) and are read as they are. Numbers:
 * the language's own `int` and `float` are distinct, while JSON Schema's `number` takes both, because a model that
 * answers `5` to a `number` is right. Nothing is ever coerced.
 */

import {
  Dict,
  display,
  equals,
  Float,
  fromJson,
  isDictLike,
  isInt,
  List,
  normalSchema,
  StructValue,
  textLength,
  toJson,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { isObject, type Json, type JsonObject } from "../llm/index.ts";
import {
  checkConditions,
  checkContains,
  checkKeys,
  checkMultiple,
  type Judge,
  patternSchemas,
  prefixOf,
  restSchema,
} from "./schema-keywords.ts";
import type { PatternMatcher } from "./schema-pattern.ts";

export interface SchemaOptions {
  /** Fill missing keys from `default`; off unless set. */
  readonly defaults?: boolean;
  /** Searches patterns; `patternMatcher(runtime)`. Without it a schema with a pattern is refused, never passed over. */
  readonly matches?: PatternMatcher;
  /** What happens to keys that `properties` does not name where the schema says nothing; default "allow". */
  readonly unknownKeys?: "allow" | "refuse";
}

export interface SchemaResult {
  /** The value, with defaults where asked for. */
  readonly value: Value;
  /** `at a.b: expected type 'int', got 'string'`, in order of the value. */
  readonly errors: readonly string[];
}

/** Errors listed; a list of a million wrong items needs no million lines. */
const maxErrors = 50;
const maxDepth = 200;

export function checkSchema(
  value: Value,
  schema: JsonObject | Dict,
  options: SchemaOptions = {},
): SchemaResult {
  const root = schema instanceof Dict ? (toJson(normalSchema(schema)) as JsonObject) : schema;
  const check = new Check(root, options);
  const result = check.value(value, root, "root", 0);
  return { value: result, errors: check.errors };
}

/** Keys that a value must have at its top level, for correction texts. */
export function requiredKeys(schema: JsonObject): string[] {
  return Array.isArray(schema.required) ? schema.required.filter((key) => typeof key === "string") : [];
}

class Check {
  readonly errors: string[] = [];
  private readonly root: JsonObject;
  private readonly options: SchemaOptions;

  constructor(root: JsonObject, options: SchemaOptions) {
    this.root = root;
    this.options = options;
  }

  /** `within`: schemas that this very value is being checked against; one that leads back to itself would never end. */
  value(
    value: Value,
    input: JsonObject,
    path: string,
    depth: number,
    within: ReadonlySet<JsonObject> = new Set(),
  ): Value {
    if (depth > maxDepth) return this.fail(value, path, `schema nested deeper than ${maxDepth} levels`);
    const schema = this.resolve(input, path);
    if (schema === undefined) return value;
    if (within.has(schema)) return this.fail(value, path, "the schema refers to itself without end");
    if (value === null && schema.nullable === true) return value;
    if (Object.hasOwn(schema, "const") && !equals(value, fromJson(schema.const ?? null))) {
      return this.fail(
        value,
        path,
        `expected constant ${display(fromJson(schema.const ?? null))}, got ${display(value)}`,
      );
    }
    const parts = listOf(schema, "all_of", "allOf");
    const branches = listOf(schema, "union", "oneOf", "anyOf");
    const conditions = schema.not !== undefined || schema.if !== undefined;
    const inside = conditions || parts.length + branches.length > 0 ? new Set([...within, schema]) : within;
    let current = conditions ? checkConditions(this.judge(depth, inside), value, schema, path) : value;
    for (const part of parts) current = this.value(current, part, path, depth + 1, inside);
    if (branches.length > 0) return this.branch(current, branches, schema, { path, depth, inside });
    const mismatch = typeMismatch(current, schema);
    if (mismatch !== undefined)
      return this.fail(current, path, `expected type '${mismatch}', got '${typeOf(current)}'`);
    const before = this.errors.length;
    const checked = this.constraints(current, schema, path, depth);
    if (this.errors.length === before) this.enumeration(checked, schema, path);
    return checked;
  }

  /** For keywords; `within` where they are about the value itself. */
  private judge(depth: number, within: ReadonlySet<JsonObject> = new Set()): Judge {
    return {
      value: (value, schema, path) => this.value(value, schema, path, depth + 1, within),
      fits: (value, schema) => {
        const attempt = new Check(this.root, this.options);
        attempt.value(value, schema, "root", depth + 1, within);
        return attempt.errors.length === 0;
      },
      fail: (path, text) => {
        this.fail(null, path, text);
      },
      matches: (pattern, text) => this.options.matches?.(pattern, text) ?? "no pattern engine was given",
    };
  }

  private resolve(schema: JsonObject, path: string): JsonObject | undefined {
    let at = schema;
    for (let hops = 0; typeof at.$ref === "string"; hops++) {
      const found = hops > 64 ? undefined : pointed(this.root, at.$ref);
      if (found === undefined) {
        this.fail(null, path, `unresolved schema reference '${at.$ref}'`);
        return undefined;
      }
      at = found;
    }
    return at;
  }

  private branch(
    value: Value,
    branches: JsonObject[],
    schema: JsonObject,
    at: { readonly path: string; readonly depth: number; readonly inside: ReadonlySet<JsonObject> },
  ): Value {
    const { path, depth, inside } = at;
    for (const branch of branches) {
      const attempt = new Check(this.root, this.options);
      const result = attempt.value(value, branch, path, depth + 1, inside);
      if (attempt.errors.length > 0) continue;
      this.enumeration(result, schema, path);
      return result;
    }
    return this.fail(value, path, "value did not match any union branch");
  }

  private constraints(value: Value, schema: JsonObject, path: string, depth: number): Value {
    if (typeof value === "string") this.text(value, schema, path);
    else if (isInt(value) || value instanceof Float) this.number(value, schema, path);
    else if (value instanceof List) return this.list(value, schema, path, depth);
    else if (value instanceof Dict) return this.dict(value, schema, path, depth);
    else if (value instanceof StructValue) return this.struct(value, schema, path, depth);
    return value;
  }

  private text(value: string, schema: JsonObject, path: string): void {
    const min = schemaNumberOf(schema, "min_length", "minLength");
    const max = schemaNumberOf(schema, "max_length", "maxLength");
    if (min !== undefined || max !== undefined) this.length(textLength(value), min, max, path, "length");
    const { pattern } = schema;
    if (typeof pattern !== "string") return;
    const found = this.options.matches?.(pattern, value) ?? "no pattern engine was given";
    if (found === false) this.fail(null, path, `value does not match pattern '${pattern}'`);
    else if (found !== true) this.fail(null, path, `schema pattern '${pattern}' can't be read: ${found}`);
  }

  private number(value: number | bigint | Float, schema: JsonObject, path: string): void {
    const n = value instanceof Float ? value.value : value;
    const min = schemaNumberOf(schema, "min", "minimum");
    const max = schemaNumberOf(schema, "max", "maximum");
    const above = schemaNumberOf(schema, "exclusiveMinimum", "exclusive_min");
    const below = schemaNumberOf(schema, "exclusiveMaximum", "exclusive_max");
    if (min !== undefined && n < min)
      this.fail(null, path, `expected value >= ${min}, got ${display(value)}`);
    if (max !== undefined && n > max)
      this.fail(null, path, `expected value <= ${max}, got ${display(value)}`);
    if (above !== undefined && n <= above)
      this.fail(null, path, `expected value > ${above}, got ${display(value)}`);
    if (below !== undefined && n >= below)
      this.fail(null, path, `expected value < ${below}, got ${display(value)}`);
    if (schema.multipleOf !== undefined) checkMultiple(this.judge(0), value, schema, path);
  }

  private list(value: List, schema: JsonObject, path: string, depth: number): Value {
    const min = schemaNumberOf(schema, "min_items", "minItems");
    const max = schemaNumberOf(schema, "max_items", "maxItems");
    if (min !== undefined && value.length < min)
      this.fail(null, path, `expected at least ${min} items, got ${value.length}`);
    if (max !== undefined && value.length > max)
      this.fail(null, path, `expected at most ${max} items, got ${value.length}`);
    if (schema.unique_items === true || schema.uniqueItems === true) this.unique(value, path);
    if (schema.contains !== undefined) checkContains(this.judge(depth), value, schema, path);
    const prefix = prefixOf(schema);
    const rest = restSchema(schema);
    if (prefix.length === 0 && rest === undefined) return value;
    let changed = false;
    const checked = value.toArray().map((item, index) => {
      const its = prefix[index] ?? rest;
      const result = its === undefined ? item : this.value(item, its, `${path}[${index}]`, depth + 1);
      changed ||= result !== item;
      return result;
    });
    return changed ? new List(checked) : value;
  }

  private unique(value: List, path: string): void {
    const seen = new Map<string, Value[]>();
    for (const item of value) {
      const key = display(item);
      const same = seen.get(key) ?? [];
      if (same.some((other) => equals(other, item))) {
        this.fail(null, path, "expected items to be unique");
        return;
      }
      same.push(item);
      seen.set(key, same);
    }
  }

  private dict(value: Dict, schema: JsonObject, path: string, depth: number): Value {
    const properties = isObject(schema.properties) ? schema.properties : {};
    let result = value;
    const set = (key: string, item: Value): void => {
      result = result.with(key, item);
    };
    for (const key of requiredKeys(schema)) {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      const fills =
        this.options.defaults === true && isObject(property) && Object.hasOwn(property, "default");
      if (!value.has(key) && !fills) this.fail(null, path, `missing required key '${key}'`);
    }
    for (const [key, property] of Object.entries(properties)) {
      if (!isObject(property)) continue;
      const item = value.get(key);
      if (item !== undefined) {
        const checked = this.value(item, property, join(path, key), depth + 1);
        if (checked !== item) set(key, checked);
      } else if (this.options.defaults === true && Object.hasOwn(property, "default"))
        set(key, fromJson(property.default ?? null));
    }
    this.others(value, properties, schema, path, depth, set);
    if (!keyRules.some((rule) => schema[rule] !== undefined)) return result;
    const further = checkKeys(this.judge(depth, new Set([schema])), result, schema, path);
    return further instanceof Dict ? further : result;
  }

  /** A struct is judged as the dict of its fields, and comes out as a struct: also with fields that a default fills in. */
  private struct(value: StructValue, schema: JsonObject, path: string, depth: number): Value {
    const fields = fieldsOf(value);
    const checked = this.dict(fields, schema, path, depth);
    if (checked === fields || !(checked instanceof Dict)) return value;
    let result = value;
    for (const [key, item] of checked.entries())
      if (fields.get(key) !== item) result = result.with(key, item);
    return result;
  }

  private others(
    value: Dict,
    properties: JsonObject,
    schema: JsonObject,
    path: string,
    depth: number,
    set: (key: string, item: Value) => void,
  ): void {
    const rule = schema.additional_properties ?? schema.additionalProperties;
    const closed =
      rule === false ||
      (rule === undefined && this.options.unknownKeys === "refuse" && isObject(schema.properties));
    const patterned = isObject(schema.patternProperties);
    if (!closed && !isObject(rule) && !patterned) return;
    for (const [key, item] of value.entries()) {
      const own = patterned ? patternSchemas(this.judge(depth), key, schema, path) : [];
      for (const part of own) this.value(item, part, join(path, key), depth + 1);
      if (Object.hasOwn(properties, key) || own.length > 0) continue;
      if (closed) this.fail(null, path, `unexpected key '${key}'`);
      else if (isObject(rule)) {
        const checked = this.value(item, rule, join(path, key), depth + 1);
        if (checked !== item) set(key, checked);
      }
    }
  }

  private enumeration(value: Value, schema: JsonObject, path: string): void {
    if (!Array.isArray(schema.enum)) return;
    const allowed = schema.enum.map((item) => fromJson(item));
    if (allowed.some((item) => equals(item, value))) return;
    this.fail(null, path, `value must be one of [${allowed.map(display).join(", ")}]`);
  }

  private length(
    n: number,
    min: number | undefined,
    max: number | undefined,
    path: string,
    what: string,
  ): void {
    if (min !== undefined && n < min) this.fail(null, path, `expected ${what} >= ${min}, got ${n}`);
    if (max !== undefined && n > max) this.fail(null, path, `expected ${what} <= ${max}, got ${n}`);
  }

  private fail(value: Value, path: string, text: string): Value {
    if (this.errors.length < maxErrors) this.errors.push(`at ${path}: ${text}`);
    return value;
  }
}

/** Keywords of `checkKeys`. */
const keyRules = ["minProperties", "maxProperties", "propertyNames", "dependentRequired", "dependentSchemas"];

/** `root` is shown only for the whole value: `a`, `a.b`, `root[0]`. */
const join = (path: string, key: string): string => (path === "root" ? key : `${path}.${key}`);

/** The expected type's name when the value is of another, else undefined. */
function typeMismatch(value: Value, schema: JsonObject): string | undefined {
  const { type } = schema;
  if (type === undefined || type === null) {
    // A schema with fields means a dict even where nobody wrote so.
    return isObject(schema.properties) && !isDictLike(value) ? "dict" : undefined;
  }
  const names = Array.isArray(type) ? type : [type];
  if (names.some((name) => typeof name === "string" && hasType(value, name))) return undefined;
  // A type that is no name fits nothing; it is shown as it was written.
  const shown = (name: Json): string =>
    typeof name === "string" ? (canonical.get(name) ?? name) : display(fromJson(name));
  return names.map(shown).join("|");
}

function hasType(value: Value, name: string): boolean {
  if (name === "any") return true;
  if (name === "number") return isInt(value) || value instanceof Float;
  const expected = canonical.get(name) ?? name;
  return expected === "dict" ? isDictLike(value) : typeOf(value) === expected;
}

const canonical = new Map([
  ["object", "dict"],
  ["array", "list"],
  ["integer", "int"],
  ["number", "float"],
  ["boolean", "bool"],
  ["null", "nil"],
  ["str", "string"],
]);

function fieldsOf(value: StructValue): Dict {
  return Dict.from(value.entries());
}

/** The schemas of a combinator, whichever of its names is used. */
function listOf(schema: JsonObject, ...names: string[]): JsonObject[] {
  for (const name of names) {
    const list = schema[name];
    if (Array.isArray(list)) return list.filter(isObject);
  }
  return [];
}

function schemaNumberOf(schema: JsonObject, ...names: string[]): number | undefined {
  for (const name of names) if (typeof schema[name] === "number") return schema[name];
  return undefined;
}

/** `#/$defs/x`, `#/components/schemas/x`: a JSON pointer into the root. */
function pointed(root: JsonObject, reference: string): JsonObject | undefined {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let at: Json | undefined = root;
  for (const step of reference.slice(2).split("/")) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isObject(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return isObject(at) ? at : undefined;
}
