/** The clock that scripts see: the machine's, recorded, or the mocked one, which is Runtime state. */
import { shape } from "../effects/index.ts";
import { stateKey } from "./runtime.ts";
import type { Task } from "./task.ts";

interface ClockState {
  /** Set by `mock_time`: a second call replaces the first. */
  mock: { readonly start: number; now: number } | undefined;
}

export const clockState = stateKey<ClockState>("clock", () => ({ mock: undefined }));

/** Milliseconds since the epoch; honours the mock. */
export function wallClock(task: Task): number {
  return task.runtime.state(clockState).mock?.now ?? realTime(task);
}

/** Milliseconds since the epoch, mock or not. */
export function realTime(task: Task): number {
  return observeScriptClock(task, "clock.now", () => task.runtime.host.clock.now());
}

/** Whole milliseconds since the program's start; honours the mock. */
export function sinceStart(task: Task): number {
  const state = task.runtime.state(clockState);
  if (state.mock !== undefined) return state.mock.now - state.mock.start;
  return Math.max(0, Math.floor(monotonic(task)));
}

/** The machine's monotonic clock, in milliseconds with a fraction. */
export function monotonic(task: Task): number {
  return observeScriptClock(task, "clock.monotonic", () => task.runtime.host.clock.monotonic());
}

/** The last moment that a date can show: 275,760 years before and after 1970. */
export const lastMoment = 8_640_000_000_000_000;

/** Moves a mocked clock; it stops at the last moment there is. */
export function moveMock(mock: { now: number }, ms: number): void {
  mock.now = Math.min(lastMoment, Math.max(-lastMoment, mock.now + ms));
}

/** Under a mocked clock time passes by sleeping: advances it and says so. */
export function sleepInMock(task: Task, ms: number): boolean {
  const { mock } = task.runtime.state(clockState);
  if (mock === undefined) return false;
  moveMock(mock, Math.max(0, ms));
  return true;
}

function observeScriptClock(task: Task, kind: string, run: () => number): number {
  // The port hands the result of a synchronous effect over at once, live and replayed alike.
  return task.perform<number>({
    effect: "observe",
    kind,
    args: () => null,
    run,
    result: shape.number,
  }) as number;
}
