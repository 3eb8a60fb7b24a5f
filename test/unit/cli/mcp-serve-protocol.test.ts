/** `harn mcp-serve`, message by message: pages, error codes, kinds of content, the card (agents.md §20). */
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cleanEnvironment } from "../../support/command-environment.ts";
import { launcher, projectRoot } from "../../support/project.ts";
import { harn } from "../../support/run-cli.ts";
import { tempFolder } from "../../support/temp-folder.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of all shapes, looked at by the expectations
type Tree = any;
type Answer = { readonly result?: Tree; readonly error?: { code: number; message: string; data?: Tree } };

const folder = tempFolder("mcp");
const card = { name: "rich", version: "2", tools: [{ name: "shown" }] };
const script = join(projectRoot, "test/support/programs/mcp-rich.harn");
let server: ChildProcess;
let spoken = "";
const waiting = new Map<number, (answer: Answer) => void>();
const stray: string[] = [];
let last = 0;

function ask(method: string, params: object = {}): Promise<Answer> {
  const id = ++last;
  server.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  return new Promise((resolve) => waiting.set(id, resolve));
}

let hello: Answer;
beforeAll(async () => {
  writeFileSync(join(folder, "card.json"), JSON.stringify(card));
  const [command = launcher, ...args] = process.env.HARN_TEST_COMMAND?.split(" ") ?? [];
  server = spawn(command, [...args, "mcp-serve", "--card", join(folder, "card.json"), script], {
    env: cleanEnvironment(),
  });
  server.stderr?.on("data", (text) => {
    spoken += String(text);
  });
  createInterface({ input: server.stdout as NodeJS.ReadableStream }).on("line", (line) => {
    const message = line.startsWith("{") ? JSON.parse(line) : {};
    const resolve = waiting.get(message.id);
    if (resolve === undefined) stray.push(line);
    else resolve(message);
  });
  const clientInfo = { name: "test", version: "1" };
  hello = await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  server.stdin?.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
});
afterAll(() => {
  server.stdin?.end();
});

describe("harn mcp-serve by messages", () => {
  test("says what it is, its card too; prints go to standard error", async () => {
    expect(hello.result.protocolVersion).toBe("2025-11-25");
    expect(hello.result.serverInfo.card).toEqual(card);
    const { result } = await ask("resources/read", { uri: "well-known://mcp-card" });
    expect(JSON.parse(result.contents[0].text)).toEqual(card);
    const listed = await ask("resources/list");
    expect(listed.result.resources).toMatchObject([
      { uri: "user://7", name: "seven", title: "Seven" },
      { uri: "well-known://mcp-card" },
    ]);
    expect(spoken).toContain("on standard error");
    expect(stray).toEqual([]);
  });

  test("lists tools in pages of 50", async () => {
    const first = (await ask("tools/list")).result;
    expect([first.tools.length, first.tools[0].name]).toEqual([50, "tool_1"]);
    const second = (await ask("tools/list", { cursor: first.nextCursor })).result;
    expect([second.tools.length, second.nextCursor]).toEqual([7, undefined]);
    expect(second.tools[5]).toMatchObject({
      name: "shown",
      annotations: {
        title: "Shown",
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    });
    expect((await ask("tools/list", { cursor: "elsewhere" })).error?.code).toBe(-32602);
  });

  test("results: content as it is, structured content where a schema says so", async () => {
    const { result } = await ask("tools/call", { name: "shown", arguments: {} });
    expect(result.content).toEqual([
      { type: "text", text: "see" },
      { type: "resource_link", uri: "note://1", name: "note" },
      { type: "resource", resource: { uri: "note://1", text: "hello", mimeType: "text/plain" } },
    ]);
    const good = await ask("tools/call", { name: "measured", arguments: {} });
    expect(good.result.structuredContent).toEqual({ n: 7 });
    const bad = await ask("tools/call", { name: "measured", arguments: { wrong: true } });
    expect(bad.result.isError).toBe(true);
  });

  test("error codes", async () => {
    const codes = async (method: string, params: object = {}): Promise<unknown> => {
      const { error } = await ask(method, params);
      return [error?.code, error?.data?.type];
    };
    expect(await codes("tools/call", { name: "nobody" })).toEqual([-32602, undefined]);
    expect(await codes("tools/call", { name: "shown", task: { ttl: 1000 } })).toEqual([-32602, undefined]);
    expect(await codes("no/such")).toEqual([-32601, undefined]);
    expect(await codes("prompts/get", { name: "nobody" })).toEqual([-32602, undefined]);
    expect(await codes("prompts/get", { name: "look" })).toEqual([-32602, undefined]);
    const unsupported = [-32601, "mcp.unsupportedFeature"];
    expect(await codes("logging/setLevel", { level: "info" })).toEqual(unsupported);
    expect(await codes("resources/subscribe", { uri: "user://7" })).toEqual(unsupported);
    expect(await codes("tasks/list")).toEqual(unsupported);
    const ref = { type: "ref/prompt", name: "look" };
    const argument = { name: "what", value: "" };
    expect(await codes("completion/complete", { ref, argument })).toEqual(unsupported);
    const missing = await ask("resources/read", { uri: "user://7/more" });
    expect(missing.error).toMatchObject({ code: -32002, message: "Resource not found: user://7/more" });
  });

  test("fixed resources win; a variable of a template is one part", async () => {
    const text = async (uri: string): Promise<unknown> =>
      (await ask("resources/read", { uri })).result?.contents[0].text;
    expect([await text("user://7"), await text("user://8"), await text("user://8/x")]).toEqual([
      "fixed",
      "user 8",
      undefined,
    ]);
  });

  test("prompts with pictures, sound and resources", async () => {
    const { result } = await ask("prompts/get", { name: "look", arguments: { what: "Look." } });
    expect(result.messages).toEqual([
      { role: "user", content: { type: "text", text: "Look." } },
      { role: "user", content: { type: "image", data: "AAAA", mimeType: "image/png" } },
      { role: "assistant", content: { type: "audio", data: "AAAA", mimeType: "audio/wav" } },
      { role: "user", content: { type: "resource", resource: { uri: "note://1", text: "hello" } } },
    ]);
  });

  test("handlers ask the models that its flags name", () => {
    const asking = join(folder, "asking.harn");
    const fixtures = join(folder, "answers.jsonl");
    writeFileSync(fixtures, '{"text": "from the fixture"}\n');
    writeFileSync(
      asking,
      `mcp_tools(tool_define(tool_registry(), "ask", "Asks.", {parameters: {}, handler: { _args ->
        let said = llm_call("hi", nil, {provider: "openai"})
        "\${said.text}, \${said.model}"
      }}))`,
    );
    const clientInfo = { name: "test", version: "1" };
    const messages = [
      {
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
      },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/call", params: { name: "ask", arguments: {} } },
    ];
    const input = messages.map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`).join("");
    const { stdout } = harn(["mcp-serve", "--llm-mock", fixtures, asking], { input });
    expect(stdout).toContain("from the fixture");
  });

  test("a card that is none is told", () => {
    const { status, stderr } = harn(["mcp-serve", "--card", join(folder, "none.json"), script]);
    expect([status, stderr]).toEqual([2, expect.stringContaining("--card: ")]);
  });
});
