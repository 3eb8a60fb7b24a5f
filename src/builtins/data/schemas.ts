/**
 * Schemas as builtins (builtins.md §2.11); the engine is shared with structured answers and tool arguments. `checked_options` gives
 * the options of functions that are written in the language what those of builtins get from their rows.
 */

import type { Task } from "../../interp/index.ts";
import { checkSchema, patternMatcher } from "../../model/index.ts";
import { at, defineBuiltins, fitsType, meantField, refusal, unknownOption } from "../../table/index.ts";
import {
  Dict,
  err,
  fromJsonSchema,
  List,
  normalSchema,
  okResult,
  thrown,
  toJsonSchema,
  typeOf,
  type Value,
} from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";

/** What a message begins with, and its code; the first that fits counts. */
const codes: readonly (readonly [RegExp, string])[] = [
  [/^expected type /, "wrong_type"],
  [/^missing required key /, "missing_key"],
  [/^unexpected key /, "unexpected_key"],
  [/^expected constant /, "wrong_constant"],
  [/^value did not match any union branch/, "no_union_branch"],
  [/^expected (length|value) (>=|>)/, "too_small"],
  [/^expected (length|value) (<=|<)/, "too_large"],
  [/^expected at least /, "too_few_items"],
  [/^expected at most /, "too_many_items"],
  [/^value does not match pattern /, "pattern_mismatch"],
  [/^value must be one of /, "not_in_enum"],
  [/^expected items to be unique/, "duplicate_items"],
  [/^unresolved schema reference /, "unresolved_reference"],
];

/** `at PATH: TEXT` in parts: `{path, message, code}`. */
function issueOf(error: string): Dict {
  const [, path = "root", message = error] = /^at (.*?): ([\s\S]*)$/.exec(error) ?? [];
  const code = codes.find(([pattern]) => pattern.test(message))?.[1] ?? "invalid";
  return Dict.of({ path, message, code });
}

const schemaIssues = (errors: readonly string[]): List => new List(errors.map(issueOf));

const malformed = "schema must be a dict";

interface SchemaParse {
  readonly value: Value;
  readonly errors: readonly string[];
}

function needSchema(schema: Value): Dict {
  if (!(schema instanceof Dict)) throw thrown(malformed);
  return schema;
}

function needTwo(name: string, value: Argument, schema: Argument): [Value, Value] {
  if (value === undefined || schema === undefined) throw thrown(`${name} requires 2 arguments`);
  return [value, schema];
}

function checkAgainstSchema(task: Task, value: Value, schema: Dict, defaults: boolean): SchemaParse {
  return checkSchema(value, schema, { defaults, matches: patternMatcher(task.runtime) });
}

function schemaResult(task: Task, name: string, input: Argument, schema: Argument, defaults: boolean): Value {
  const [value, wanted] = needTwo(name, input, schema);
  if (!(wanted instanceof Dict)) return err(Dict.of({ message: malformed, errors: new List([malformed]) }));
  const checked = checkAgainstSchema(task, value, wanted, defaults);
  if (checked.errors.length === 0) return okResult(checked.value);
  return err(
    Dict.of({
      message: checked.errors[0] ?? "",
      errors: new List([...checked.errors]),
      issues: schemaIssues(checked.errors),
      value: checked.value,
    }),
  );
}

function expectValue(task: Task, name: string, input: Argument, schema: Argument, defaults: boolean): Value {
  const [value, wanted] = needTwo(name, input, schema);
  const checked = checkAgainstSchema(task, value, needSchema(wanted), defaults);
  if (checked.errors.length > 0) throw thrown(checked.errors.join("; "));
  return checked.value;
}

function fits(task: Task, name: string, input: Argument, schema: Argument): boolean {
  const [value, wanted] = needTwo(name, input, schema);
  return checkAgainstSchema(task, value, needSchema(wanted), false).errors.length === 0;
}

function report(task: Task, input: Argument, schema: Argument, defaults: boolean): Value {
  const [value, wanted] = needTwo("schema_report", input, schema);
  const checked = checkAgainstSchema(task, value, needSchema(wanted), defaults);
  return Dict.of({
    ok: checked.errors.length === 0,
    message: checked.errors[0] ?? null,
    errors: new List([...checked.errors]),
    issues: schemaIssues(checked.errors),
    value: checked.value,
  });
}

/** Keeps or drops properties, in `properties` and `required` alike. */
function narrowedSchema(schema: Dict, keep: (key: string) => boolean): Dict {
  let narrow = schema;
  const properties = schema.get("properties");
  if (properties instanceof Dict) {
    narrow = narrow.with("properties", Dict.from([...properties.entries()].filter(([key]) => keep(key))));
  }
  const required = schema.get("required");
  if (required instanceof List) {
    narrow = narrow.with("required", new List(required.toArray().filter((key) => keep(textOf(key)))));
  }
  return narrow;
}

function partial(schema: Dict): Dict {
  let loose = schema.without("required");
  for (const [key, value] of schema.entries()) {
    if (key === "properties" && value instanceof Dict) {
      loose = loose.with(
        key,
        Dict.from([...value.entries()].map(([name, one]) => [name, inner(one)] as const)),
      );
    } else if (key === "items" || key === "additional_properties") loose = loose.with(key, inner(value));
    else if ((key === "union" || key === "all_of") && value instanceof List) {
      loose = loose.with(key, new List(value.toArray().map(inner)));
    }
  }
  return loose;
}

const inner = (value: Value): Value => (value instanceof Dict ? partial(value) : value);

const keySet = (keys: Argument): ReadonlySet<string> =>
  new Set(keys instanceof List ? keys.toArray().map((key) => textOf(key)) : []);

function conversion(doc: string, example: string, convert: (schema: Dict) => Dict) {
  return {
    doc,
    sig: "(schema: dict) -> dict",
    effect: "pure" as const,
    example,
    run: (_task: Task, schema: Argument): Value => convert(normalSchema(needSchema(schema ?? null))),
  };
}

const sample = '{type: "dict", required: ["a"], properties: {a: {type: "int"}}}';

export const schemas = defineBuiltins(
  "schemas",
  {
    schema_check: {
      doc: "`Ok(value)` when the value fits the schema, else `Err({message, errors, issues, value})`; `issues` are `{path, message, code}`.",
      sig: "(value: any, schema: dict) -> Result",
      effect: "pure",
      traits: ["takesSchema"],
      example:
        "unwrap_err(schema_check(\"x\", {type: \"int\"})).message  // at root: expected type 'int', got 'string'",
      run: (task, value: Argument, schema: Argument) =>
        schemaResult(task, "schema_check", value, schema, false),
    },
    schema_parse: {
      doc: "Like `schema_check`, with missing keys filled from `default`.",
      sig: "(value: any, schema: dict) -> Result",
      effect: "pure",
      traits: ["takesSchema"],
      example:
        'schema_parse({}, {type: "dict", properties: {a: {type: "int", default: 1}}})  // Result.Ok({a: 1})',
      run: (task, value: Argument, schema: Argument) =>
        schemaResult(task, "schema_parse", value, schema, true),
    },
    schema_is: {
      doc: "Whether the value fits the schema.",
      sig: "(value: any, schema: dict) -> bool",
      effect: "pure",
      traits: ["takesSchema"],
      example: 'schema_is(5, {type: "float"})  // false',
      run: (task, value: Argument, schema: Argument) => fits(task, "schema_is", value, schema),
    },
    is_type: {
      doc: "Whether the value fits the schema or type alias.",
      sig: "(value: any, schema: dict) -> bool",
      effect: "pure",
      traits: ["takesSchema"],
      example: 'is_type("a", {type: "string"})  // true',
      run: (task, value: Argument, schema: Argument) => fits(task, "is_type", value, schema),
    },
    schema_expect: {
      doc: "The value when it fits the schema; throws all messages when it doesn't.",
      sig: "(value: any, schema: dict, apply_defaults: bool = false) -> any",
      effect: "pure",
      traits: ["takesSchema"],
      example: 'schema_expect(5, {type: "int", min: 1})  // 5',
      run: (task, value: Argument, schema: Argument, defaults: Argument) =>
        expectValue(task, "schema_expect", value, schema, defaults === true),
    },
    json_validate: {
      doc: "true when the value fits the schema; throws all messages when it doesn't.",
      sig: "(value: any, schema: dict) -> bool",
      effect: "pure",
      traits: ["takesSchema"],
      example: 'json_validate([1], {type: "list", items: {type: "int"}})  // true',
      run: (task, value: Argument, schema: Argument) => {
        expectValue(task, "json_validate", value, schema, false);
        return true;
      },
    },
    schema_report: {
      doc: "`{ok, message, errors, issues, value}`; `issues` are `{path, message, code}`.",
      sig: "(value: any, schema: dict, apply_defaults: bool = false) -> dict",
      effect: "pure",
      example:
        'schema_report({}, {type: "dict", required: ["a"]}).issues  // [{code: missing_key, message: missing required key \'a\', path: root}]',
      run: (task, value: Argument, schema: Argument, defaults: Argument) =>
        report(task, value, schema, defaults === true),
    },
    schema_of: {
      doc: "The schema of a type alias; a schema dict passes through.",
      sig: "(type: any) -> dict",
      effect: "pure",
      traits: ["takesSchema"],
      example: 'schema_of({type: "int"})  // {type: int}',
      run: (_task, schema: Argument) => {
        if (schema instanceof Dict) return schema;
        throw thrown(`schema_of: expected a type alias or schema dict, got ${typeOf(schema ?? null)}`);
      },
    },
    schema_to_json_schema: conversion(
      "The schema as JSON Schema.",
      'schema_to_json_schema({type: "int", min: 1, nullable: true})  // {minimum: 1.0, type: [integer, null]}',
      (schema) => toJsonSchema(schema),
    ),
    schema_from_json_schema: conversion(
      "JSON Schema in the language's own spelling.",
      'schema_from_json_schema({type: "array", items: {type: "string"}})  // {items: {type: string}, type: list}',
      fromJsonSchema,
    ),
    schema_to_openapi_schema: conversion(
      "The schema as OpenAPI.",
      'schema_to_openapi_schema({type: "int", nullable: true})  // {nullable: true, type: integer}',
      (schema) => toJsonSchema(schema, true),
    ),
    schema_from_openapi_schema: conversion(
      "An OpenAPI schema in the language's own spelling.",
      'schema_from_openapi_schema({type: "integer", nullable: true})  // {nullable: true, type: int}',
      fromJsonSchema,
    ),
    schema_pick: {
      doc: "A schema with some properties only.",
      sig: "(schema: dict, keys: list<string>) -> dict",
      effect: "pure",
      example: `schema_pick(${sample}, ["a"]).required  // [a]`,
      run: (_task, schema: Argument, keys: Argument) => {
        const kept = keySet(keys);
        return narrowedSchema(normalSchema(needSchema(schema ?? null)), (key) => kept.has(key));
      },
    },
    schema_omit: {
      doc: "A schema without some properties.",
      sig: "(schema: dict, keys: list<string>) -> dict",
      effect: "pure",
      example: `schema_omit(${sample}, ["a"]).required  // []`,
      run: (_task, schema: Argument, keys: Argument) => {
        const dropped = keySet(keys);
        return narrowedSchema(normalSchema(needSchema(schema ?? null)), (key) => !dropped.has(key));
      },
    },
    schema_partial: {
      doc: "A schema in which no property is required, at any depth.",
      sig: "(schema: dict) -> dict",
      effect: "pure",
      example: `schema_partial(${sample}).required  // nil`,
      run: (_task, schema: Argument) => partial(normalSchema(needSchema(schema ?? null))),
    },
    schema_extend: {
      doc: "The keys of both schemas; the second's win.",
      sig: "(a: dict, b: dict) -> dict",
      effect: "pure",
      example:
        'schema_extend({type: "dict", title: "A"}, {required: ["x"]})  // {required: [x], title: A, type: dict}',
      run: (_task, a: Argument, b: Argument) => needSchema(a ?? null).merge(needSchema(b ?? null)),
    },
  },
  { schema: "a schema", a: "a schema", b: "a schema" },
);

/** Names that may be given, each with its type; `any` where the caller looks at it itself. */
function knownNames(known: Dict | List): Map<string, string> {
  if (known instanceof Dict)
    return new Map([...known.entries()].map(([name, type]) => [name, textOf(type)] as const));
  return new Map([...known].map((name) => [textOf(name), "any"] as const));
}

function fitsKnown(name: string, type: string, value: Value): boolean {
  try {
    return fitsType(type, value);
  } catch {
    throw thrown(`checked_options: known.${name}: \`${type}\` is not a type`);
  }
}

function checked(caller: Argument, options: Argument, known: Dict | List): Value {
  const names = knownNames(known);
  const who = textOf(caller);
  if (options === undefined || options === null) return Dict.of({});
  if (!(options instanceof Dict)) throw refusal(at(who, "options"), "dict", options);
  for (const [name, value] of options.entries()) {
    const type = names.get(name);
    if (type === undefined)
      throw thrown(
        unknownOption({ caller: who, path: "" }, name, meantField(name, names.keys(), "there are ")),
      );
    // Nil is as good as nothing.
    if (value !== null && !fitsKnown(name, type, value))
      throw refusal({ caller: who, path: name }, type, value);
  }
  return options;
}

export const checkedOptions = defineBuiltins("options", {
  checked_options: {
    doc: 'The options of a function of one\'s own, checked: `known` has the type of each that there is (`{limit: "int", tags: "string | list"}`), or is a list of names. Gives the dict, an empty one for nil. One that nobody knows is refused with the one that was probably meant, one of another type with both types.',
    sig: "(caller: string, options: dict | nil, known!: dict | list) -> dict",
    effect: "pure",
    fields: {
      options: "what the caller's own function takes: its names are those of `known`",
      known: "a type for each name",
    },
    example: 'checked_options("greet", {times: 2}, {times: "int"}).times  // 2',
    run: (_task, caller: Argument, options: Argument, known: Dict | List) => checked(caller, options, known),
  },
});
