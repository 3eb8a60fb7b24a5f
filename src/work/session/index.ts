/** Durable sessions: work that outlives processes, in bounded runs. The only door. */
export { SessionStore } from "./durable/session-store.ts";
export * from "./durable/view.ts";

/** One run, loaded by the first `session_run` or any other builtin about sessions. */
export const loadSessions = () => import("./run/session-run.ts");
