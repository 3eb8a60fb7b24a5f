/**
 * The one status machine of all work: of a worker, a daemon, a session, whatever keeps it. Kinds that use fewer states go
 * fewer ways; none goes another. Where a kind's documents have a word of their own for a state, `statusWord` knows it.
 *
 *              ┌──────────────── queued ◀───────────┐
 *              ▼                   ▲ │              │
 *     idle ─▶ running ─▶ waiting ──┘ │   running ─▶ completed · failed · cancelled · stopped
 *      ▲        │ ▲          ▲       │      │ ▲
 *      └────────┘ └──────────┘◀──────┘      ▼ │
 *                                       suspended · interrupted            any but its own end ─▶ closed
 */

/** `loop`: a loop of the program's own that was suspended, and is work of its own from then on. */
export type WorkKind = "sub_agent" | "stage" | "workflow" | "loop" | "daemon" | "session" | "conversation";

export const workStatuses = [
  /** It has nothing to do and begins when something comes. */
  "idle",
  /** It is to begin, now or at a time, without anything else coming. */
  "queued",
  /** A cycle, turn or run of it is in progress. */
  "running",
  /** For a person, or for somebody's result. */
  "waiting",
  /** It stands still until somebody says that it goes on: a loop between two turns, a conversation where it was. */
  "suspended",
  "completed",
  "failed",
  /** Cut off where it was. */
  "cancelled",
  /** Ended in good order, on request. */
  "stopped",
  /** Its process ended under it; a conversation: somebody stopped it. */
  "interrupted",
  /** Nothing begins any more. */
  "closed",
] as const;

export type WorkStatus = (typeof workStatuses)[number];

/** Where each state may lead. Staying where it is, is no transition and always allowed. */
export const transitions: Readonly<Record<WorkStatus, readonly WorkStatus[]>> = {
  idle: ["queued", "running", "waiting", "failed", "cancelled", "stopped", "interrupted", "closed"],
  queued: ["idle", "running", "waiting", "suspended", "failed", "interrupted", "closed"],
  running: [
    "idle",
    "queued",
    "waiting",
    "suspended",
    "completed",
    "failed",
    "cancelled",
    "stopped",
    "interrupted",
    "closed",
  ],
  waiting: ["idle", "queued", "running", "suspended", "failed", "stopped", "interrupted", "closed"],
  suspended: ["idle", "queued", "running", "failed", "cancelled", "stopped"],
  // Another task, and another start, begin it anew.
  completed: ["running", "cancelled"],
  failed: ["idle", "queued", "running", "cancelled", "closed"],
  cancelled: ["running"],
  stopped: ["idle", "running", "cancelled"],
  interrupted: ["idle", "queued", "running", "cancelled"],
  closed: [],
};

/** The state after a change. A way that the table does not know is a mistake of ours. */
export function moved(from: WorkStatus, to: WorkStatus): WorkStatus {
  if (from === to || transitions[from].includes(to)) return to;
  throw new Error(`work can't go from ${from} to ${to}`);
}

/** Something may still come of it without anybody asking for it. */
export const isPending = (status: WorkStatus): boolean =>
  status === "running" || status === "idle" || status === "queued" || status === "waiting";

/** Words of the documents, where they are not the state's own. */
const words: Readonly<Partial<Record<WorkKind, Readonly<Partial<Record<WorkStatus, string>>>>>> = {
  sub_agent: { idle: "awaiting" },
  stage: { idle: "awaiting" },
  workflow: { idle: "awaiting" },
  loop: { idle: "awaiting" },
  daemon: { running: "working" },
  session: { queued: "rescheduling", waiting: "requires_action" },
};

/** The state as handles, files and lists of its kind say it. */
export const statusWord = (kind: WorkKind, status: WorkStatus): string => words[kind]?.[status] ?? status;

/** The state that a word of the kind means; `undefined` for any other text. */
export const statusOfWord = (kind: WorkKind, word: unknown): WorkStatus | undefined =>
  workStatuses.find((status) => statusWord(kind, status) === word);
