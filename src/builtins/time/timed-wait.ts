/** Waiting for something outside, but not for ever. Only inside effects: it uses the machine's own clock. */

import type { Clock } from "../../host/index.ts";
import { at, refusal } from "../../table/index.ts";
import { Duration } from "../../values/index.ts";
import { type Argument, numberOf } from "../arguments.ts";

/** Where things arrive. Waiting and taking are two steps, so that who gives up takes nothing. */
export interface ArrivalSource<T> {
  ready(): Promise<void>;
  /** "empty": somebody else was faster. `undefined`: the end. */
  take(): T | "empty" | undefined;
}

/** A script's timeout in milliseconds; `undefined`, or nil: for ever. What is no time must not wait for ever. */
export function waitMs(caller: string, value: Argument): number | undefined {
  if (value === undefined || value === null) return undefined;
  const ms = value instanceof Duration ? value.ms : numberOf(value);
  if (ms === undefined || Number.isNaN(ms)) throw refusal(at(caller, "timeout"), "int | duration", value);
  return Math.max(0, ms);
}

/**
 * The next thing that arrives; "late" when `ms` are over before, `undefined` at the end. When nobody wants the result any
 * more, the signal's reason is thrown.
 */
export async function takeInTime<T>(
  clock: Clock,
  arrivals: ArrivalSource<T>,
  ms: number | undefined,
  signal: AbortSignal,
): Promise<T | "late" | undefined> {
  const due = ms === undefined ? undefined : clock.monotonic() + ms;
  for (;;) {
    const left = due === undefined ? undefined : Math.max(0, due - clock.monotonic());
    if (!(await readyInTime(clock, arrivals.ready(), left, signal))) return "late";
    const taken = arrivals.take();
    if (taken !== "empty") return taken;
  }
}

async function readyInTime(
  clock: Clock,
  ready: Promise<void>,
  ms: number | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  if (signal.aborted) throw signal.reason;
  const timer = new AbortController();
  const stop = (): void => timer.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const late = ms === undefined ? aborted(timer.signal) : clock.sleep(ms, timer.signal);
  try {
    return await Promise.race([ready.then(() => true), late.then(() => false)]);
  } finally {
    signal.removeEventListener("abort", stop);
    timer.abort();
    // Whichever lost may fail later; nobody waits for it here.
    late.catch(() => {});
    ready.catch(() => {});
  }
}

/** Never resolves. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
