/**
 * `schema_stream_abort`: whether the beginning of an answer can still become JSON that fits its schema.
 *
 * It finds what no continuation could mend: a value of another type, a key that is not allowed, a scalar outside its
 * limits, a list with too many items, an object that closes without a required key. What the beginning cannot decide
 * (unions that are still open, `allOf`) it leaves to the check of the complete answer, so it never refuses what that
 * check would take.
 */
import type { Task } from "../../interp/index.ts";
import { Dict, fromJson, List, type Value } from "../../values/index.ts";
import { isObject, type Json, type JsonObject } from "../llm/index.ts";
import type { CallPlan, Inspector } from "../model-call/index.ts";
import { checkSchema, requiredKeys, type SchemaOptions } from "../values/schema-check.ts";
import { patternMatcher } from "../values/schema-pattern.ts";
import { type JsonListener, JsonPrefix } from "./json-prefix.ts";

/** What makes an inspector for each attempt of a call; undefined where its options ask for none. */
export function inspectorOf(
  task: Task,
  { streamAbort, schema }: Pick<CallPlan, "streamAbort" | "schema">,
): (() => Inspector) | undefined {
  return streamAbort && schema !== null ? () => schemaInspector(task, schema) : undefined;
}

/** Gives what is wrong as soon as something is: `at a: expected type 'int', got 'string'`. */
export function schemaInspector(task: Task, schema: JsonObject): Inspector {
  const check = new PrefixCheck(schema, { defaults: true, matches: patternMatcher(task.runtime) });
  const reader = new JsonPrefix(check);
  return (piece) => {
    reader.push(piece);
    return check.violation;
  };
}

interface SchemaPlace {
  readonly kind: "dict" | "list";
  /** What this value may be: one schema, or the branches of a union that still fit. */
  readonly schemas: readonly JsonObject[];
  readonly path: string;
  readonly keys: Set<string>;
  key: string;
  items: number;
}

class PrefixCheck implements JsonListener {
  violation: string | null = null;
  private readonly root: JsonObject;
  private readonly options: SchemaOptions;
  private readonly places: SchemaPlace[] = [];

  constructor(root: JsonObject, options: SchemaOptions) {
    this.root = root;
    this.options = options;
  }

  open(kind: "dict" | "list"): boolean {
    const { schemas, path } = this.next();
    const empty = kind === "dict" ? new Dict() : new List([]);
    const fitting = this.fitting(schemas, path, (schema) => this.typeErrors(empty, schema));
    this.places.push({ kind, schemas: fitting, path, keys: new Set(), key: "", items: 0 });
    return this.violation === null;
  }

  close(): boolean {
    const place = this.places.pop();
    if (place?.kind === "dict")
      this.fitting(place.schemas, place.path, (schema) => missingPrefixKey(schema, place.keys));
    if (place?.kind === "list")
      this.fitting(place.schemas, place.path, (schema) => tooFew(schema, place.items));
    return this.violation === null;
  }

  key(name: string): boolean {
    const place = this.places.at(-1) as SchemaPlace;
    place.key = name;
    place.keys.add(name);
    this.fitting(place.schemas, place.path, (schema) =>
      childOf(schema, name) === null ? `unexpected key '${name}'` : null,
    );
    return this.violation === null;
  }

  stringBegins(): boolean {
    const { schemas, path } = this.peek();
    this.fitting(schemas, path, (schema) => this.typeErrors("", schema));
    return this.violation === null;
  }

  scalar(value: Json): boolean {
    const { schemas, path } = this.next();
    const input = fromJson(value);
    this.fitting(schemas, path, (schema) =>
      firstError(input, { ...schema, ...this.definitions }, this.options),
    );
    return this.violation === null;
  }

  /** The schemas of the value that comes now, counted. */
  private next(): { schemas: readonly JsonObject[]; path: string } {
    const found = this.peek();
    const place = this.places.at(-1);
    if (place?.kind === "list") {
      place.items++;
      this.fitting(place.schemas, place.path, (schema) => tooManyItems(schema, place.items));
    }
    return found;
  }

  private peek(): { schemas: readonly JsonObject[]; path: string } {
    const place = this.places.at(-1);
    if (place === undefined) return { schemas: this.branches(this.root), path: "root" };
    const { kind, key, items, schemas, path } = place;
    const children = schemas
      .map((schema) => (kind === "dict" ? childOf(schema, key) : itemSchema(schema)))
      .filter((child) => child !== null);
    const own = kind === "list" ? `${path}[${items}]` : path === "root" ? key : `${path}.${key}`;
    return { schemas: children.flatMap((child) => this.branches(child)), path: own };
  }

  /** Those that the value fits so far. None: that is the violation. */
  private fitting(
    schemas: readonly JsonObject[],
    path: string,
    wrong: (schema: JsonObject) => string | null,
  ): readonly JsonObject[] {
    if (this.violation !== null) return schemas;
    const errors = schemas.map(wrong);
    const left = schemas.filter((_schema, index) => errors[index] === null);
    if (left.length > 0 || schemas.length === 0) return left;
    const text = schemas.length === 1 ? errors[0] : "value did not match any union branch";
    this.violation = `at ${path}: ${text}`;
    return left;
  }

  private typeErrors(value: Value, { type, nullable, properties }: JsonObject): string | null {
    // A schema with fields means a dict even where nobody wrote so.
    const bare: JsonObject = { ...(isObject(properties) ? { properties: {} } : {}) };
    if (type !== undefined) bare.type = type;
    if (nullable !== undefined) bare.nullable = nullable;
    return firstError(value, bare, {});
  }

  /**
   * A schema's references followed and its unions taken apart; what can't be resolved takes anything. A schema that leads
   * back to itself adds nothing to its own branches.
   */
  private branches(schema: JsonObject, seen: ReadonlySet<JsonObject> = new Set()): readonly JsonObject[] {
    if (seen.has(schema)) return [];
    const met = new Set([...seen, schema]);
    const { $ref: reference } = schema;
    if (typeof reference === "string") {
      const found = this.pointed(reference);
      return found === undefined ? [{}] : this.branches(found, met);
    }
    for (const name of ["union", "oneOf", "anyOf"]) {
      const list = schema[name];
      if (!Array.isArray(list) || list.length === 0) continue;
      const parts = list.filter(isObject).flatMap((part) => this.branches(part, met));
      return schema.nullable === true ? [...parts, { type: "nil" }] : parts;
    }
    return [schema];
  }

  private pointed(reference: string): JsonObject | undefined {
    if (reference === "#") return this.root;
    if (!reference.startsWith("#/")) return undefined;
    let at: Json | undefined = this.root;
    for (const step of reference.slice(2).split("/")) {
      const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
      if (!isObject(at) || !Object.hasOwn(at, name)) return undefined;
      at = at[name];
    }
    return isObject(at) ? at : undefined;
  }

  /** What references inside a part may point to. */
  private get definitions(): JsonObject {
    const { $defs, definitions, components } = this.root;
    return { $defs, definitions, components };
  }
}

/** The schema of a key; `{}` where nothing is said, null where the key is not allowed. */
function childOf(schema: JsonObject, key: string): JsonObject | null {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (isObject(own)) return own;
  const rule = schema.additional_properties ?? schema.additionalProperties;
  if (own === undefined && rule === false) return null;
  return own === undefined && isObject(rule) ? rule : {};
}

const itemSchema = ({ items }: JsonObject): JsonObject => (isObject(items) ? items : {});

function missingPrefixKey(schema: JsonObject, keys: ReadonlySet<string>): string | null {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const filled = (key: string): boolean => {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    return isObject(property) && Object.hasOwn(property, "default");
  };
  const missing = requiredKeys(schema).find((key) => !keys.has(key) && !filled(key));
  return missing === undefined ? null : `missing required key '${missing}'`;
}

function tooManyItems(schema: JsonObject, count: number): string | null {
  const max = schema.max_items ?? schema.maxItems;
  return typeof max === "number" && count > max ? `expected at most ${max} items, got ${count}` : null;
}

function tooFew(schema: JsonObject, count: number): string | null {
  const min = schema.min_items ?? schema.minItems;
  return typeof min === "number" && count < min ? `expected at least ${min} items, got ${count}` : null;
}

/** The first error without its place: the caller knows a better one. */
function firstError(value: Value, schema: JsonObject, options: SchemaOptions): string | null {
  const [first] = checkSchema(value, schema, options).errors;
  return first === undefined ? null : first.slice(first.indexOf(": ") + 2);
}
