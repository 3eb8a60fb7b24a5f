/** The service that runs daemons and sessions of a project, each turn in a process of its own. */
export { DaemonStore, folderOf, logFile } from "./daemon-record.ts";
export { DaemonTaken, DaemonWork } from "./daemon-service.ts";
export { onDaemons, onNewDaemons, onNewSessions, onSessions } from "./project-work.ts";
export { serveWork } from "./serve-work.ts";
export { SessionWork } from "./session-work.ts";
export { writeTurnProgram } from "./turn-program.ts";
