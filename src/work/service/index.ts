/** The service that runs daemons and sessions of a project, each turn in a process of its own. */
export {
  allDaemons,
  checkName,
  type DaemonRecord,
  daemonBox,
  findDaemon,
  folderOf,
  logFile,
  mustFindDaemon,
  onNewStore,
  onStore,
  space,
} from "./daemon-record.ts";
export { DaemonTaken, DaemonWork } from "./daemon-service.ts";
export { serveWork } from "./serve-work.ts";
export { SessionWork } from "./session-work.ts";
export { onNewSessions, onSessions } from "./sessions.ts";
export { writeTurnProgram } from "./turn-program.ts";
