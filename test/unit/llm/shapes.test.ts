/** Schemas, tool shapes, token bounds, redaction, error mapping: the small pure parts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  boundInputTokens,
  categoryOfStatus,
  estimateInputTokens,
  type JsonSchema,
  makeModelError,
  parametersSchema,
  strictify,
  unstrictify,
  utf8Length,
} from "../../../src/model/llm/index.ts";

describe("strictify", () => {
  it("closes objects and makes optional properties nullable", () => {
    const { schema, strict } = strictify({
      type: "object",
      properties: {
        a: { type: "string", default: "x" },
        b: {
          type: "array",
          items: { type: "object", properties: { c: { enum: ["x", "y"] }, d: { type: "null" } } },
        },
      },
      required: ["b"],
    });
    expect(strict).toBe(true);
    expect(schema).toEqual({
      type: "object",
      properties: {
        a: { type: ["string", "null"] },
        b: {
          type: "array",
          items: {
            type: "object",
            properties: { c: { anyOf: [{ enum: ["x", "y"] }, { type: "null" }] }, d: { type: "null" } },
            required: ["c", "d"],
            additionalProperties: false,
          },
        },
      },
      required: ["a", "b"],
      additionalProperties: false,
    });
  });

  it("turns oneOf into anyOf, keeps definitions, moves limits into words", () => {
    const { schema, strict } = strictify({
      type: "object",
      properties: {
        n: { type: "integer", minimum: 1, maximum: 9, description: "How many" },
        s: { oneOf: [{ $ref: "#/$defs/s" }, { type: "null" }] },
      },
      required: ["n", "s"],
      $defs: { s: { type: "object", properties: { r: { type: "number" } } } },
    });
    expect(strict).toBe(true);
    expect(schema).toMatchObject({
      properties: {
        n: { type: "integer", description: "How many (minimum 1, maximum 9)" },
        s: { anyOf: [{ $ref: "#/$defs/s" }, { type: "null" }] },
      },
      $defs: { s: { required: ["r"], additionalProperties: false } },
    });
    expect(schema.properties).not.toHaveProperty("n.minimum");
  });

  it.each<[string, JsonSchema]>([
    ["an open record", { type: "object", properties: {}, additionalProperties: { type: "string" } }],
    ["no properties", { type: "object" }],
    ["if", { type: "object", properties: { a: { if: {}, type: "string" } } }],
    ["a list on top", { type: "array", items: { type: "string" } }],
    ["a remote reference", { type: "object", properties: { a: { $ref: "http://x/y" } } }],
    ["two kinds of choice", { type: "object", properties: { a: { oneOf: [], anyOf: [] } } }],
  ])("%s stays as it was, not strict", (_what, schema) => {
    expect(strictify(schema)).toMatchObject({ schema, strict: false, reason: expect.stringContaining("$") });
  });

  it("unstrictify takes out the nulls of optional properties, at every depth, and only those", () => {
    const schema: JsonSchema = {
      type: "object",
      properties: {
        gone: { type: "string" },
        kept: { type: ["string", "null"] },
        needed: { type: "null" },
        list: { type: "array", items: { $ref: "#/$defs/item" } },
        pick: {
          anyOf: [
            { type: "object", properties: { x: { type: "string" } } },
            { type: "object", properties: { y: { type: "string" }, z: { type: "string" } } },
          ],
        },
      },
      required: ["needed"],
      $defs: { item: { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } } },
    };
    const answer = {
      gone: null,
      kept: null,
      needed: null,
      list: [{ a: null, b: "b" }],
      pick: { y: "1", z: null },
      extra: null,
    };
    expect(unstrictify(schema, answer)).toEqual({
      kept: null,
      needed: null,
      list: [{ b: "b" }],
      pick: { y: "1" },
      extra: null,
    });
    expect(unstrictify(schema, "text")).toBe("text");
  });

  it("keeps a property called __proto__ a property", () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
    );
    const { schema: strict } = strictify(schema);
    expect(JSON.stringify(strict.properties)).toBe('{"__proto__":{"type":"string"}}');
    expect(JSON.stringify(unstrictify(schema, JSON.parse('{"__proto__":"x"}')))).toBe('{"__proto__":"x"}');
  });
});

describe("tool parameters", () => {
  it("lifts required flags and translates type names", () => {
    const schema = parametersSchema({
      path: { type: "string", description: "Where", required: true },
      depth: { type: "int", default: 3 },
      ratio: "float",
      flags: { type: "list", items: { type: "bool" } },
    });
    expect(schema).toEqual({
      type: "object",
      properties: {
        path: { type: "string", description: "Where" },
        depth: { type: "integer", default: 3 },
        ratio: { type: "number" },
        flags: { type: "array", items: { type: "boolean" } },
      },
      required: ["path"],
    });
  });

  it("takes JSON Schema as it is", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "integer" }, b: { type: "string", required: true } },
      required: ["a"],
      description: "d",
    };
    expect(parametersSchema(schema)).toEqual({
      type: "object",
      description: "d",
      properties: { a: { type: "integer" }, b: { type: "string" } },
      required: ["a", "b"],
    });
    expect(parametersSchema(null)).toEqual({ type: "object", properties: {}, required: [] });
  });
});

describe("tokens", () => {
  it("counts UTF-8 bytes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
      }),
    );
    expect(utf8Length("\ud800x\udc00")).toBe(7);
  });

  it("the bound covers every byte that is sent, the guess a quarter of the characters", () => {
    const texts = fc.array(fc.string({ unit: "grapheme" }));
    fc.assert(
      fc.property(texts, fc.string({ unit: "grapheme" }), (contents, system) => {
        const request = {
          provider: "p",
          model: "m",
          system,
          messages: contents.map((content) => ({ role: "user", content })),
        };
        const bytes = [system, ...contents].reduce(
          (sum, text) => sum + new TextEncoder().encode(text).length,
          0,
        );
        expect(boundInputTokens(request)).toBeGreaterThan(bytes);
        expect(boundInputTokens(request)).toBeGreaterThanOrEqual(estimateInputTokens(request) / 2);
      }),
    );
  });

  it("the bound covers scripts in which a character is several tokens, tools, calls and pictures", () => {
    const of = (content: string) =>
      boundInputTokens({ provider: "p", model: "m", messages: [{ role: "user", content }] });
    expect(of("𒀀".repeat(100))).toBeGreaterThanOrEqual(400);
    expect(of("漢".repeat(100))).toBeGreaterThanOrEqual(300);
    const picture = { role: "user", content: [{ type: "image" as const, url: "http://x/y.png" }] };
    expect(boundInputTokens({ provider: "p", model: "m", messages: [picture] })).toBeGreaterThan(36_835);
    const tool = { name: "t", description: "d".repeat(500), parameters: { type: "object" } };
    expect(boundInputTokens({ provider: "p", model: "m", messages: [], tools: [tool] })).toBeGreaterThan(500);
    const call = {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "1", name: "n", arguments: { text: "漢".repeat(100) } }],
    };
    expect(boundInputTokens({ provider: "p", model: "m", messages: [call] })).toBeGreaterThan(300);
  });
});

describe("errors", () => {
  it.each([
    [401, "auth"],
    [403, "auth"],
    [404, "not_found"],
    [410, "not_found"],
    [408, "timeout"],
    [504, "timeout"],
    [522, "timeout"],
    [524, "timeout"],
    [429, "rate_limit"],
    [503, "overloaded"],
    [529, "overloaded"],
    [500, "server_error"],
    [502, "server_error"],
    [400, "generic"],
  ])("HTTP %i is %s", (status, category) => {
    expect(categoryOfStatus(status)).toBe(category);
  });

  it("reads a waiting time out of the message, 60 s at most", () => {
    const error = (message: string) =>
      makeModelError({ category: "rate_limit", message, provider: "p", model: "m" });
    expect(error("slow\nretry-after: 2.5\n").retry_after_ms).toBe(2500);
    expect(error("Retry-After: 9999").retry_after_ms).toBe(60_000);
    expect(error("later").retry_after_ms).toBeUndefined();
  });

  it.each([
    ["This model's maximum context length is 8192 tokens", "context_overflow"],
    ["blocked by our content policy", "content_policy"],
    ["insufficient_quota", "quota"],
    ["something else", "unknown"],
  ])("%j means %s", (message, reason) => {
    expect(makeModelError({ category: "generic", message, provider: "p", model: "m" }).reason).toBe(reason);
  });
});
