/** What a program serves to clients of MCP, over HTTP and over lines. */
export { type HttpAddress, parseHttpAddress, serveMcpHttp, tokenVariable } from "./mcp-http.ts";
export { passMessages } from "./mcp-lines.ts";
export { type ServedAs, scriptServer } from "./mcp-server.ts";
