/** `harn mcp-serve`: a script's tools, resources and prompts, asked for by the official client in another process. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createNodeHost, type McpAsk, type McpConnection, type McpObject } from "../../../src/host/index.ts";
import { cleanEnvironment } from "../../support/command-environment.ts";
import { launcher, projectRoot } from "../../support/project.ts";
import { harn } from "../../support/run-cli.ts";

const script = join(projectRoot, "test/support/programs/mcp-tools.harn");
const wait = { timeoutMs: 20_000 };
let client: McpConnection;

beforeAll(async () => {
  const env = cleanEnvironment() as Record<string, string>;
  const target = {
    transport: "stdio",
    command: launcher,
    args: ["mcp-serve", script],
    env,
    cwd: "/",
  } as const;
  client = await createNodeHost().mcp.connect(target, wait);
});
afterAll(() => client.close());

const ask = (request: McpAsk): Promise<McpObject> => client.request(request, wait);
const call = (name: string, args: McpObject = {}): Promise<McpObject> =>
  ask({ method: "tools/call", name, arguments: args });
const text = (value: string): object => ({ content: [{ type: "text", text: value }] });

describe("harn mcp-serve", () => {
  test("names itself after the script", () => {
    expect(client.server.name).toBe("mcp-tools");
  });

  test("lists tools with schemas and hints", async () => {
    const { tools } = (await ask({ method: "tools/list" })) as unknown as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(["shout", "stats", "broken", "slow", "count"]);
    expect(tools[1]).toMatchObject({
      outputSchema: { type: "object" },
      annotations: { readOnlyHint: true, title: "Stats" },
    });
  });

  test("runs handlers: texts as they are, dicts as structured content, failures as errors", async () => {
    expect(await call("shout", { text: "hi" })).toEqual(text("HI!"));
    expect(await call("stats", { values: [1, 2, 3] })).toEqual({
      ...text('{"sum":6}'),
      structuredContent: { sum: 6 },
    });
    expect(await call("broken")).toEqual({ ...text("Thrown: out of paper"), isError: true });
    expect(await call("shout")).toMatchObject({ isError: true });
    await expect(call("nope")).rejects.toMatchObject({
      code: "EMCP",
      message: "Tool nope not found (-32602)",
    });
  });

  test("the script's state lives on between calls; a call that nobody waits for is ended", async () => {
    const slow = client.request({ method: "tools/call", name: "slow", arguments: {} }, { timeoutMs: 100 });
    await expect(slow).rejects.toMatchObject({ code: "ETIMEDOUT" });
    const counts = await Promise.all([call("count"), call("count")]);
    expect(counts).toEqual([text("0"), text("1")]);
  });

  test("resources, templates, prompts", async () => {
    const read = (uri: string): Promise<McpObject> => ask({ method: "resources/read", uri });
    expect(await read("note://1")).toMatchObject({
      contents: [{ text: "hello", mimeType: "text/markdown" }],
    });
    expect(await read("note://2")).toMatchObject({ contents: [{ text: "text of note://2" }] });
    expect(await read("user://7")).toMatchObject({ contents: [{ text: '{"id":"7","uri":"user://7"}' }] });
    expect(await ask({ method: "resources/templates/list" })).toMatchObject({
      resourceTemplates: [{ name: "user", uriTemplate: "user://{id}" }],
    });
    const prompt = await ask({ method: "prompts/get", name: "greet", arguments: { name: "Bo" } });
    expect(prompt).toMatchObject({
      messages: [
        { role: "user", content: { text: "Greet Bo" } },
        { role: "assistant", content: { text: "plain" } },
      ],
    });
  });

  test("a script that registers nothing, and one that fails, are told on standard error", () => {
    const nothing = harn(["mcp-serve", join(projectRoot, "examples/hello.harn")]);
    expect(nothing).toMatchObject({ stdout: "", status: 1 });
    expect(nothing.stderr).toContain("the script registered nothing to serve");
    expect(harn(["mcp-serve", "no-such-file.harn"])).toMatchObject({ stdout: "", status: 1 });
  });
});
