/** When a session should run next, and why it should not now: one place decides, for `run`, `serve` and `list` alike. */
import { isAwaiting, type SessionRecord } from "./record.ts";

/** Milliseconds since the epoch, 0 for "now"; `undefined`: only when something comes from outside. */
export function dueOf(record: SessionRecord, nextWake: number | undefined): number | undefined {
  if (record.status === "closed" || record.status === "failed" || record.work?.parked === true)
    return undefined;
  if (record.retryAt !== null) return record.retryAt;
  // What was begun and is not finished goes on, whatever else there is.
  if (record.inFlight !== null || record.work !== null) return 0;
  if (isAwaiting(record)) return record.woken ? 0 : nextWake;
  if (record.pending > 0 || record.status === "rescheduling") return 0;
  return nextWake;
}

/** Why a run would find nothing to do; `undefined` when there is something. Wakes that are due are events by now. */
export function idleReason(record: SessionRecord): string | undefined {
  if (record.status === "closed") return "it is closed";
  if (record.inFlight !== null || record.status === "failed") return undefined;
  const open = record.awaiting.filter(({ answered }) => answered === null);
  if (open.length > 0 && !record.woken) {
    return `it waits for the result of ${open.map(({ id, name }) => `${id} (${name})`).join(", ")}`;
  }
  if (record.pending > 0 || record.status === "rescheduling") return undefined;
  return "nothing is pending";
}
