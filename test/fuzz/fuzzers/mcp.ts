/** MCP servers that answer with what is no answer, over pipes and over HTTP. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Dice } from "../../support/fuzz-text.ts";
import { damageJson, damageText } from "../damage.ts";
import type { Fuzzer, Input } from "../fuzzer.ts";
import { bytesOf, harnHere, writeFiles } from "../in-folder.ts";

/** Good answers by method; `"@id"` is the id of the request. */
const good: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
    serverInfo: { name: "fuzz", version: "1" },
    instructions: "Numbers are in metres.",
  },
  "tools/list": {
    tools: [
      {
        name: "good",
        description: "Good.",
        inputSchema: { type: "object", properties: { a: { type: "string" } } },
      },
      {
        name: "other",
        inputSchema: { type: "object", required: ["b"], $ref: "#/definitions/x" },
        outputSchema: { type: "object" },
        annotations: { readOnlyHint: true },
      },
    ],
  },
  "tools/call": { content: [{ type: "text", text: "fine" }], structuredContent: { sum: 3 }, isError: false },
  "resources/list": { resources: [{ uri: "file:///notes.txt", name: "notes", mimeType: "text/plain" }] },
  "resources/templates/list": { resourceTemplates: [{ uriTemplate: "user://{id}", name: "user" }] },
  "resources/read": { contents: [{ uri: "file:///notes.txt", text: "first", blob: "AAAA" }] },
  "prompts/list": { prompts: [{ name: "greet", arguments: [{ name: "name", required: true }] }] },
  "prompts/get": { messages: [{ role: "user", content: { type: "text", text: "Hello." } }] },
};

const noise: readonly object[] = [
  { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
  { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: { a: 1 } } },
  { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 2 } },
  { jsonrpc: "2.0", id: 7, method: "roots/list" },
  {
    jsonrpc: "2.0",
    id: 8,
    method: "sampling/createMessage",
    params: { messages: [{ role: "user", content: { type: "text", text: "?" } }], maxTokens: 9 },
  },
  {
    jsonrpc: "2.0",
    id: 9,
    method: "elicitation/create",
    params: { message: "?", requestedSchema: { type: "object" } },
  },
  { jsonrpc: "2.0", id: "@id", error: { code: -32_000, message: "no", data: { a: 1 } } },
];

function answer(dice: Dice, result: object): string {
  let text = JSON.stringify({ jsonrpc: "2.0", id: "@id", result });
  if (dice.below(3) === 0) text = damageJson(dice, text);
  const lines = [text];
  if (dice.below(6) === 0) lines.splice(dice.below(2), 0, damageJson(dice, JSON.stringify(dice.pick(noise))));
  if (dice.below(12) === 0) lines.push(text);
  const all = `${lines.join("\n")}\n`;
  return bytesOf(dice.below(12) === 0 ? damageText(dice, all) : all);
}

/** A server in a few lines of shell: each request is answered with the file that its method names. */
const shell = `
while IFS= read -r line; do
  id=\${line##*'"id":'}; id=\${id%%[,\\}]*}
  case $line in
${Object.keys(good)
  .map((method) => `  *'"${method}"'*) sed "s/\\"@id\\"/$id/g" ${fileOf(method)} ;;`)
  .join("\n")}
  esac
done
`;

function fileOf(method: string): string {
  return `answers/${method.replaceAll("/", "_")}`;
}

const program = (server: string): string => `
fn shown(f) { try { println(f()) } catch e { println("caught: \${e}") } }
let server = {name: "srv", ${server}, connect_timeout_ms: 1500, timeout_ms: 250}
try {
  let c = mcp_connect(server)
  shown({ -> mcp_server_info(c) })
  shown({ -> mcp_list_tools(c) })
  shown({ -> mcp_call(c, "good", {a: "x"}) })
  shown({ -> mcp_call(c, "other", {}) })
  shown({ -> mcp_list_resources(c) })
  shown({ -> mcp_list_resource_templates(c) })
  shown({ -> mcp_read_resource(c, "file:///notes.txt") })
  shown({ -> mcp_list_prompts(c) })
  shown({ -> mcp_get_prompt(c, "greet", {name: "x"}) })
  llm_mock({tool_calls: [{name: "srv__good", arguments: {a: "x"}}, {name: "srv__other", arguments: {}}]})
  llm_mock({text: "end"})
  shown({ -> agent_loop("go", nil, {provider: "mock", tool_format: "native", mcp_servers: [c]}) })
  shown({ -> mcp_disconnect(c) })
} catch e { println("caught: \${e}") }
`;

let server: Server | undefined;
let current: Input = {};

/** Answers each request with the part of the input that its method names. */
async function listening(): Promise<number> {
  server ??= createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const asked = /"method":"([^"]*)"/.exec(text)?.[1] ?? "";
      const id = /"id":("[^"]*"|\d+)/.exec(text)?.[1] ?? "null";
      const body = current[asked];
      if (body === undefined) {
        response.writeHead(request.method === "GET" ? 405 : 202).end();
        return;
      }
      const value = body.replaceAll('"@id"', id);
      const type = current.type!;
      const shown =
        type === "text/event-stream"
          ? value.replaceAll(/^(.+)$/gm, "event: message\ndata: $1\n")
          : value.trimEnd();
      response.writeHead(Number(current.status) || 200, type === "" ? {} : { "content-type": type });
      response.end(Buffer.from(shown, "latin1"));
    });
  });
  if (!server.listening) await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

export const mcp: Fuzzer = {
  name: "mcp",
  make: (dice) => ({
    transport: dice.pick(["stdio", "http"]),
    type:
      dice.below(8) === 0
        ? dice.pick(["", "text/html"])
        : dice.pick(["application/json", "text/event-stream"]),
    status: dice.below(20) === 0 ? dice.pick(["202", "204", "400", "401", "404", "500"]) : "200",
    ...Object.fromEntries(Object.entries(good).map(([method, result]) => [method, answer(dice, result)])),
  }),
  run: async (input, folder) => {
    current = input;
    const answers = Object.keys(good).map((method) => [fileOf(method), input[method] ?? ""]);
    const description =
      input.transport === "stdio"
        ? 'command: ["sh", "server.sh"]'
        : `url: "http://127.0.0.1:${await listening()}/mcp"`;
    writeFiles(folder, {
      ...Object.fromEntries(answers),
      "server.sh": shell,
      "main.harn": program(description),
    });
    await harnHere("run", join(folder, "main.harn"));
    return "";
  },
  close: async () => {
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
  },
};
