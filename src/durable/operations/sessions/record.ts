/**
 * What is known of a session besides its events: one entry of the store, changed only inside a transaction. Texts of any
 * length (summary, buffer) are kept apart, so that a message costs a message.
 */
import type { Json } from "../../../effects/index.ts";
import { StoreError } from "../../../store/index.ts";
import { isJsonObject } from "../../../values/index.ts";
import { durableKinds, type StateOf, type WorkStatus } from "../status.ts";

export type SessionStatus = StateOf<"session">;

/** A custom tool call that somebody outside has to answer. */
export interface PendingInput {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  /** Number of the event that answers it. */
  readonly answered: number | null;
}

/** A run between its begin and its commit. */
export interface InFlight {
  /** Whose it is; only the run with this token can commit it. */
  readonly token: string;
  readonly began: number;
  /** Number of the last event that it handles, and how many there are. */
  readonly through: number;
  readonly count: number;
}

/** The recorded run (`harn runs`) that works for the session, from before it starts until it has ended. */
export interface SessionRunWork {
  readonly run: string;
  /** It waits for a person (`harn hitl`). */
  readonly parked: boolean;
  /** `looks` of the session before it started. */
  readonly before: number;
}

export interface ModelRoute {
  readonly provider: string;
  readonly model: string;
}

/** What a commit gave, kept so that a commit that is repeated gives the same. */
export interface Receipt {
  readonly run: number;
  readonly status: SessionStatus;
  /** Numbers of the first and the last event that were appended. */
  readonly first: number;
  readonly last: number;
  readonly uses: readonly PendingInput[];
  /** Texts that are new in `MEMORY.md`. */
  readonly promoted: readonly string[];
  /** When it runs next; null: when something comes. */
  readonly due: number | null;
  /** What could not be used of what the model said. */
  readonly problems: readonly string[];
}

export interface LastCommit {
  readonly token: string;
  /** Digest of what was committed: a fork of the run comes with something else. */
  readonly digest: string;
  readonly receipt: Receipt;
}

export interface SessionRecord {
  readonly version: 1;
  readonly name: string;
  readonly agent: string;
  /** Absolute path; null for sessions that only scripts run. */
  readonly script: string | null;
  /** Where its runs work. */
  readonly cwd: string;
  readonly environment: string | null;
  /** Absolute paths. */
  readonly resources: readonly string[];
  readonly created: number;
  readonly status: SessionStatus;
  /** Events so far: the number of the last one. */
  readonly events: number;
  /** Number of the last event that was handled or passed. */
  readonly cursor: number;
  /** Events from outside after the cursor. */
  readonly pending: number;
  /** Events from outside that were handled, in all. */
  readonly handled: number;
  /** Runs that were committed. */
  readonly runs: number;
  /** Of these, in a row, those that asked to continue and got nothing from outside. */
  readonly continues: number;
  /** Runs in a row that failed, and when the next try is due. */
  readonly failures: number;
  readonly retryAt: number | null;
  readonly problem: string | null;
  /** Token of the run that failed last. */
  readonly failedToken: string | null;
  readonly awaiting: readonly PendingInput[];
  /** A wake came due since the last commit: it runs although results are missing. */
  readonly woken: boolean;
  /** How often a run has looked for something to do. */
  readonly looks: number;
  readonly inFlight: InFlight | null;
  readonly last: LastCommit | null;
  readonly work: SessionRunWork | null;
  /** Of the last run. */
  readonly route: ModelRoute | null;
}

export interface NewSession {
  readonly agent: string;
  readonly script: string | null;
  readonly cwd: string;
  readonly environment?: string | null;
  readonly resources?: readonly string[];
}

export function newRecord(
  name: string,
  { environment, resources, ...args }: NewSession,
  now: number,
): SessionRecord {
  return {
    version: 1,
    name,
    ...args,
    environment: environment ?? null,
    resources: resources ?? [],
    created: now,
    status: "idle",
    events: 0,
    cursor: 0,
    pending: 0,
    handled: 0,
    runs: 0,
    continues: 0,
    failures: 0,
    retryAt: null,
    problem: null,
    failedToken: null,
    awaiting: [],
    woken: false,
    looks: 0,
    inFlight: null,
    last: null,
    work: null,
    route: null,
  };
}

const counts = [
  "events",
  "cursor",
  "pending",
  "runs",
  "continues",
  "failures",
  "created",
  "looks",
  "handled",
] as const;

/** Checks what the rest relies on; a record that was damaged or edited by hand is an error, not a surprise later. */
export function sessionRecordOf(name: string, stored: Json): SessionRecord {
  const record = stored as unknown as SessionRecord;
  if (isJsonObject(stored) && record.version !== 1) {
    throw new StoreError("newer", `the session ${name} was written by another version of harn`);
  }
  const sound =
    isJsonObject(stored) &&
    record.name === name &&
    Object.hasOwn(durableKinds.session.states, record.status) &&
    typeof record.agent === "string" &&
    Array.isArray(record.awaiting) &&
    Array.isArray(record.resources) &&
    counts.every((key) => Number.isSafeInteger(record[key]) && record[key] >= 0) &&
    record.cursor <= record.events &&
    record.pending <= record.events - record.cursor;
  if (!sound) throw new StoreError("corrupt", `the session ${name} is damaged in the store`);
  return record;
}

/** Whether results of custom tools are missing. */
export const isAwaiting = ({ awaiting }: SessionRecord): boolean =>
  awaiting.some(({ answered }) => answered === null);

/** A run is in progress, or was when its process ended. */
export const isAtWork = ({ inFlight, work }: SessionRecord): boolean => inFlight !== null || work !== null;

/** Its place in the status machine of work. */
export function sessionStatus(record: SessionRecord): WorkStatus {
  const { status, work, retryAt } = record;
  if (status === "closed") return "closed";
  if (work?.parked === true) return "waiting";
  if (isAtWork(record)) return "running";
  return retryAt === null ? durableKinds.session.states[status] : "queued";
}

/** The status as people see it: with the states that come from who works on it. */
export function shownStatus(record: SessionRecord, isHeld: boolean): string {
  if (record.work?.parked === true) return "waiting";
  if (isHeld) return "running";
  if (record.retryAt !== null) return "rescheduling";
  return record.status;
}
