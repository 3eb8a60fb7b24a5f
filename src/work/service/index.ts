/** The service that runs daemons and sessions of a project, each turn in a process of its own. */
export * from "./daemon-record.ts";
export { DaemonTaken, DaemonWork } from "./daemon-service.ts";
export * from "./project-work.ts";
export { SessionWork } from "./session-work.ts";
export { writeTurnProgram } from "./turn-program.ts";
