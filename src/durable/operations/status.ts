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

import type { ConversationState } from "../conversation-states.ts";

/** `loop`: a loop of the program's own that was suspended, and is work of its own from then on. */
export type WorkKind = "sub_agent" | "stage" | "workflow" | "loop" | DurableKind;

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

/** States that are called the same everywhere. */
const alike = <S extends WorkStatus>(...states: readonly S[]) =>
  Object.fromEntries(states.map((state) => [state, state])) as { readonly [K in S]: K };

/**
 * The kinds of work that outlives processes, a row each: its states, by the words that records, commands and addresses have for them;
 * after how many deaths of its process in a row, and after how many failures, a run is given up.
 */
export const durableKinds = {
  daemon: {
    states: { ...alike("idle", "waiting", "stopped", "failed"), working: "running" },
    deaths: 3,
    failures: 8,
  },
  /** A death is a failure. */
  session: {
    states: { ...alike("idle", "failed", "closed"), rescheduling: "queued", requires_action: "waiting" },
    failures: 5,
  },
  /** A script that fails does so at once. */
  conversation: {
    states: {
      ...alike("idle", "queued", "waiting", "interrupted", "failed"),
      processing: "running",
      paused: "suspended",
    } satisfies Record<ConversationState, WorkStatus>,
    deaths: 3,
  },
} as const;

export type DurableKind = keyof typeof durableKinds;

/** A state as records of the kind say it. */
export type StateOf<K extends DurableKind> = keyof (typeof durableKinds)[K]["states"];

/** How long a run of a daemon or a session that failed is put off. */
export const retryBackoff = { baseMs: 1000, maxMs: 300_000 };

/** The state as handles, files and lists of a run's own work say it. */
export const statusWord = (kind: WorkKind, status: WorkStatus): string =>
  status === "idle" && !(kind in durableKinds) ? "awaiting" : status;

/** The state that such a word means; `undefined` for any other text. */
export const statusOfWord = (kind: WorkKind, word: unknown): WorkStatus | undefined =>
  workStatuses.find((status) => statusWord(kind, status) === word);
