/** What scripts do with sessions; loaded on first use. */
export { atHome } from "./home.ts";
export { runSession, type SessionPorts } from "./session-run.ts";
