/** `serveTools`: functions of a program as a server of MCP, asked by the official client and by a script. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createNodeHost, type McpConnection, type McpObject } from "../../../../src/host/index.ts";
import { tool } from "../../../../src/library/tool.ts";
import { serveTools } from "../../../../src/library/tools.ts";
import { cleanEnvironment } from "../../../support/command-environment.ts";
import { projectRoot } from "../../../support/project.ts";

const program = join(projectRoot, "test/support/programs/typescript-tools.ts");
const wait = { timeoutMs: 60_000 };
const env = cleanEnvironment() as Record<string, string>;

describe("a client", () => {
  let client: McpConnection;
  beforeAll(async () => {
    const target = {
      transport: "stdio",
      command: process.execPath,
      args: [program],
      env,
      cwd: projectRoot,
    } as const;
    client = await createNodeHost().mcp.connect(target, wait);
  });
  afterAll(() => client.close());
  const call = (name: string, args: McpObject = {}): Promise<McpObject> =>
    client.request({ method: "tools/call", name, arguments: args }, wait);

  it("finds the tools with schemas and hints, under the program's name", async () => {
    expect(client.server.name).toBe("typescript-tools");
    const { tools } = (await client.request({ method: "tools/list" }, wait)) as unknown as {
      tools: object[];
    };
    expect(tools).toMatchObject([
      { name: "count", annotations: { readOnlyHint: true } },
      {
        name: "shout",
        inputSchema: { type: "object", required: ["text"] },
        outputSchema: { type: "object", required: ["shouted"] },
        annotations: { idempotentHint: true },
      },
      { name: "key" },
      { name: "broken" },
      { name: "odd" },
      { name: "endless" },
    ]);
  });

  it("gets results, structured where the tool says so, and what went wrong in words", async () => {
    expect(await call("shout", { text: "hi" })).toMatchObject({ structuredContent: { shouted: "HI!" } });
    expect([await call("count"), await call("count")]).toMatchObject([
      { content: [{ text: "1" }] },
      { content: [{ text: "2" }] },
    ]);
    expect(await call("broken")).toMatchObject({
      isError: true,
      content: [{ text: "RangeError: out of paper" }],
    });
    expect(await call("odd")).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/\$\.made: a Socket cannot be given to a script/) }],
    });
    expect(await call("shout", { text: 1 })).toMatchObject({ isError: true });
  });

  it("has a key for each call", async () => {
    const keys = await Promise.all([call("key"), call("key")]);
    const texts = keys.map(({ content }) => (content as { text: string }[])[0]?.text);
    expect(texts[0]).toMatch(/^run-[\w-]+#[\d.]+#\d+$/);
    expect(texts[0]).not.toBe(texts[1]);
  });

  it("may give up a call", async () => {
    const slow = client.request({ method: "tools/call", name: "endless", arguments: {} }, { timeoutMs: 100 });
    await expect(slow).rejects.toMatchObject({ code: "ETIMEDOUT" });
    expect(await call("count")).toMatchObject({ content: [{ text: "3" }] });
  });
});

it("a program ends when its client has left", () => {
  // What it says goes to standard error; nothing but the protocol is on standard output.
  const out = execFileSync(process.execPath, [program], {
    input: "",
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  expect(out.toString()).toBe("");
});

describe("refuses", () => {
  const one = tool({ name: "one", description: "One.", input: z.object({}), execute: () => 1 });
  const asks = tool({
    name: "asks",
    description: "Asks.",
    input: z.object({}),
    approval: true,
    execute: () => 1,
  });
  it.each([
    ["nothing", [], "there are no tools to serve"],
    ["what is no tool", [{ name: "x" }], "expected a list, each what `tool({…})` gives"],
    ["two of a name", [one, one], "two tools are called `one`"],
    [
      "one that asks before each call",
      [asks],
      "`asks` asks before each call (`approval`), and a server has nobody to ask",
    ],
  ])("%s", async (_name, tools, wanted) => {
    await expect(serveTools(tools as never)).rejects.toMatchObject({
      code: "HARN-LIB-006",
      message: expect.stringContaining(wanted),
    });
  });
});
