import { describe, expect, test } from "vitest";
import { z } from "zod";
import { pathText, schemaWords } from "../../../src/diagnostics/schema-words.ts";

function report(schema: z.ZodType, value: unknown): string {
  const parsed = schema.safeParse(value, { error: schemaWords });
  return (parsed.error?.issues ?? [])
    .map(({ path, message }) => `${pathText("", path)} ${message}`.trim())
    .join("\n");
}

describe("what does not fit a schema, in words", () => {
  test.each([
    ["a missing text", z.string(), undefined, "is missing: it must be a text"],
    ["a number for a text", z.string(), 3, "must be a text, it is a number"],
    ["null", z.strictObject({}), null, "must be an object, it is null"],
    ["a list for an object", z.strictObject({}), [], "must be an object, it is a list"],
    ["an object for a list", z.array(z.string()), {}, "must be a list, it is an object"],
    ["a text for a bool", z.boolean(), "yes", "must be true or false, it is a text"],
    ["a fraction", z.number().int(), 1.5, "must be a whole number"],
    ["no number in a query", z.coerce.number().int(), "abc", "must be a number"],
    ["too small a number", z.number().min(1), 0, "must be at least 1"],
    ["too large a number", z.number().max(200), 201, "must be at most 200"],
    ["not above", z.number().gt(0), 0, "must be above 0"],
    ["not below", z.number().lt(1), 1, "must be below 1"],
    ["an empty text", z.string().min(1), "", "must not be empty"],
    ["an empty list", z.array(z.string()).min(1), [], "must not be empty"],
    ["a short text", z.string().min(3), "ab", "must have at least 3 characters; it has 2"],
    ["a long text", z.string().max(1), "ab", "must have at most 1 character; it has 2"],
    ["a long list", z.array(z.number()).max(2), [1, 2, 3], "must have at most 2 items; it has 3"],
    ["another value", z.enum(["a", "b", "c"]), "d", 'must be "a", "b" or "c"'],
    ["a missing value", z.literal([1, "x"]), undefined, 'is missing: it must be 1 or "x"'],
    ["no multiple", z.number().multipleOf(5), 3, "must be a multiple of 5"],
    ["another form", z.string().regex(/^a+$/), "b", "must have the form /^a+$/"],
    ["no address", z.url(), "b", "must be a valid url"],
    ["none of two forms", z.union([z.string(), z.number()]), true, "has none of the forms that it may have"],
    ["a key", z.record(z.string().max(2), z.number()), { abc: 1 }, "abc has a key that can't be used"],
    ["words of the schema", z.string().refine(() => false, "must rhyme"), "x", "must rhyme"],
    ["a rule without words", z.string().refine(() => false), "x", "does not fit"],
  ])("%s", (_what, schema, value, words) => {
    expect(report(schema, value)).toBe(words);
  });

  test("a place is a path of JSON", () => {
    expect(pathText("body", ["list", 1, "path", "a b", "c-d"])).toBe('body.list[1].path["a b"].c-d');
    expect(pathText("", ["list", 0])).toBe("list[0]");
    expect(pathText("", [])).toBe("");
  });
});
