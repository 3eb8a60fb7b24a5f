/** What scripts do with sessions; loaded on first use. */
export { inRunSessions } from "./run-sessions.ts";
export { runSession, type SessionPorts } from "./session-run.ts";
