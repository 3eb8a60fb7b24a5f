/** What a program serves to clients of MCP, over HTTP and over lines. */
export * from "./mcp-http.ts";
export * from "./mcp-server.ts";
export { serveMcpStdio } from "./mcp-stdio.ts";
