/** The rows of the description of an MCP server. */
import { field, fieldTable } from "../table/index.ts";

/** How a server is described; `mcp_servers`, `[[mcp]]`, `mcp_connect`. Unknown keys are refused where it is read. */
export const mcpServerFields = fieldTable(
  () => [
    field("name", "any", "Part of the names of its tools."),
    field("transport", "any", "`stdio` or `http`."),
    field("command", "any", "The program of a server over pipes."),
    field("args", "any", "Its arguments."),
    field("url", "any", "Where a server over HTTP is."),
    field("env", "any", "Variables that it gets."),
    field("headers", "any", "Headers of every request."),
    field("cwd", "any", "Where it runs."),
    field("card", "any", "The path or URL of its card."),
    field("connect_timeout_ms", "any", "Milliseconds until it answers.", { default: "30000", bounds: true }),
    field("timeout_ms", "any", "Milliseconds that a request may take.", { default: "60000", bounds: true }),
    field("restarts", "any", "How often it is started again.", { bounds: true }),
    field("defer_loading", "any", "Models must search for its tools: all, none, or globs."),
    field("roots", "any", "Folders that it is told about.", { bounds: true }),
    field("sampling", "any", "Whether it may ask a model, and which.", { bounds: true }),
    field("elicitation", "any", "It may ask the person.", { bounds: true }),
    field("auth_token", "any", "The token of a server over HTTP."),
    field("client_id", "any", "What its authorization server knows the run as."),
    field("client_secret", "any", "The secret that goes with it."),
    field("scopes", "any", "What the token is to allow."),
    field("protocol_version", "any", "The revision of the protocol that is offered."),
    field("lazy", "any", "It is started when it is first needed."),
    field("keep_alive_ms", "any", "Milliseconds that it stays when nobody holds it.", {
      default: "0",
      bounds: true,
    }),
  ],
  { refusedByReader: true },
);
