/** Watching a source until a condition holds: `std/monitors` (builtins.md §2.22). */

import { newId, type Task } from "../../interp/index.ts";
import { at, defineBuiltins, readRows, row, rows } from "../../table/index.ts";
import { type Callable, Dict, truthy, type Value } from "../../values/index.ts";
import { option } from "../arguments.ts";
import { traceIdFor } from "../observe/trace-ids.ts";
import { realSleep } from "../time/clock.ts";
import { sinceStart, sleepInMock, wallClock } from "../time/clock-state.ts";
import { isoTime } from "../time/iso-time.ts";
import { latestEvent, nextEvent } from "./event-log/event-log.ts";
import { inboxTopic } from "./triggers/index.ts";

const caller = "wait_for";
const usualInterval = 1000;

const monitorFields = rows(() => ({
  wait_id: row.shown("What the wait is called; made up unless given."),
  source: row
    .dict(
      rows(() => ({
        label: row.text("What it is called."),
        poll: row.closure("Gives its state.").required(),
        push_filter: row.closure("Which trigger events lead to a look at once."),
      })),
      "What is looked at.",
    )
    .required(),
  condition: row.closure("Takes the state and says whether the wait is over.").required(),
  timeout: row.time("How long it waits.", null, { min: 0 }).bounds().required(),
  poll_interval: row.time("Time between two looks.", null, { min: 0 }),
}));

function monitorOf(task: Task, config: Dict) {
  const { waitId, source, condition, timeout, pollInterval } = readRows(config, monitorFields, at(caller));
  return {
    waitId: waitId ?? `monitor_wait_${newId(task)}`,
    label: source.label ?? "source",
    poll: source.poll,
    condition,
    /** Which events of triggers are worth a look before the interval is over. */
    pushFilter: source.pushFilter ?? undefined,
    timeoutMs: timeout,
    intervalMs: pollInterval ?? usualInterval,
  };
}

/** Polls at least once, then whenever the interval is over or an event arrives that passes the filter. */
async function waitForMonitor(task: Task, config: Dict): Promise<Value> {
  const monitor = monitorOf(task, config);
  const startedAt = isoTime(wallClock(task));
  const traceId = traceIdFor(task);
  const due = sinceStart(task) + monitor.timeoutMs;
  const pushes = new Pushes(task, monitor.pushFilter);
  for (let polls = 1; ; polls++) {
    const context = Dict.of({
      wait_id: monitor.waitId,
      source_label: monitor.label,
      poll_count: polls,
      push_wake_count: pushes.count,
      started_at: startedAt,
      trace_id: traceId,
    });
    const state = await monitor.poll.call(task, [context]);
    const held = await monitor.condition.call(task, [state]);
    const status = statusOf(task, held, due);
    if (status === undefined) {
      await pushes.pause(task, Math.min(monitor.intervalMs, due - sinceStart(task)));
      continue;
    }
    return Dict.of({
      wait_id: monitor.waitId,
      status,
      source_label: monitor.label,
      started_at: startedAt,
      resolved_at: isoTime(wallClock(task)),
      state,
      condition_value: held,
      poll_count: polls,
      push_wake_count: pushes.count,
      trace_id: traceId,
      reason: reasons[status],
    });
  }
}

const reasons = { matched: null, cancelled: "cancelled", timed_out: "deadline elapsed" } as const;

function statusOf(task: Task, held: Value, due: number): keyof typeof reasons | undefined {
  if (truthy(held)) return "matched";
  if (task.cancelled) return "cancelled";
  return sinceStart(task) >= due ? "timed_out" : undefined;
}

/** Events of triggers that come while a monitor waits. */
class Pushes {
  count = 0;
  private readonly filter: Callable | undefined;
  private cursor = 0;

  constructor(task: Task, filter: Callable | undefined) {
    this.filter = filter;
    if (filter === undefined) return;
    const latest = latestEvent(task, inboxTopic);
    if (latest instanceof Dict) this.cursor = latest.get("id") as number;
  }

  /** Until the time is over, or an event passes the filter. */
  async pause(task: Task, ms: number): Promise<void> {
    if (this.filter === undefined) {
      if (!sleepInMock(task, ms)) await realSleep(task, ms);
      return;
    }
    const due = sinceStart(task) + ms;
    for (;;) {
      const left = due - sinceStart(task);
      if (left <= 0) return;
      const event = await nextEvent(task, inboxTopic, this.cursor, left);
      if (event === undefined) {
        // The mocked clock stands still while the wait takes its time on the machine's.
        sleepInMock(task, left);
        return;
      }
      this.cursor = event.get("id") as number;
      const arrived = option(event.get("payload"), "event") ?? null;
      if (truthy(await this.filter.call(task, [arrived]))) {
        this.count++;
        return;
      }
    }
  }
}

export const monitors = defineBuiltins("monitors", {
  monitor_wait_for: {
    effect: "read",
    performs: true,
    suspends: "may",
    doc:
      "Polls a source until a condition holds: config `{source: {label, poll: ctx -> state, push_filter?: event -> bool}, " +
      "condition: state -> bool, timeout, poll_interval = 1s, wait_id?}`, result `{wait_id, status, source_label, started_at, " +
      "resolved_at, state, condition_value, poll_count, push_wake_count, trace_id, reason}` with status `matched`, " +
      "`timed_out` or `cancelled`. Events of triggers that pass `push_filter` wake it early. Also `wait_for` of `std/monitors`.",
    sig: "(config!: dict) -> dict",
    example:
      "monitor_wait_for({timeout: 0, source: {poll: { ctx -> 3 }}, condition: { n -> n > 2 }}).status  // matched",
    fields: { config: () => monitorFields },
    run: (task, config: Dict) => waitForMonitor(task, config),
  },
});
