/** A test server whose tools ask their client: for its folders, for an answer of a model, for one of the person. */
import { McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";

const text = (value: unknown): { content: { type: "text"; text: string }[] } => ({
  content: [{ type: "text", text: JSON.stringify(value) }],
});

/** What a client refuses is the answer, too. */
const tried = async (ask: () => Promise<unknown>) => {
  try {
    return text(await ask());
  } catch (error) {
    return text({ refused: (error as Error).message });
  }
};

export function askingServer(): McpServer {
  const server = new McpServer({ name: "asking", version: "1" });
  server.registerTool("roots", { description: "The client's folders" }, () =>
    tried(() => server.server.listRoots()),
  );
  server.registerTool(
    "sample",
    { description: "Asks a model", inputSchema: z.object({ question: z.string() }) },
    ({ question }, { mcpReq }: ServerContext) =>
      tried(() =>
        mcpReq.requestSampling({
          messages: [{ role: "user", content: { type: "text", text: question } }],
          systemPrompt: "Be brief.",
          maxTokens: 9000,
          stopSequences: ["END"],
        }),
      ),
  );
  server.registerTool("ask", { description: "Asks the person" }, ({ mcpReq }: ServerContext) =>
    tried(() =>
      mcpReq.elicitInput({
        message: "Which branch?",
        requestedSchema: {
          type: "object",
          properties: { branch: { type: "string" }, force: { type: "boolean" }, depth: { type: "integer" } },
          required: ["branch"],
        },
      }),
    ),
  );
  return server;
}
