/**
 * Run-time checks of annotated parameters (language.md §16), compiled once per parameter. A check gives the error to
 * raise, or `undefined`. Ints and floats are acceptable for each other at every level; structs count as dicts.
 */
import { nearest } from "../../diagnostics/index.ts";
import type { TypeExpr } from "../../syntax/index.ts";
import { Callable } from "../callable.ts";
import type { Dict } from "../collections/dict.ts";
import { List } from "../collections/list.ts";
import { equals } from "../equality.ts";
import { EnumValue, Float, StructValue } from "../scalars.ts";
import { runtimeError, type ScriptError, typeError } from "../script-error.ts";
import { display, displayAnyway } from "../text/display.ts";
import { compareTexts } from "../text/text-order.ts";
import { nominalType } from "../text/unknown-name.ts";
import { isDictLike, isInt, typeOf } from "../type-name.ts";
import type { Value } from "../value.ts";
import { lowerType, type Schema, schemaName } from "./schema.ts";

/** The failure of a value, or `undefined`. */
export type ParamCheck = (value: Value) => ScriptError | undefined;

export interface ParamCheckOptions {
  /** What the file declares under a type name, as far as it is checked at run time. */
  readonly declared?: (name: string) => "interface" | "struct" | "enum" | undefined;
  /** The function, as its error calls it. */
  readonly fn?: string;
  /** The parameter is `...rest`: its annotation may describe the list or each element. */
  readonly rest?: boolean;
}

/** The check of a parameter; `undefined` when its annotation has nothing to check. */
export function compileParamCheck(
  param: string,
  type: TypeExpr,
  options: ParamCheckOptions = {},
): ParamCheck | undefined {
  const name = type.kind === "NamedType" ? type.name.text : "";
  const declared = options.declared?.(name);
  if (declared === "interface") return interfaceCheck(param, name);
  if (declared !== undefined) {
    const check = nominalCheck(param, name, declared, options.fn ?? "<closure>");
    return options.rest === true ? restCheck(check, false) : check;
  }
  if (type.kind === "IntersectionType") {
    const checks = type.members.map((member) => compileParamCheck(param, member, options));
    return (value) => firstFailure(checks, value);
  }
  const schema = lowerType(type);
  if (schema === undefined) return undefined;
  const check = compileSchema(param, schema);
  return options.rest === true ? restCheck(check, schemaName(schema) === "list") : check;
}

/** The check of a parameter against a schema. */
export function compileSchema(param: string, schema: Schema): ParamCheck {
  // The commonest annotations get a test of their own; everything else is interpreted.
  if (schema.kind === "type") {
    const test = testOfTypeName(schema.name);
    return (value) => (test(value) ? undefined : paramMismatch(param, schema, value));
  }
  return (value) => checkRoot(param, schema, value);
}

function firstFailure(checks: readonly (ParamCheck | undefined)[], value: Value): ScriptError | undefined {
  for (const check of checks) {
    const failure = check?.(value);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

const interfaceCheck =
  (param: string, name: string): ParamCheck =>
  (value) =>
    value instanceof StructValue
      ? undefined
      : typeError(
          `parameter '${param}': expected value satisfying interface '${name}', got ${typeOf(value)}`,
        );

/** A struct or enum is known by its name (language.md §16). */
function nominalCheck(param: string, name: string, kind: "struct" | "enum", fn: string): ParamCheck {
  const fits = (value: Value): boolean =>
    kind === "struct"
      ? value instanceof StructValue && value.struct.name === name
      : value instanceof EnumValue && value.enumName === name;
  return (value) =>
    fits(value)
      ? undefined
      : typeError(`'${fn}' parameter \`${param}\` expects ${name}, got ${nominalType(value)}`);
}

/** Either reading of a rest annotation will do; the failure is that of the likelier one. */
const restCheck =
  (check: ParamCheck, ofList: boolean): ParamCheck =>
  (value) => {
    const whole = check(value);
    if (whole === undefined || !(value instanceof List)) return whole;
    for (const item of value) {
      const failure = check(item);
      if (failure !== undefined) return ofList ? whole : failure;
    }
    return undefined;
  };

function testOfTypeName(name: string): (value: Value) => boolean {
  switch (name) {
    case "int":
    case "float":
      return (value) => isInt(value) || value instanceof Float;
    case "string":
      return (value) => typeof value === "string";
    case "bool":
      return (value) => typeof value === "boolean";
    case "nil":
      return (value) => value === null;
    case "list":
      return (value) => value instanceof List;
    case "dict":
      return isDictLike;
    case "closure":
      return (value) => value instanceof Callable && value.type === "closure";
    default:
      return (value) => typeOf(value) === name;
  }
}

type DictLike = Dict | StructValue;

/** Whether a value fits a schema. */
export function fits(schema: Schema, value: Value): boolean {
  return itemFailure(schema, value, "") === undefined;
}

const paramMismatch = (param: string, schema: Schema, value: Value): ScriptError => {
  if (schemaName(schema) === "dict") {
    return typeError(`parameter '${param}': expected dict or struct, got ${typeOf(value)}`);
  }
  return runtimeError(`TypeError: ${expected(param, schema, value)}`);
};

const expected = (param: string, schema: Schema, value: Value): string =>
  `parameter '${param}' expected ${schemaName(schema)}, got ${typeOf(value)} (${displayAnyway(value)})`;

/** The annotation of the parameter itself. */
function checkRoot(param: string, schema: Schema, value: Value): ScriptError | undefined {
  switch (schema.kind) {
    case "type":
      return testOfTypeName(schema.name)(value) ? undefined : paramMismatch(param, schema, value);
    case "union":
      return fits(schema, value) ? undefined : paramMismatch(param, schema, value);
    case "list": {
      if (!(value instanceof List)) return paramMismatch(param, schema, value);
      const failure = itemsFailure(schema.items, value, "root");
      return failure === undefined ? undefined : runtimeError(`TypeError: parameter '${param}': ${failure}`);
    }
    case "enum":
    case "const": {
      if (!testOfTypeName(schema.base)(value)) return paramMismatch(param, schema, value);
      const failure = constantFailure(schema, value);
      return failure === undefined ? undefined : runtimeError(`TypeError: parameter '${param}': ${failure}`);
    }
    case "dict":
    case "shape":
      return isDictLike(value) ? checkMembers(param, schema, value) : paramMismatch(param, schema, value);
  }
}

function checkMembers(
  param: string,
  schema: Extract<Schema, { kind: "dict" | "shape" }>,
  value: DictLike,
): ScriptError | undefined {
  if (schema.kind === "dict") {
    for (const [key, item] of value.entries()) {
      const failure = checkField(param, key, schema.values, item);
      if (failure !== undefined) return failure;
    }
    return undefined;
  }
  for (const { name, optional, schema: field } of schema.fields) {
    if (!optional && value.get(name) === undefined) return missingField(param, name, field, value);
  }
  for (const { name, schema: field } of schema.fields.toSorted((a, b) => compareTexts(a.name, b.name))) {
    const item = value.get(name);
    if (item === undefined) continue;
    const failure = checkField(param, name, field, item);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function missingField(param: string, name: string, schema: Schema, value: DictLike): ScriptError {
  const present = [...value.entries()].map(([key]) => key).filter((key) => key[0] === name[0]);
  const near = nearest(name, present);
  const hint = near === undefined ? "" : `, did you mean '${near}'?`;
  return typeError(`parameter '${param}': missing field '${name}' (${schemaName(schema)})${hint}`);
}

/** A field of a shape, or a value of `dict<string, V>`. */
function checkField(param: string, name: string, schema: Schema, value: Value): ScriptError | undefined {
  const inner = `${param}.${name}`;
  const wrongType = (): ScriptError => {
    const wanted = schemaName(schema) === "dict" ? "dict or struct" : schemaName(schema);
    return typeError(`parameter '${param}': field '${name}' expected ${wanted}, got ${typeOf(value)}`);
  };
  const inside = (failure: string | undefined): ScriptError | undefined =>
    failure === undefined ? undefined : typeError(`parameter '${inner}': ${failure}`);
  switch (schema.kind) {
    case "type":
      return testOfTypeName(schema.name)(value) ? undefined : wrongType();
    case "union":
      return fits(schema, value) ? undefined : typeError(expected(inner, schema, value));
    case "list":
      return value instanceof List ? inside(itemsFailure(schema.items, value, "root")) : wrongType();
    case "enum":
    case "const":
      return testOfTypeName(schema.base)(value) ? inside(constantFailure(schema, value)) : wrongType();
    case "dict":
    case "shape":
      return isDictLike(value) ? checkMembers(inner, schema, value) : wrongType();
  }
}

function constantFailure(
  schema: Extract<Schema, { kind: "enum" | "const" }>,
  value: Value,
): string | undefined {
  if (schema.kind === "const") {
    if (equals(schema.value, value)) return undefined;
    return `expected constant ${display(schema.value)}, got ${displayAnyway(value)}`;
  }
  if (schema.values.some((allowed) => equals(allowed, value))) return undefined;
  return `value must be one of ${display(new List([...schema.values]))}`;
}

function itemsFailure(schema: Schema, list: List, path: string): string | undefined {
  for (let i = 0; i < list.length; i++) {
    const failure = itemFailure(schema, list.buffer[i] as Value, `${path}[${i}]`);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/** Below a list the messages are those of the schema functions (builtins.md §2.11). */
function itemFailure(schema: Schema, value: Value, path: string): string | undefined {
  const wrongType = (): string => `at ${path}: expected type '${schemaName(schema)}', got '${typeOf(value)}'`;
  switch (schema.kind) {
    case "type":
      return testOfTypeName(schema.name)(value) ? undefined : wrongType();
    case "union":
      if (schema.members.some((member) => itemFailure(member, value, path) === undefined)) return undefined;
      return `at ${path}: value did not match any union branch`;
    case "list":
      return value instanceof List ? itemsFailure(schema.items, value, path) : wrongType();
    case "enum":
    case "const": {
      if (!testOfTypeName(schema.base)(value)) return wrongType();
      const failure = constantFailure(schema, value);
      return failure === undefined ? undefined : `at ${path}: ${failure}`;
    }
    case "dict":
    case "shape":
      return isDictLike(value) ? membersFailure(schema, value, path) : wrongType();
  }
}

function membersFailure(
  schema: Extract<Schema, { kind: "dict" | "shape" }>,
  value: DictLike,
  path: string,
): string | undefined {
  if (schema.kind === "dict") {
    for (const [key, item] of value.entries()) {
      const failure = itemFailure(schema.values, item, `${path}.${key}`);
      if (failure !== undefined) return failure;
    }
    return undefined;
  }
  for (const { name, optional, schema: field } of schema.fields) {
    const item = value.get(name);
    if (item === undefined) {
      if (optional) continue;
      return `at ${path}: missing required key '${name}'`;
    }
    const failure = itemFailure(field, item, `${path}.${name}`);
    if (failure !== undefined) return failure;
  }
  return undefined;
}
