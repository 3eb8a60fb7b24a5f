/**
 * Structured output: one pass that makes a schema acceptable to every vendor's strict mode, and its inverse.
 *
 * Strict modes want every object closed and every property required. An optional property therefore becomes a
 * required one that may be null; `unstrictify` takes those nulls out of the answer again, so that the caller's own
 * schema fits it. What strict modes cannot say (open records, `not`, `if`, remote references) makes the schema "loose":
 * it is then sent without the strict flag, unchanged.
 */
import type { Json, JsonObject, JsonSchema } from "./port.ts";
import { isObject } from "./tool-wire.ts";

interface StrictSchema {
  schema: JsonSchema;
  strict: boolean;
  /** Why it could not be made strict. */
  reason: string | null;
}

/** Keywords without meaning for the shape. */
const dropped = new Set([
  "$schema",
  "$id",
  "default",
  "examples",
  "title",
  "nullable",
  "deprecated",
  "readOnly",
  "writeOnly",
]);
/** Keywords that one vendor or another refuses. They only narrow values: the model reads them, the caller checks them. */
const narrowing = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "pattern",
  "format",
];
const impossible = [
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "patternProperties",
  "unevaluatedProperties",
  "propertyNames",
  "prefixItems",
  "contains",
];

class NotStrict extends Error {}

/** Makes a schema strict, or says why not and gives it back unchanged. */
export function strictify(schema: JsonSchema): StrictSchema {
  try {
    const strict = convert(schema, "$");
    // Vendors want an object on top.
    if (strict.type !== "object") throw new NotStrict("$: the top level must be an object");
    return { schema: strict, strict: true, reason: null };
  } catch (error) {
    if (error instanceof NotStrict) return { schema, strict: false, reason: error.message };
    throw error;
  }
}

function convert(schema: JsonSchema, path: string): JsonSchema {
  for (const key of impossible)
    if (schema[key] !== undefined) throw new NotStrict(`${path}: \`${key}\` has no strict form`);
  if (typeof schema.$ref === "string" && !schema.$ref.startsWith("#"))
    throw new NotStrict(`${path}: remote reference`);
  const out: [string, Json][] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (
      value === undefined ||
      dropped.has(key) ||
      narrowing.includes(key) ||
      key === "required" ||
      key === "additionalProperties"
    )
      continue;
    if (key === "properties" || key === "$defs" || key === "definitions") continue;
    // `oneOf` is not known to strict modes; for closed objects `anyOf` accepts the same.
    if (key === "oneOf" && schema.anyOf !== undefined) throw new NotStrict(`${path}: both anyOf and oneOf`);
    out.push([key === "oneOf" ? "anyOf" : key, nested(key, value, path)]);
  }
  const result = Object.fromEntries(out) as JsonSchema;
  const described = narrowing
    .filter((key) => schema[key] !== undefined)
    .map((key) => `${key} ${JSON.stringify(schema[key])}`);
  if (described.length > 0)
    result.description = [schema.description, `(${described.join(", ")})`].filter(Boolean).join(" ");
  for (const key of ["$defs", "definitions"]) {
    const defs = schema[key];
    if (isObject(defs)) result[key] = mapValues(defs, (def, name) => convert(def, `${path}.${key}.${name}`));
  }
  if (schema.type === "object" || isObject(schema.properties)) closeObject(schema, result, path);
  return schema.nullable === true ? orNull(result) : result;
}

function nested(key: string, value: Json, path: string): Json {
  if (key === "items") {
    if (!isObject(value)) throw new NotStrict(`${path}.items: must be one schema`);
    return convert(value, `${path}.items`);
  }
  if ((key === "anyOf" || key === "oneOf") && Array.isArray(value)) {
    return value.map((part, i) => convert(part as JsonSchema, `${path}.${key}[${i}]`));
  }
  return value;
}

function closeObject(schema: JsonSchema, result: JsonSchema, path: string): void {
  const extra = schema.additionalProperties;
  const properties = isObject(schema.properties) ? schema.properties : undefined;
  if (isObject(extra) || extra === true || (!properties && extra !== false))
    throw new NotStrict(`${path}: an open record has no strict form`);
  const required = new Set(Array.isArray(schema.required) ? (schema.required as string[]) : []);
  result.type = schema.type ?? "object";
  result.properties = mapValues(properties ?? {}, (sub, name) => {
    const strict = convert(sub, `${path}.${name}`);
    return required.has(name) ? strict : orNull(strict);
  });
  result.required = Object.keys(properties ?? {});
  result.additionalProperties = false;
}

/** The schema, or null. */
function orNull(schema: JsonSchema): JsonSchema {
  if (acceptsNull(schema)) return schema;
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, { type: "null" }] };
  if (typeof schema.type === "string" && schema.enum === undefined && schema.const === undefined) {
    return { ...schema, type: [schema.type, "null"] };
  }
  if (Array.isArray(schema.type) && schema.enum === undefined)
    return { ...schema, type: [...schema.type, "null"] };
  return { anyOf: [schema, { type: "null" }] };
}

function acceptsNull(schema: JsonSchema): boolean {
  if (schema.type === "null" || (Array.isArray(schema.type) && schema.type.includes("null"))) return true;
  if (Array.isArray(schema.enum)) return schema.enum.includes(null);
  return Array.isArray(schema.anyOf) && schema.anyOf.some((part) => isObject(part) && acceptsNull(part));
}

function mapValues(object: JsonObject, change: (value: JsonSchema, name: string) => Json): JsonObject {
  const entries = Object.entries(object).map(([name, value]) => {
    if (!isObject(value)) throw new NotStrict(`${name}: not a schema`);
    return [name, change(value, name)];
  });
  return Object.fromEntries(entries) as JsonObject;
}

/** Takes the nulls of optional properties out of an answer that followed `strictify(schema)`. */
export function unstrictify(schema: JsonSchema, value: Json, root: JsonSchema = schema): Json {
  const shape = shapeFor(schema, value, root);
  if (Array.isArray(value)) {
    const items = shape.items;
    return isObject(items) ? value.map((item) => unstrictify(items, item, root)) : value;
  }
  if (!isObject(value) || !isObject(shape.properties)) return value;
  const required = new Set(Array.isArray(shape.required) ? (shape.required as string[]) : []);
  const kept: [string, Json][] = [];
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const sub = Object.hasOwn(shape.properties, name) ? shape.properties[name] : undefined;
    if (!isObject(sub)) kept.push([name, item]);
    else if (item !== null || required.has(name) || acceptsNull(sub) || sub.nullable === true) {
      kept.push([name, unstrictify(sub, item, root)]);
    }
  }
  return Object.fromEntries(kept) as JsonObject;
}

/** Follows local references and picks the alternative that knows all keys of the value. */
function shapeFor(schema: JsonSchema, value: Json, root: JsonSchema): JsonSchema {
  let shape = schema;
  for (let hops = 0; typeof shape.$ref === "string" && hops < 32; hops++) {
    let target: unknown = root;
    for (const step of shape.$ref.replace(/^#\/?/, "").split("/").filter(Boolean)) {
      target = isObject(target) && Object.hasOwn(target, step) ? target[step] : undefined;
    }
    if (!isObject(target)) return {};
    shape = target;
  }
  const options = shape.anyOf ?? shape.oneOf;
  if (!Array.isArray(options) || !isObject(value)) return shape;
  for (const option of options) {
    const resolved = isObject(option) ? shapeFor(option, value, root) : {};
    const properties = resolved.properties;
    if (isObject(properties) && Object.keys(value).every((key) => Object.hasOwn(properties, key)))
      return resolved;
  }
  return shape;
}
