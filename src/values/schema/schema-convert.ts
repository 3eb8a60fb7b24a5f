/** Schemas between the language's spelling, JSON Schema and OpenAPI (builtins.md §2.11). Unknown keys are carried. */
import { Dict } from "../collections/dict.ts";
import { List } from "../collections/list.ts";
import { Float } from "../scalars.ts";
import { thrown } from "../script-error.ts";
import { display } from "../text/display.ts";
import { isInt, typeOf } from "../type-name.ts";
import type { Value } from "../value.ts";

const typeNames: readonly (readonly [string, string])[] = [
  ["dict", "object"],
  ["list", "array"],
  ["int", "integer"],
  ["float", "number"],
  ["bool", "boolean"],
  ["nil", "null"],
];
const keyNames: readonly (readonly [string, string])[] = [
  ["min", "minimum"],
  ["max", "maximum"],
  ["min_length", "minLength"],
  ["max_length", "maxLength"],
  ["min_items", "minItems"],
  ["max_items", "maxItems"],
  ["unique_items", "uniqueItems"],
  ["additional_properties", "additionalProperties"],
  ["union", "oneOf"],
  ["all_of", "allOf"],
];
const jsonType: ReadonlyMap<string, string> = new Map(typeNames);
const ownType: ReadonlyMap<string, string> = new Map(typeNames.map(([own, json]) => [json, own]));
const jsonKey: ReadonlyMap<string, string> = new Map(keyNames);
const ownKey: ReadonlyMap<string, string> = new Map([
  ...keyNames.map(([own, json]) => [json, own] as const),
  ["anyOf", "union"],
]);
const bounds: ReadonlySet<string> = new Set(["minimum", "maximum"]);

/** Keywords that hold schemas by name. */
const namedParts: ReadonlySet<string> = new Set(
  "properties patternProperties dependentSchemas $defs definitions".split(" "),
);
/** Keywords that hold a schema or a list of schemas. */
const parts: ReadonlySet<string> = new Set(
  (
    "items prefixItems additionalItems contains union oneOf anyOf all_of allOf not if then else propertyNames " +
    "additional_properties additionalProperties"
  ).split(" "),
);

/** Words that are types in schemas, and keywords of schemas, in any spelling. For those who read programs. */
export const schemaTypes: ReadonlySet<string> = new Set([
  ...typeNames.flat(),
  "string",
  "any",
  "decimal",
  "bytes",
  "set",
]);
export const isSchemaType = (word: string): boolean =>
  schemaTypes.has(word) || ["str", "duration", "closure", "range", "pair", "boolean", "file"].includes(word);
export const schemaKeywords: ReadonlySet<string> = new Set([
  ...keyNames.flat(),
  ...namedParts,
  ...parts,
  ..."type title description default required enum const format pattern nullable examples example minProperties maxProperties".split(
    " ",
  ),
  ..."exclusiveMinimum exclusiveMaximum multipleOf dependentRequired minContains maxContains deprecated readOnly writeOnly".split(
    " ",
  ),
  ..."$ref $id $schema $comment $anchor contentMediaType contentEncoding unevaluatedProperties unevaluatedItems strict name".split(
    " ",
  ),
]);

/** A field is a type's name or a schema; true, false and nil are schemas, too. */
function checkSpec(name: string, spec: Value): void {
  const isSpec = spec instanceof Dict || spec instanceof List || ["string", "boolean"].includes(typeof spec);
  if (!isSpec && spec !== null)
    throw thrown(`schema: ${name}: expected dict | string, got ${typeOf(spec)} ${display(spec)}`);
}

type Convert = (schema: Dict) => Dict;

/** A converted part: a schema, a list of schemas, or plain data. */
function part(key: string, value: Value, convert: Convert, ofName?: (type: string) => Value): Value {
  const one = (inner: Value): Value => {
    if (inner instanceof Dict) return convert(inner);
    return typeof inner === "string" && ofName !== undefined ? ofName(inner) : inner;
  };
  if (namedParts.has(key)) {
    if (!(value instanceof Dict)) return value;
    const named = [...value.entries()];
    if (ofName !== undefined) for (const [name, inner] of named) checkSpec(name, inner);
    return Dict.from(named.map(([name, inner]) => [name, one(inner)] as const));
  }
  if (!parts.has(key)) return value;
  return value instanceof List ? new List(value.toArray().map(one)) : one(value);
}

/**
 * A schema as whoever takes one reads it: `{title: "string", tags: {type: "list", required: false}}` is a dict with these fields, a
 * type's name in the place of a schema is that type, and a property with `required: true` is required.
 */
export function normalSchema(schema: Dict): Dict {
  let read = isShape(schema) ? shapeSchema(schema) : schema;
  for (const [key, value] of read.entries())
    if (namedParts.has(key) || parts.has(key))
      read = read.with(key, part(key, value, normalSchema, typeNamed));
  const properties = read.get("properties");
  return properties instanceof Dict ? withRequired(read, properties) : read;
}

const typeNamed = (type: string): Dict => Dict.of({ type });

/**
 * Fields by their names: required unless they say `required: false` or have a default (agents.md §6.1). Throws when one is
 * neither a type's name nor a schema; nil is any value.
 */
export function shapeSchema(fields: Dict): Dict {
  const properties: [string, Value][] = [];
  const required: string[] = [];
  for (const [name, spec] of fields.entries()) {
    checkSpec(name, spec);
    const own = spec instanceof Dict ? spec : typeof spec === "string" ? typeNamed(spec) : new Dict();
    const flag = own.get("required");
    // A list of names is the schema's own: those of its keys.
    properties.push([name, flag instanceof List ? own : own.without("required")]);
    if (flag !== false && !own.has("default")) required.push(name);
  }
  return Dict.of({ type: "dict", properties: Dict.from(properties), required: new List(required) });
}

/** Keywords whose text has a meaning, also where it is the name of a type. */
const textKeywords: ReadonlySet<string> = new Set(
  "type format default const example pattern contentMediaType contentEncoding".split(" "),
);
const isTypeName = (value: Value | undefined): boolean => typeof value === "string" && isSchemaType(value);

/** Whether a dict in the place of a schema names fields: no key of it says what the keyword of its name would say. */
export function isShape(schema: Dict): boolean {
  const entries = [...schema.entries()];
  const isTyped = schema.has("type");
  const isPart = (key: string): boolean => namedParts.has(key) || parts.has(key);
  const isExtension = (key: string): boolean => /^(\$|x-)/u.test(key);
  const isKeyword = (key: string): boolean => schemaKeywords.has(key) || isExtension(key);
  const namesField = ([key, value]: readonly [string, Value]): boolean =>
    !isKeyword(key) || (!isExtension(key) && !textKeywords.has(key) && isTypeName(value));
  if (!entries.some(namesField)) return false;
  for (const [key, value] of entries) {
    const mayBeField = isTypeName(value) || value instanceof Dict;
    if (isKeyword(key) && (!mayBeField || (isPart(key) && (isTyped || value instanceof Dict)))) return false;
    // What says a type has other keys of its own sometimes.
    if (isTyped && !isTypeName(value) && !(value instanceof Dict && (value.has("type") || isShape(value))))
      return false;
  }
  return true;
}

function coerceToFloat(value: Value): Value {
  return isInt(value) ? new Float(Number(value)) : value;
}

/** The language's schema as JSON Schema; with `openApi` what may be nil says `nullable: true`. */
export function toJsonSchema(schema: Dict, openApi = false): Dict {
  const convert: Convert = (one) => toJsonSchema(one, openApi);
  const entries = new Map<string, Value>();
  for (const [key, value] of schema.entries()) {
    if (key === "nullable" || key === "type") continue;
    const name = jsonKey.get(key) ?? key;
    entries.set(name, bounds.has(name) ? coerceToFloat(value) : part(key, value, convert));
  }
  setJsonType(entries, schema, openApi);
  return Dict.from(entries);
}

function setJsonType(entries: Map<string, Value>, schema: Dict, openApi: boolean): void {
  const own = schema.get("type");
  const nullable = schema.get("nullable") === true;
  if (own === "set") entries.set("uniqueItems", true);
  const type =
    own === "set"
      ? "array"
      : own === "bytes"
        ? "string"
        : typeof own === "string"
          ? (jsonType.get(own) ?? own)
          : own;
  if (type !== undefined && type !== null && type !== "any") {
    entries.set("type", nullable && !openApi ? new List([type, "null"]) : type);
  } else if (nullable && !openApi) {
    const branches = entries.get("oneOf");
    if (branches instanceof List) entries.set("oneOf", branches.push(Dict.of({ type: "null" })));
  }
  if (nullable && openApi) entries.set("nullable", true);
}

/** JSON Schema or OpenAPI in the language's spelling. */
export function fromJsonSchema(schema: Dict): Dict {
  const entries = new Map<string, Value>();
  for (const [key, value] of schema.entries()) {
    if (key !== "type") entries.set(ownKey.get(key) ?? key, part(key, value, fromJsonSchema));
  }
  setOwnType(entries, schema.get("type"));
  return Dict.from(entries);
}

function setOwnType(entries: Map<string, Value>, type: Value | undefined): void {
  if (typeof type === "string") entries.set("type", ownType.get(type) ?? type);
  if (!(type instanceof List)) return;
  const names = type.toArray().filter((name) => name !== "null");
  if (names.length < type.length) entries.set("nullable", true);
  const own = names.map((name) => (typeof name === "string" ? (ownType.get(name) ?? name) : name));
  if (own.length === 1) entries.set("type", own[0] as Value);
  else entries.set("union", new List(own.map((name) => Dict.of({ type: name }))));
}

const jsonTypes: ReadonlySet<string> = new Set([
  "object",
  "array",
  "string",
  "integer",
  "number",
  "boolean",
  "null",
]);
/** Types of the language that JSON writes as something else. */
const writtenAs: ReadonlyMap<string, string> = new Map([
  ["decimal", "number"],
  ["duration", "string"],
  ["str", "string"],
]);

/**
 * A schema in any spelling as the JSON Schema that vendors get: types they don't know are left out, `required: true` on a
 * property moves to the list of its object. What is JSON Schema already stays as it is.
 */
export const wireSchema = (schema: Dict): Dict => wired(toJsonSchema(normalSchema(schema)));

function wired(schema: Dict): Dict {
  const entries = new Map<string, Value>();
  for (const [key, value] of schema.entries()) {
    const input = key === "type" ? wireType(value) : key === "required" ? value : part(key, value, wired);
    if (input !== undefined) entries.set(key, input);
  }
  if (!(entries.get("required") instanceof List)) entries.delete("required");
  return Dict.from(entries);
}

function wireType(type: Value): Value | undefined {
  if (type instanceof List) {
    const known = type.toArray().flatMap((one) => wireType(one) ?? []);
    return known.length === 0 ? undefined : new List(known);
  }
  if (typeof type !== "string") return undefined;
  const name = writtenAs.get(type) ?? jsonType.get(type) ?? type;
  return jsonTypes.has(name) ? name : undefined;
}

function withRequired(schema: Dict, properties: Dict): Dict {
  const list = schema.get("required");
  const names = new Set(list instanceof List ? list.toArray() : []);
  const before = names.size;
  for (const [name, spec] of properties.entries())
    if (spec instanceof Dict && spec.get("required") === true) names.add(name);
  return names.size === before ? schema : schema.with("required", new List([...names]));
}
