/** Where events come in from outside: takes each once, and only as many as can be handled. */
import { type RateWindow, SeenKeys } from "./flow-control.ts";

export type Admission =
  | { readonly status: 202; readonly appended: true }
  /** Known already: thanked for, not handled again. */
  | { readonly status: 200; readonly appended: false; readonly error: string }
  /** Too many: come again after a while. */
  | { readonly status: 503; readonly appended: false; readonly retryAfterMs: number };

/** How long senders repeat what they think was lost. */
const repeatsForMs = 24 * 60 * 60 * 1000;

export class Intake {
  private readonly seen = new SeenKeys(repeatsForMs);
  private readonly rate: RateWindow | undefined;

  constructor(rate?: RateWindow) {
    this.rate = rate;
  }

  /** Asks for an event to be taken; `key` tells repeats. */
  admit(key: string | undefined, nowMs: number): Admission {
    const wait = this.rate?.take(nowMs) ?? 0;
    if (wait > 0) return { status: 503, appended: false, retryAfterMs: wait };
    if (key !== undefined && !this.seen.add(key, nowMs)) {
      return { status: 200, appended: false, error: `duplicate event key '${key}'` };
    }
    return { status: 202, appended: true };
  }
}

/** A record of what came in or was settled, as in the topics `trigger.inbox` and `trigger.outbox`. */
export interface JournalEntry<E> {
  readonly topic: "inbox" | "outbox";
  readonly eventId: string;
  readonly bindingId: string;
  readonly event: E;
}

/** Events that came in and were not settled: what a process that died had in its hands. */
export function inFlight<E>(entries: readonly JournalEntry<E>[]): JournalEntry<E>[] {
  const key = (entry: JournalEntry<E>): string => `${entry.eventId}\n${entry.bindingId}`;
  const settled = new Set(entries.filter((entry) => entry.topic === "outbox").map(key));
  return entries.filter((entry) => entry.topic === "inbox" && !settled.has(key(entry)));
}

/** Triggers from which nothing was heard for too long, with for how long. */
export function silent(
  lastPolled: ReadonlyMap<string, number>,
  limitMs: number,
  nowMs: number,
): { readonly id: string; readonly forMs: number }[] {
  return [...lastPolled]
    .map(([id, at]) => ({ id, forMs: nowMs - at }))
    .filter(({ forMs }) => forMs >= limitMs);
}
