/** `[cluster]` of `harn.toml`: for commands that need nothing else of this folder. */
export { clusterSettings, queueName } from "./settings.ts";
export { clusterTable, withheldClusterKeys } from "./withheld.ts";
