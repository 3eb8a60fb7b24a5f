/** Waiting for the first of several channels: the `select` statement and `channel_select` (language.md §13.4). */
import { type MaybePromise, runtimeError, typeOf, type Value } from "../../values/index.ts";
import { limitInMs } from "../limits.ts";
import type { Task, Wait } from "../task.ts";
import { Channel, type Receiver } from "./channel.ts";
import { startTimer } from "./timers.ts";

/** Which case runs: its index, or why none does. */
export interface SelectChoice {
  /** Index of the channel case, or -1. */
  readonly index: number;
  readonly value: Value;
  /** `otherwise`: run the `timeout` or `default` block. `closed`: nothing can ever come, the statement ends. */
  readonly outcome: "case" | "otherwise" | "closed";
}

const otherwise: SelectChoice = { index: -1, value: null, outcome: "otherwise" };
const allClosed: SelectChoice = { index: -1, value: null, outcome: "closed" };

/**
 * Runs the waiting part of a `select`: `cases` are the channel operands in source order, `timeout` is the operand of
 * `timeout` (`undefined` without one), `hasDefault` says that there is a `default` block.
 */
export function select(
  task: Task,
  cases: readonly Value[],
  timeout: Value | undefined,
  hasDefault: boolean,
): MaybePromise<SelectChoice> {
  const channels = cases.map((value, index) => channelOf(value, index));
  return selectChannels(task, channels, timeout === undefined ? undefined : waitFor(timeout), hasDefault);
}

function channelOf(value: Value, index: number): Channel {
  if (value instanceof Channel) return value;
  throw runtimeError(`select: case ${index + 1} must receive from a channel, got ${typeOf(value)}`);
}

function waitFor(timeout: Value): number {
  const ms = limitInMs(timeout);
  if (ms === undefined)
    throw runtimeError(`select: timeout must be a duration or an int, got ${typeOf(timeout)}`);
  return ms;
}

/** The first channel with a value; earlier ones win ties. */
export function selectChannels(
  task: Task,
  channels: readonly Channel[],
  timeoutMs: number | undefined,
  hasDefault: boolean,
): MaybePromise<SelectChoice> {
  for (let index = 0; index < channels.length; index++) {
    const value = channels[index]!.tryReceive();
    if (value !== undefined) return { index, value, outcome: "case" };
  }
  if (hasDefault || (timeoutMs !== undefined && timeoutMs <= 0)) return otherwise;
  if (timeoutMs === undefined && channels.every((channel) => channel.drained)) return allClosed;
  return task.park<SelectChoice>(`select on ${names(channels)}`, (wait) =>
    register(task, wait, channels, timeoutMs),
  );
}

/** Stands in line at every channel; whatever comes first takes the wait out of all of them. */
function register(
  task: Task,
  wait: Wait<SelectChoice>,
  channels: readonly Channel[],
  timeoutMs: number | undefined,
): () => void {
  const leave: (() => void)[] = [];
  const leaveAll = (): void => {
    for (const one of leave) one();
  };
  const give = (selected: SelectChoice): boolean => {
    leaveAll();
    return wait.wake(selected);
  };
  channels.forEach((channel, index) => {
    const receiver: Receiver = {
      offer: (value) => give({ index, value, outcome: "case" }),
      closed: () => {
        if (timeoutMs === undefined && channels.every((other) => other.drained)) give(allClosed);
      },
    };
    leave.push(channel.wait(receiver));
  });
  if (timeoutMs !== undefined)
    leave.push(startTimer(task, timeoutMs, "select timeout", () => give(otherwise)));
  return leaveAll;
}

function names(channels: readonly Channel[]): string {
  return channels.length === 0 ? "no channel" : channels.map((channel) => channel.described).join(", ");
}
