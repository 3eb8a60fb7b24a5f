/** Servers of the Model Context Protocol, as values of scripts and as tools of loops. */
export * from "./client.ts";
export { contentEntriesIn, valueOfResource } from "./content.ts";
export { openLoopServers } from "./loop-servers.ts";
export * from "./registry.ts";
export { serverConfigOf } from "./server-config.ts";
export { mcpServerFields } from "./server-fields.ts";
export { callTool } from "./server-tools.ts";
export * from "./serving.ts";
