/** What the test servers offer, on the official server package: a tool for every shape of answer. */
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { z } from "zod";

const text = (value: string): { content: { type: "text"; text: string }[] } => ({
  content: [{ type: "text", text: value }],
});

/** A new server; `starts` counts how often the process was asked for one. */
export function testServer(): McpServer {
  const server = new McpServer(
    { name: "test-server", version: "1.2.3" },
    { instructions: "Numbers are in metres." },
  );
  addTools(server);
  server.registerResource("notes", "file:///notes.txt", { description: "Notes" }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "first note" }],
  }));
  server.registerResource(
    "user",
    new ResourceTemplate("user://{id}/profile", { list: undefined }),
    { description: "A user" },
    async (uri, { id }) => ({ contents: [{ uri: uri.href, text: `user ${String(id)}` }] }),
  );
  server.registerPrompt(
    "greet",
    { description: "Greets", argsSchema: z.object({ name: z.string() }) },
    ({ name }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Say hello to ${name}.` } }],
    }),
  );
  return server;
}

function addTools(server: McpServer): void {
  server.registerTool(
    "echo",
    {
      description: "Says it again",
      inputSchema: z.object({ text: z.string() }),
      annotations: { readOnlyHint: true },
    },
    async ({ text: said }) => text(said),
  );
  server.registerTool(
    "add",
    {
      description: "Adds",
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    async ({ a, b }) => ({ content: [], structuredContent: { sum: a + b } }),
  );
  server.registerTool("several", { description: "Two pieces" }, async () => ({
    content: [
      { type: "text", text: "one" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
    ],
  }));
  server.registerTool("fail", { description: "Fails" }, async () => ({
    ...text("disk full"),
    isError: true,
  }));
  server.registerTool("die", { description: "Ends the server" }, async () => {
    process.stderr.write("panic: out of cheese\n");
    return process.exit(7);
  });
  server.registerTool("hang", { description: "Never answers" }, () => new Promise(() => {}));
  server.registerTool(
    "env",
    { description: "A variable of the environment", inputSchema: z.object({ name: z.string() }) },
    async ({ name }) => text(process.env[name] ?? "(unset)"),
  );
  server.registerTool("pid", { description: "The process" }, async () => text(String(process.pid)));
}
