/** Servers of the Model Context Protocol, as values of scripts and as tools of loops. */
export { askServer, connectServer, disconnectServer, isConnected, McpClient } from "./client.ts";
export { contentEntriesIn, valueOfResource } from "./content.ts";
export { openLoopServers } from "./loop-servers.ts";
export {
  activeServer,
  ensureActive,
  holdersOf,
  letGo,
  projectClients,
  registeredServers,
} from "./registry.ts";
export { type McpServerConfig, serverConfigOf } from "./server-config.ts";
export { mcpServerFields } from "./server-fields.ts";
export { callTool } from "./server-tools.ts";
export {
  callServedTool,
  fillServedPrompt,
  type ServedPrompt,
  type ServedResource,
  type ServedSurface,
  type ServedTemplate,
  served,
  servedEntries,
  servedTemplate,
  serveTools,
} from "./serving.ts";
