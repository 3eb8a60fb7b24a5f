/** The rows of the description of an MCP server. */
import { field, fieldTable } from "../table/index.ts";

/** How a server is described; `mcp_servers`, `[[mcp]]`, `mcp_connect`. Unknown keys are refused where it is read. */
export const mcpServerFields = fieldTable(
  () => [
    field("name", "string", "Part of the names of its tools."),
    field("transport", "string", "`stdio` or `http`."),
    field("command", "string | list<string>", "The program of a server over pipes."),
    field("args", "list<string>", "Its arguments."),
    field("url", "string", "Where a server over HTTP is."),
    field("env", "dict", "Variables that it gets."),
    field("headers", "dict", "Headers of every request."),
    field("cwd", "string", "Where it runs."),
    field("card", "string", "The path or URL of its card."),
    field("connect_timeout_ms", "int | duration", "Milliseconds until it answers.", {
      default: "30000",
      bounds: true,
    }),
    field("timeout_ms", "int | duration", "Milliseconds that a request may take.", {
      default: "60000",
      bounds: true,
    }),
    field("restarts", "int", "How often it is started again.", { bounds: true }),
    field("defer_loading", "bool | list<string>", "Models must search for its tools: all, none, or globs."),
    field("roots", "bool | list<string>", "Folders that it is told about.", { bounds: true }),
    field("sampling", "bool | dict", "Whether it may ask a model, and which.", { bounds: true }),
    field("elicitation", "bool", "It may ask the person.", { bounds: true }),
    field("auth_token", "string", "The token of a server over HTTP."),
    field("client_id", "string", "What its authorization server knows the run as."),
    field("client_secret", "string", "The secret that goes with it."),
    field("scopes", "string | list<string>", "What the token is to allow."),
    field("protocol_version", "string", "The revision of the protocol that is offered."),
    field("lazy", "bool", "It is started when it is first needed, not before the program."),
    field("keep_alive_ms", "int", "Milliseconds that it stays when nobody holds it.", {
      default: "0",
      bounds: true,
    }),
  ],
  { refusedByReader: true, typedByReader: true },
);
