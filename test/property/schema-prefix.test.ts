/** `schema_stream_abort` never ends an answer that the check of the whole would take, wherever the pieces are cut. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/model/llm/index.ts";
import { schemaInspector } from "../../src/model/llm-call/schema-prefix.ts";
import { checkSchema } from "../../src/model/values/schema-check.ts";
import { fromJson } from "../../src/values/index.ts";
import { agentRun } from "../support/agent-run.ts";

const name = fc.constantFrom("a", "b", "c", "__proto__");

const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<JsonObject>(
      {},
      { type: "integer" },
      { type: "number", minimum: 2 },
      { type: "string", maxLength: 2 },
      { type: "boolean" },
      { type: ["string", "null"] },
      { enum: ["x", 1, null] },
      { const: true },
      // Not bare: a union of the whole schema with itself describes nothing, and its check does not end.
      { $ref: "#" },
      { type: "object", properties: { a: { $ref: "#" } } },
      { type: "array", items: { $ref: "#" } },
    ),
    fc.record({
      type: fc.constant("array"),
      items: tie("schema"),
      maxItems: fc.constantFrom(0, 2),
      minItems: fc.constantFrom(0, 1),
    }) as fc.Arbitrary<JsonObject>,
    fc.record({
      type: fc.constant("object"),
      properties: fc.dictionary(name, tie("schema")),
      required: fc.uniqueArray(name, { maxLength: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
    }) as fc.Arbitrary<JsonObject>,
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }) as fc.Arbitrary<JsonObject>,
  ),
}));

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<Json>(null, true, 1, 2.5, "", "x", 'a"\\', "🦀🦀🦀"),
    fc.array(tie("value"), { maxLength: 3 }) as fc.Arbitrary<Json>,
    fc.dictionary(name, tie("value")) as fc.Arbitrary<Json>,
  ),
}));

const space = fc.constantFrom(undefined, 1);

it("takes every beginning of an answer that fits", () => {
  const { task } = agentRun();
  fc.assert(
    fc.property(schema, value, space, fc.integer({ min: 1, max: 7 }), (wanted, input, indent, size) => {
      const text = JSON.stringify(input, null, indent);
      const fits = checkSchema(fromJson(input), wanted, { defaults: true }).errors.length === 0;
      const inspect = schemaInspector(task, wanted);
      const findings = [...Array(Math.ceil(text.length / size)).keys()].map((at) =>
        inspect(text.slice(at * size, (at + 1) * size)),
      );
      if (fits) expect(findings.filter((found) => found !== null)).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});

it("takes any text without falling over", () => {
  const { task } = agentRun();
  const sign = fc.constantFrom(...'{}[]",:\\ \n`truefalsn0123.-eE');
  fc.assert(
    fc.property(schema, fc.array(sign, { maxLength: 40 }), (wanted, signs) => {
      const inspect = schemaInspector(task, wanted);
      for (const one of ["{", ...signs]) inspect(one);
    }),
    { numRuns: 2000 },
  );
});
