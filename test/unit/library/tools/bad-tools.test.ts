/** Tools that do what no tool should: the script gets an error that says what and where, and the run goes on. */
import { type } from "arktype";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { harn } from "../../../../src/library/index.ts";
import { tool } from "../../../../src/library/tool.ts";
import type { AnyTool, Schema } from "../../../../src/library/types.ts";
import { scriptWithTools } from "../../../support/tool-run.ts";

const none = z.object({});
const gives = (result: unknown, more: { timeout?: number } = {}): AnyTool =>
  tool({ name: "t", description: "Bad.", input: none, execute: () => result, ...more });
const throws = (thrown: unknown): AnyTool =>
  tool({
    name: "t",
    description: "Bad.",
    input: none,
    execute: () => {
      throw thrown;
    },
  });

/** What a script prints of its call: the value with its type, or what it caught. */
async function called(one: AnyTool, args = "{}"): Promise<string> {
  const text = `try { let v = host_call("tool.t", ${args})
println("\${type_of(v)} \${v}") } catch e { println("caught \${json_stringify(e)}") }`;
  const { stdout, error } = await scriptWithTools([one], text);
  expect(error).toBe("");
  return stdout.trimEnd();
}
const caught = async (one: AnyTool, args?: string): Promise<Record<string, string>> => {
  const said = await called(one, args);
  expect(said).toMatch(/^caught /);
  return JSON.parse(said.slice("caught ".length)) as Record<string, string>;
};

class Socket {
  readonly fd = 3;
}
const circle: { self?: unknown } = {};
circle.self = circle;

describe("what it gives", () => {
  it.each([
    ["a Map is a dict", new Map([["a", 1]]), "dict {a: 1}"],
    ["NaN is a float", Number.NaN, "float NaN"],
    ["nothing is nil", undefined, "nil nil"],
    ["half of a character", "\udc00", "string \ufffd"],
  ])("%s", async (_name, result, wanted) => {
    expect(await called(gives(result))).toBe(wanted);
  });

  it.each([
    [
      "an instance of a class",
      { items: [{ owner: new Socket() }] },
      /^\$\.items\[0\]\.owner: a Socket cannot be given/,
    ],
    ["a circle", circle, /^\$\.self: it leads back to \$/],
    ["a function", { go: () => 1 }, /^\$\.go: a function/],
    [
      "a Map with other keys",
      new Map([[1, 1]]),
      /^\$: a Map given to a script has texts as keys, not a number/,
    ],
  ])("%s is refused with its place, and the tool's name", async (_name, result, wanted) => {
    const { name, message } = await caught(gives(result));
    expect(name).toBe("TypeError");
    expect(message).toMatch(wanted);
    expect(message).toMatch(/\(result of tool\.t\)$/);
  });

  it("50 MB arrive whole", async () => {
    const text = "x".repeat(50 * 1024 * 1024);
    const { stdout } = await scriptWithTools([gives(text)], 'println(host_call("tool.t").len())');
    expect(stdout).toBe(`${text.length}\n`);
  });

  it("what its schema does not allow is an error with each place", async () => {
    const one = tool({
      name: "t",
      description: "Bad.",
      input: none,
      output: z.object({ n: z.number(), list: z.array(z.string()) }),
      execute: (): { n: number; list: string[] } => JSON.parse('{"n": "x", "list": ["a", 2]}'),
    });
    const error = await caught(one);
    expect(error.name).toBe("SchemaMismatch");
    expect(error.message).toMatch(/^the result of t does not fit its schema: \$\.n: .*; \$\.list\[1\]: /);
    expect(error.category).toBe("schema_validation");
  });
});

describe("what it throws", () => {
  it("a text arrives as it is", async () => {
    expect(await called(throws("no more"))).toBe('caught "no more"');
  });

  it("an error arrives with name, message, code and cause", async () => {
    const error = Object.assign(new RangeError("too far", { cause: new Error("why") }), { code: "E_FAR" });
    expect(await caught(throws(error))).toEqual({
      name: "RangeError",
      message: "too far",
      code: "E_FAR",
      cause: { name: "Error", message: "why" },
    });
  });

  it.each([
    ["nothing", undefined, "null"],
    ["data", { status: 404 }, '{"status":404}'],
  ])("%s arrives as it is", async (_name, thrown, wanted) => {
    expect(await called(throws(thrown))).toBe(`caught ${wanted}`);
  });

  it("what has no value is told", async () => {
    expect((await caught(throws(new Socket()))).message).toMatch(
      /^what was thrown cannot be given to a script: \$: a Socket/,
    );
  });

  it("uncaught, it ends the run as an error of the script", async () => {
    const { error } = await scriptWithTools([throws(new RangeError("too far"))], 'host_call("tool.t")');
    expect(error).toContain("too far");
    expect(error).not.toContain("at ");
  });

  it("uncaught in a run of a program, it is told as the program would tell it", async () => {
    await using h = harn({ store: "memory", tools: [throws(new RangeError("too far"))] });
    await expect(h.run({ text: 'host_call("tool.t")' })).rejects.toMatchObject({
      code: "HARN-RUN-002",
      message: "RangeError: too far",
      place: { line: 1 },
    });
  });
});

describe("when it does not end", () => {
  it("its timeout ends the call, and its signal is aborted", async () => {
    let aborted: unknown;
    const one = tool({
      name: "t",
      description: "Bad.",
      input: none,
      timeout: 20,
      execute: (_input, { signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => {
            aborted = signal.reason;
          });
        }),
    });
    const error = await caught(one);
    expect(error).toEqual({
      name: "TimeoutError",
      message: "tool.t did not finish within 20 ms",
      category: "timeout",
    });
    expect(aborted).toBeInstanceOf(Error);
  });

  it("a deadline of the script ends it as well", async () => {
    const { stdout } = await scriptWithTools(
      [gives(new Promise(() => {}))],
      'try { deadline 20ms { host_call("tool.t") } } catch e { println(e) }',
    );
    expect(stdout).toBe("Deadline exceeded\n");
  });

  it("a result in time leaves no timer", async () => {
    expect(await called(gives(Promise.resolve(1), { timeout: 3_600_000 }))).toBe("int 1");
  });
});

describe("its schema", () => {
  const schema = (validate: Schema["~standard"]["validate"]): Schema => ({
    "~standard": { version: 1, vendor: "own", validate },
  });
  const withSchema = (input: Schema): AnyTool =>
    tool({ name: "t", description: "Bad.", input, inputSchema: { type: "object" }, execute: (read) => read });

  it("that throws is an error of the call", async () => {
    const one = withSchema(
      schema(() => {
        throw new RangeError("broken");
      }),
    );
    expect((await caught(one)).message).toBe("the schema of the input of t failed: RangeError: broken");
  });

  it("may be asynchronous", async () => {
    expect(await called(withSchema(schema(async (value) => ({ value: { value } }))), "{a: 1}")).toBe(
      "dict {value: {a: 1}}",
    );
    const refined = z.object({ a: z.number().refine(async (a) => a > 1, "too small") });
    expect((await caught(withSchema(refined as Schema), "{a: 1}")).message).toMatch(/\$\.a: too small$/);
  });

  it("tells five issues, and how many more there are", async () => {
    const issues = Array.from({ length: 8 }, (_, at) => ({ message: `no ${at}`, path: ["list", at] }));
    const { message } = await caught(withSchema(schema(() => ({ issues }))));
    expect(message).toMatch(/\$\.list\[0\]: no 0; .*\$\.list\[4\]: no 4; and 3 more$/);
  });

  it("of arktype says its places", async () => {
    const one = tool({ name: "t", description: "A.", input: type({ a: { b: "number" } }), execute: () => 1 });
    expect((await caught(one, '{a: {b: "x"}}')).message).toMatch(/: \$\.a\.b: /);
  });
});
