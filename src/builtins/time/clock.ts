/** Clock, mocked time, timers and durations (builtins.md §2.8). Dates are in dates.ts. */
import { type Json, shape } from "../../effects/index.ts";
import type { Task } from "../../interp/index.ts";
import { at, defineBuiltins, refusal } from "../../table/index.ts";
import { Dict, Duration, Float, type MaybePromise, thrown, type Value } from "../../values/index.ts";
import { type Argument, intOr, isInt, numberOf, textOf, typeName } from "../arguments.ts";
import {
  clockState,
  lastMoment,
  moveMock,
  realTime,
  sinceStart,
  sleepInMock,
  wallClock,
} from "./clock-state.ts";

/** Milliseconds of a `sleep` argument; `undefined` for what returns at once. */
export function sleepMs(value: Argument): number | undefined {
  const ms = value instanceof Duration ? value.ms : intOr(value, 0);
  return ms > 0 ? ms : undefined;
}

/** A recorded sleep on the machine's clock. */
export function realSleep(task: Task, ms: number): MaybePromise<Value> {
  return task.perform<null>({
    effect: "observe",
    kind: "sleep",
    args: (): Json => ms,
    waits: ms,
    run: async (signal, left = ms) => {
      await task.runtime.host.clock.sleep(left, signal);
      return null;
    },
    result: shape.nothing,
  });
}

const sleeping = {
  doc: "Waits for a duration, or for so many milliseconds; only the task that calls it. Under a mocked clock it advances the clock and returns at once.",
  sig: "(ms: int | duration) -> nil",
  refuses: { ms: "write `500ms`, `2s`, or `duration_seconds(…)`" },
  effect: "observe" as const,
  performs: true,
  suspends: "may" as const,
  example: "sleep(0)  // nil",
  run: (task: Task, value: Argument): MaybePromise<Value> => {
    const ms = sleepMs(value);
    if (ms === undefined || sleepInMock(task, ms)) return null;
    return realSleep(task, ms);
  },
};

/** Beyond it milliseconds are no longer counted exactly: 285,000 years. */
const maxMs = Number.MAX_SAFE_INTEGER;

function unit(name: string, ms: number, example: string) {
  return {
    doc: `A duration of so many ${name}.`,
    sig: "(n: int | float) -> duration",
    effect: "pure" as const,
    example,
    run: (_task: unknown, n: Argument): Value => {
      const count = numberOf(n);
      if (count === undefined) throw thrown(`duration_${name}: expected number, got ${typeName(n)}`);
      const total = Math.round(count * ms);
      // NaN and the infinities too: no number of milliseconds stands for them.
      if (!Number.isSafeInteger(total)) {
        throw thrown(`duration_${name}: out of range: ${textOf(n)} ${name} (at most ${maxMs} ms)`);
      }
      return new Duration(total + 0);
    },
  };
}

export function needDuration(name: string, value: Argument): Duration {
  if (value instanceof Duration) return value;
  throw thrown(`${name}: expected duration, got ${typeName(value)}`);
}

const humanUnits: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
  ["ms", 1],
];

function humanDuration(ms: number): string {
  const parts: string[] = [];
  let left = Math.abs(ms);
  for (const [name, size] of humanUnits) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0 && parts.length < 3) parts.push(`${count}${name}`);
  }
  if (parts.length === 0) return "0s";
  return (ms < 0 ? "-" : "") + parts.join(" ");
}

export const clock = defineBuiltins(
  "clock",
  {
    timestamp: {
      doc: "Seconds since the Unix epoch, with a fraction. Honours `mock_time`.",
      sig: "() -> float",
      effect: "observe",
      performs: true,
      run: (task) => new Float(wallClock(task) / 1000),
    },
    now_ms: {
      doc: "Milliseconds since the Unix epoch. Honours `mock_time`.",
      sig: "() -> int",
      effect: "observe",
      performs: true,
      run: (task) => Math.floor(wallClock(task)),
    },
    monotonic_ms: {
      doc: "Milliseconds on a clock that never goes back. Honours `mock_time`.",
      sig: "() -> int",
      effect: "observe",
      performs: true,
      run: (task) => sinceStart(task),
    },
    elapsed: {
      doc: "Milliseconds since the program started. Honours `mock_time`.",
      sig: "() -> int",
      effect: "observe",
      performs: true,
      run: (task) => sinceStart(task),
    },
    sleep: sleeping,
    sleep_ms: sleeping,
    mock_time: {
      doc: "Stops the clock at a time in milliseconds; a second call replaces the first.",
      sig: "(ms: int) -> nil",
      effect: "state",
      example: "mock_time(1000)  // nil",
      run: (task, ms: Argument) => {
        if (typeof ms !== "number") throw thrown("mock_time(ms): expected an integer millisecond timestamp");
        if (Math.abs(ms) > lastMoment)
          throw thrown(`mock_time(ms): out of range: dates end at ${lastMoment} ms`);
        task.runtime.state(clockState).mock = { start: ms, now: ms };
        return null;
      },
    },
    advance_time: {
      doc: "Moves the mocked clock, also backwards. A step that is no int counts as 0.",
      sig: "(ms: int) -> nil",
      effect: "state",
      run: (task, ms: Argument) => {
        const { mock } = task.runtime.state(clockState);
        if (mock === undefined) throw thrown("advance_time: no mock active. Call mock_time(ms) first.");
        if (isInt(ms)) moveMock(mock, intOr(ms, 0));
        return null;
      },
    },
    unmock_time: {
      doc: "Back to the machine's clock.",
      sig: "() -> nil",
      effect: "state",
      run: (task) => {
        task.runtime.state(clockState).mock = undefined;
        return null;
      },
    },
    timer_start: {
      doc: "Starts a timer: a dict `{name, start_ms}` for `timer_end`. Always on the machine's clock.",
      sig: '(name: any = "default") -> dict',
      effect: "observe",
      performs: true,
      run: (task, name: Argument) =>
        Dict.of({ name: textOf(name, "default"), start_ms: Math.floor(realTime(task)) }),
    },
    timer_end: {
      doc: "Writes `[timer] NAME: Nms` to standard output and returns the milliseconds since `timer_start`.",
      sig: "(timer: dict) -> int",
      effect: "observe",
      performs: true,
      run: (task, timer: Argument) => {
        const start = timer instanceof Dict ? numberOf(timer.get("start_ms")) : undefined;
        if (!(timer instanceof Dict) || start === undefined)
          throw refusal(at("timer_end", "timer"), "what timer_start gave", timer);
        const passed = Math.max(0, Math.floor(realTime(task)) - start);
        task.write(`[timer] ${textOf(timer.get("name"), "default")}: ${passed}ms\n`);
        return passed;
      },
    },
    duration_ms: unit("ms", 1, "duration_ms(1500)  // 1500ms"),
    duration_seconds: unit("seconds", 1000, "duration_seconds(90)  // 90s"),
    duration_minutes: unit("minutes", 60_000, "duration_minutes(1.5)  // 90s"),
    duration_hours: unit("hours", 3_600_000, "duration_hours(2)  // 2h"),
    duration_days: unit("days", 86_400_000, "duration_to_seconds(duration_days(1))  // 86400"),
    duration_to_seconds: {
      doc: "Whole seconds of a duration.",
      sig: "(d: duration) -> int",
      effect: "pure",
      example: "duration_to_seconds(1500ms)  // 1",
      run: (_task, d: Argument) => Math.trunc(needDuration("duration_to_seconds", d).ms / 1000) + 0,
    },
    duration_to_human: {
      doc: "Up to three units, such as `3h 14m`.",
      sig: "(d: duration) -> string",
      effect: "pure",
      example: "duration_to_human(duration_seconds(3661))  // 1h 1m 1s",
      run: (_task, d: Argument) => humanDuration(needDuration("duration_to_human", d).ms),
    },
  },
  { timer: "a timer, as `timer_start` gives it" },
);
