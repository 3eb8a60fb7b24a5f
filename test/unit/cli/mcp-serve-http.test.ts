/** `harn mcp-serve --http`: the same script for clients that come over HTTP; who is let in. */
import { type ChildProcess, spawn } from "node:child_process";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createNodeHost, type McpAsk, type McpConnection, type McpObject } from "../../../src/host/index.ts";
import { cleanEnvironment } from "../../support/command-environment.ts";
import { launcher, projectRoot } from "../../support/project.ts";
import { harn } from "../../support/run-cli.ts";

const script = join(projectRoot, "test/support/programs/mcp-tools.harn");
const wait = { timeoutMs: 20_000 };

interface Served {
  readonly child: ChildProcess;
  readonly url: string;
}

/** Resolves when it listens. */
function serve(env: Record<string, string> = {}): Promise<Served> {
  const [command = launcher, ...args] = process.env.HARN_TEST_COMMAND?.split(" ") ?? [];
  const child = spawn(command, [...args, "mcp-serve", script, "--http", "0"], {
    env: cleanEnvironment(env),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  return new Promise((resolve, reject) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const url = /served at (\S+)/.exec(said)?.[1];
      if (url !== undefined) resolve({ child, url });
    });
    child.once("close", () => reject(new Error(said)));
  });
}

const end = ({ child }: Served): Promise<number | null> =>
  new Promise((resolve) => {
    child.once("close", (status) => resolve(status));
    child.kill("SIGINT");
  });

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
});

/** The status of a first request with these headers. */
function status(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const accept = "application/json, text/event-stream";
    const sent = httpRequest(
      url,
      { method: "POST", headers: { accept, "content-type": "application/json", ...headers } },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    sent.once("error", reject);
    sent.end(initialize);
  });
}

describe("harn mcp-serve --http", () => {
  let served: Served;
  let client: McpConnection;
  beforeAll(async () => {
    served = await serve();
    client = await createNodeHost().mcp.connect({ transport: "http", url: served.url, headers: {} }, wait);
  });
  afterAll(async () => {
    await client.close();
    expect(await end(served)).toBe(130);
  });
  const ask = (request: McpAsk): Promise<McpObject> => client.request(request, wait);

  test("tools, resources and prompts; the script's state lives on", async () => {
    const { tools } = (await ask({ method: "tools/list" })) as unknown as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(["shout", "stats", "broken", "slow", "count"]);
    const call = (name: string, args: McpObject = {}): Promise<McpObject> =>
      ask({ method: "tools/call", name, arguments: args });
    expect(await call("shout", { text: "hi" })).toMatchObject({ content: [{ text: "HI!" }] });
    expect(await call("broken")).toMatchObject({ isError: true });
    expect(await call("count")).toMatchObject({ content: [{ text: "0" }] });
    expect(await call("count")).toMatchObject({ content: [{ text: "1" }] });
    expect(await ask({ method: "resources/read", uri: "note://1" })).toMatchObject({
      contents: [{ text: "hello" }],
    });
  });

  test("a web page that reaches it through a name of its own is not let in", async () => {
    expect(await status(served.url, {})).toBe(200);
    expect(await status(served.url, { host: "evil.example" })).toBe(403);
    expect(await status(served.url, { origin: "https://evil.example" })).toBe(403);
    expect(await status(served.url.replace("/mcp", "/other"), {})).toBe(404);
  });

  test("with a token, only those who bear it", async () => {
    const guarded = await serve({ HARN_MCP_TOKEN: "s3cret" });
    try {
      expect(await status(guarded.url, {})).toBe(401);
      expect(await status(guarded.url, { authorization: "Bearer wrong" })).toBe(401);
      expect(await status(guarded.url, { authorization: "Bearer s3cret" })).toBe(200);
    } finally {
      await end(guarded);
    }
  });

  test("an address that makes no sense, or that others reach without a token", () => {
    const wrong = harn(["mcp-serve", script, "--http", "here"]);
    expect(wrong).toMatchObject({ stdout: "", status: 2 });
    expect(wrong.stderr).toContain("expected PORT or HOST:PORT");
    const open = harn(["mcp-serve", script, "--http", "0.0.0.0:0"]);
    expect(open).toMatchObject({ stdout: "", status: 2 });
    expect(open.stderr).toContain("set HARN_MCP_TOKEN");
  });
});
