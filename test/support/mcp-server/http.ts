/** An MCP server over HTTP, for tests: the official handler behind Node's own server. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { testServer } from "./tools.ts";

export interface HttpTestServer {
  readonly url: string;
  /** Methods of the protocol asked for so far, and header values seen. */
  readonly methods: string[];
  readonly headers: IncomingMessage["headers"][];
  close(): Promise<void>;
}

/** `status`: answers everything with that status instead. */
export async function httpTestServer(status?: number): Promise<HttpTestServer> {
  const handler = createMcpHandler(testServer);
  const methods: string[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString("utf8");
    headers.push(request.headers);
    if (body !== "") methods.push((JSON.parse(body) as { method?: string }).method ?? "");
    if (status !== undefined) {
      response.writeHead(status, { "content-type": "text/html" }).end("<h1>no</h1>");
      return;
    }
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1${request.url ?? "/"}`, {
        method: request.method ?? "GET",
        headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        ...(body === "" ? {} : { body }),
      }),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body !== null) for await (const chunk of answer.body) response.write(chunk);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    methods,
    headers,
    close: async () => {
      await handler.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
