/** `tool({…})`: what it makes, and what it says of what it can't make. */
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { HarnError } from "../../../../src/library/errors.ts";
import { tool } from "../../../../src/library/tool.ts";
import type { AnyTool, Schema, ToolContext } from "../../../../src/library/types.ts";

const context: ToolContext = {
  signal: new AbortController().signal,
  idempotencyKey: "r#0#0",
  attempt: 1,
  run: "r",
  call: "",
};
const input = z.object({ word: z.string(), times: z.number().default(2) });
const good = {
  name: "repeat",
  description: "Repeats.",
  input,
  execute: ({ word, times }: { word: string; times: number }) => word.repeat(times),
};

/** What is said of a tool that is given with or without the types' consent. */
function said(spec: unknown): string {
  try {
    tool(spec as typeof good);
  } catch (error) {
    expect(error).toBeInstanceOf(HarnError);
    expect((error as HarnError).code).toBe("HARN-LIB-006");
    return (error as HarnError).message;
  }
  return "";
}
const without = (key: keyof typeof good): object => {
  const { [key]: _, ...rest } = good;
  return rest;
};

describe("a tool", () => {
  it("is what models and runs need, and what it is by default", async () => {
    const one = tool(good);
    expect(one).toMatchObject({
      name: "repeat",
      description: "Repeats.",
      effect: "write",
      idempotent: false,
      timeout: undefined,
      approval: false,
      returns: undefined,
    });
    expect(one.parameters).toEqual({
      type: "object",
      properties: { word: { type: "string" }, times: { default: 2, type: "number" } },
      required: ["word"],
    });
    expect(await one.call({ word: "ab" }, context)).toBe("abab");
    expect(Object.isFrozen(one)).toBe(true);
  });

  it("keeps its `this`", async () => {
    const counter = {
      ...good,
      count: 0,
      execute() {
        return typeof this;
      },
    };
    const { count: _, ...spec } = counter;
    expect(await tool(spec).call({ word: "a" }, context)).toBe("object");
  });

  it.each([
    ["zod", tool({ ...good, output: z.string() })],
    [
      "arktype",
      tool({
        name: "repeat",
        description: "Repeats.",
        input: type({ word: "string", times: "number = 2" }),
        output: type("string"),
        execute: ({ word, times }) => word.repeat(times),
      }),
    ],
    [
      "valibot",
      tool({
        name: "repeat",
        description: "Repeats.",
        input: toStandardJsonSchema(v.object({ word: v.string(), times: v.optional(v.number(), 2) })),
        output: toStandardJsonSchema(v.string()),
        execute: ({ word, times }) => word.repeat(times),
      }),
    ],
  ] satisfies [string, AnyTool][])("of %s validates, and says its schemas", async (_name, one) => {
    expect(one.parameters).toMatchObject({ type: "object", required: ["word"] });
    expect(one.parameters.properties).toMatchObject({ word: { type: "string" }, times: { type: "number" } });
    expect(one.parameters).not.toHaveProperty("$schema");
    expect(one.returns).toEqual({ type: "string" });
    expect(await one.call({ word: "ab" }, context)).toBe("abab");
    await expect(one.call({ word: 1 }, context)).rejects.toThrow(
      /^the input of repeat does not fit its schema: \$\.word: /,
    );
  });
});

describe("refuses", () => {
  it("what it does not know, with what was meant", () => {
    expect(said({ ...good, descripton: "x" })).toBe(
      "tool `repeat`: there is no option `descripton`, did you mean `description`?",
    );
    expect(said({ ...good, handler: () => 1 })).toContain(
      "there is no option `handler`, did you mean `execute`?",
    );
    expect(said({ ...good, parameters: {} })).toContain("did you mean `input`?");
  });

  it.each([
    ["an effect that is none", { effect: "observe" }, '`effect` is "observe", expected "read", "write"'],
    ["a timeout of nothing", { timeout: 0 }, "`timeout` is 0, expected a whole number from 1"],
    ["no description", { description: "" }, "`description` is an empty text, expected a text"],
    ["a name with blanks", { name: "re peat" }, "`name` must have 1 to 64 letters, digits, `_` and `-`"],
    ["a name of 65", { name: "x".repeat(65) }, "`name` must have 1 to 64"],
    ["a function that is none", { execute: "x" }, "`execute` is a string, expected a function"],
    [
      "a plain JSON Schema",
      { input: { type: "object" } },
      "`input` is an object, expected a schema that follows Standard Schema",
    ],
    ["approval by a word", { approval: "yes" }, "`approval` is a string, expected true or false"],
  ])("%s", (_name, wrong, wanted) => {
    expect(said({ ...good, ...wrong })).toContain(wanted);
  });

  it.each(["name", "description", "input", "execute"] as const)("one without `%s`", (key) => {
    expect(said(without(key))).toContain(`it lacks \`${key}\``);
  });

  it("what is no object, and says all that is wrong at once", () => {
    expect(said(undefined)).toMatch(/^tool: the options are a undefined, not an object$|not an object/);
    expect(said({ name: "" }).split("; ").length).toBeGreaterThan(1);
  });
});

describe("the schema for models", () => {
  const own = (vendor: string): Schema => ({
    "~standard": { version: 1, vendor, validate: (value) => ({ value }) },
  });

  it.each([
    [
      "valibot",
      v.object({ a: v.string() }) as Schema,
      'input: toStandardJsonSchema(…)   // import { toStandardJsonSchema } from "@valibot/to-json-schema"',
    ],
    ["zod", own("zod"), "inputSchema: z.toJSONSchema(…)   // zod says it by itself from 4.2 on"],
    [
      "arktype",
      own("arktype"),
      "inputSchema: ….toJsonSchema()   // arktype says it by itself from 2.1.28 on",
    ],
    ["mine", own("mine"), 'inputSchema: { type: "object", properties: { … }, required: [ … ] }'],
  ])("where %s can't say it the line to write is told", (vendor, schema, line) => {
    expect(said({ ...good, input: schema })).toBe(
      `tool \`repeat\`: this ${vendor} schema can't say its JSON Schema by itself; write\n  ${line}`,
    );
  });

  it("that has no form says why", () => {
    expect(said({ ...good, input: z.object({ when: z.date() }) })).toMatch(
      /its JSON Schema can't be had: Date cannot be represented in JSON Schema; write\n {2}inputSchema: /,
    );
  });

  it.each([
    [z.string(), "it is that of type string"],
    [z.union([z.object({}), z.string()]), "it is that of something else"],
  ])("must be that of an object", (schema, wanted) => {
    expect(said({ ...good, input: schema })).toContain(wanted);
  });

  it("is what is given beside it", () => {
    const given = { type: "object", properties: { a: { type: "string" } } };
    const one = tool({
      name: "a",
      description: "A.",
      input: own("mine"),
      inputSchema: given,
      execute: () => 1,
    });
    expect(one.parameters).toEqual(given);
    expect(said({ ...good, inputSchema: { type: "string" } })).toContain(
      "`inputSchema` must be the JSON Schema of an object",
    );
  });
});
