/** Keywords of JSON Schema 2020-12, judged (issue 12, 21), and those that are told as not judged. */
import { expect, it, test } from "vitest";
import type { JsonObject } from "../../../../src/model/llm/index.ts";
import { checkSchema } from "../../../../src/model/values/schema-check.ts";
import { keywordsNotJudged } from "../../../../src/model/values/schema-keywords.ts";
import { type Dict, fromJson } from "../../../../src/values/index.ts";

const matches = (pattern: string, text: string): boolean => new RegExp(pattern, "u").test(text);
type Argument = Parameters<typeof fromJson>[0];
const errors = (schema: JsonObject, value: Argument): readonly string[] =>
  checkSchema(fromJson(value), schema, { matches }).errors;

/** As text: an object with `then` looks like a promise to JavaScript. */
const choice: JsonObject = JSON.parse(
  `{"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}`,
);

const cases: readonly (readonly [schema: JsonObject, right: Argument, wrong: Argument, said: string])[] = [
  [{ multipleOf: 5 }, 10, 7, "at root: expected a multiple of 5, got 7"],
  [{ multipleOf: 0.1 }, 0.3, 0.35, "at root: expected a multiple of 0.1, got 0.35"],
  [{ not: { type: "string" } }, 1, "x", "at root: value must not fit {type: string}, got x"],
  [{ minProperties: 1 }, { a: 1 }, {}, "at root: expected at least 1 key, got 0"],
  [{ maxProperties: 1 }, { a: 1 }, { a: 1, b: 2 }, "at root: expected at most 1 key, got 2"],
  [
    { dependentRequired: { a: ["b"] } },
    { a: 1, b: 2 },
    { a: 1 },
    "at root: missing key 'b', which 'a' needs",
  ],
  [{ dependentSchemas: { a: { required: ["b"] } } }, { b: 1 }, { a: 1 }, "at root: missing required key 'b'"],
  [
    { propertyNames: { maxLength: 2 } },
    { ab: 1 },
    { abc: 1 },
    "at root: key 'abc' does not fit {maxLength: 2}",
  ],
  [
    { patternProperties: { "^n_": { type: "integer" } } },
    { n_a: 1, x: "free" },
    { n_a: "one" },
    "at n_a: expected type 'int', got 'string'",
  ],
  [
    { patternProperties: { "^n_": true }, additionalProperties: false },
    { n_a: 1 },
    { other: 1 },
    "at root: unexpected key 'other'",
  ],
  [
    { prefixItems: [{ type: "string" }], items: { type: "integer" } },
    ["x", 1, 2],
    ["x", "y"],
    "at root[1]: expected type 'int', got 'string'",
  ],
  [{ prefixItems: [{ type: "string" }] }, ["x", 5], [1], "at root[0]: expected type 'string', got 'int'"],
  [
    { contains: { type: "integer" } },
    ["x", 1],
    ["x"],
    "at root: expected at least 1 item that fit {type: integer}, got 0",
  ],
  [
    { contains: { const: 1 }, maxContains: 1 },
    [1, 2],
    [1, 1],
    "at root: expected at most 1 item that fit {const: 1}, got 2",
  ],
  [{ uniqueItems: true }, [1, 2], [1, 1], "at root: expected items to be unique"],
  [choice, { a: 1, b: 2 }, { a: 1 }, "at root: missing required key 'b'"],
  [choice, { c: 1 }, { d: 1 }, "at root: missing required key 'c'"],
];

test.each(cases)("%j", (schema, right, wrong, said) => {
  expect(errors(schema, right)).toEqual([]);
  expect(errors(schema, wrong)).toEqual([said]);
});

it("a schema that refers to itself through a condition ends", () => {
  expect(errors(JSON.parse(`{"if": {}, "then": {"$ref": "#"}}`), 1)).toEqual([
    "at root: the schema refers to itself without end",
  ]);
});

it("what is not judged is named with its path", () => {
  expect(
    keywordsNotJudged(
      fromJson({
        unevaluatedProperties: false,
        properties: { dependencies: { type: "array", items: { unevaluatedItems: false } } },
        allOf: [{ $dynamicRef: "#x" }],
        format: "uri",
      }) as Dict,
    ).sort(),
  ).toEqual([
    "allOf[0].$dynamicRef",
    "properties.dependencies.items.unevaluatedItems",
    "unevaluatedProperties",
  ]);
});
