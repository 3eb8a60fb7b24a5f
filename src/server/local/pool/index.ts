/** Processes of `harn` that are started before there is work for them. */
export * from "./command-pool.ts";
export type { CommandTask } from "./command-task.ts";
