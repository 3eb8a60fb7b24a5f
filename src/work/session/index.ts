/** Durable sessions: work that outlives processes, in bounded runs. The only door. */
export { idleReason } from "./durable/due.ts";
export type { SessionEvent } from "./durable/events.ts";
export { agentOfScript } from "./durable/names.ts";
export { isAwaiting, type NewSession, type SessionRecord, shownStatus } from "./durable/record.ts";
export { boxOf, SessionStore } from "./durable/session-store.ts";
export { eventView, listedView, type SessionView, sessionView } from "./durable/view.ts";
export { BadWake, resolveWake } from "./durable/wakes.ts";
export {
  abandonWork,
  beginWork,
  crashedWork,
  endWork,
  resumeWork,
  suspendWork,
  type WorkEnd,
} from "./durable/work.ts";

/** One run, loaded by the first `session_run` or any other builtin about sessions. */
export const loadSessions = () => import("./run/index.ts");
