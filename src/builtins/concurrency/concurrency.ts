/** Tasks, channels, atomics and sleeping as functions (builtins.md §2.16, language.md §13); the forms are syntax. */

import {
  awaitHandle,
  Channel,
  cancelGracefully,
  cancelHandle,
  parallelRace,
  type SelectChoice,
  selectChannels,
} from "../../interp/index.ts";
import { at, defineBuiltins, refusal } from "../../table/index.ts";
import {
  Atomic,
  Dict,
  Float,
  List,
  type MaybePromise,
  proceed,
  thrown,
  type Value,
} from "../../values/index.ts";
import { type Argument, intOr, isInt, needCallback, needList, optionsOf, textOf } from "../arguments.ts";
import { raceFields } from "../rows/concurrency.ts";
import { waitMs } from "../time/timed-wait.ts";

const tasks = defineBuiltins("concurrency", {
  await: {
    doc: "Waits for a task and gives its value; its error is raised here, its output appended here. Anything else is given back as it is.",
    sig: "(task: any) -> any",
    effect: "state",
    traits: ["specialForm", "takesTask"],
    suspends: "may",
    example: "await(spawn { 40 + 2 })  // 42",
    run: (task, handle: Argument) => awaitHandle(task, handle ?? null),
  },
  cancel: {
    doc: "Ends a task where it waits, without its result. One that has not begun never does.",
    sig: "(task: any) -> nil",
    effect: "state",
    traits: ["specialForm", "takesTask"],
    example: "cancel(spawn { 1 })  // nil",
    run: (task, handle: Argument) => cancelHandle(task, handle ?? null),
  },
  cancel_graceful: {
    doc: "Asks a task to stop and waits: `Ok(value)`, `Err(text of its error)`, or an `Err` that says it was ended by force when the time is over.",
    sig: "(task: any, timeout: duration | int = 5000) -> Result",
    effect: "state",
    traits: ["specialForm", "takesTask"],
    suspends: "may",
    run: (task, handle: Argument, timeout: Argument) =>
      cancelGracefully(task, handle ?? null, timeout ?? null),
  },
  is_cancelled: {
    doc: "True once somebody asked the task that calls it to stop.",
    sig: "() -> bool",
    effect: "state",
    traits: ["specialForm"],
    example: "is_cancelled()  // false",
    run: (task) => task.cancelled,
  },
  parallel_race: {
    doc: "Runs `f` on all items at once and gives the first success (an `Ok` is unwrapped); the others are ended. A throw or an `Err` is a failure. Option `max_concurrent`.",
    sig: "(items: list, f: fn(any) -> any, options?: dict) -> any",
    effect: "state",
    suspends: "callback",
    example: "parallel_race([3, 1], { x -> x * 10 })  // 30",
    fields: { options: () => raceFields },
    run: (task, items: Argument, f: Argument, options: Argument) =>
      parallelRace(
        task,
        needList("parallel_race", items),
        needCallback("parallel_race", f),
        optionsOf("parallel_race", options, raceFields).maxConcurrent,
      ),
  },
});

function channelArgument(name: string, value: Argument, missing: string): Channel {
  if (value === undefined) throw thrown(`${name}: ${missing}`);
  if (value instanceof Channel) return value;
  throw refusal(at(name, "channel"), "channel", value);
}

function channelsOf(value: Argument): Channel[] {
  if (!(value instanceof List)) throw refusal(at("channel_select", "channels"), "list", value);
  return value.toArray().map((item) => {
    if (item instanceof Channel) return item;
    throw thrown("channel_select: channel list must contain only channels");
  });
}

function selectResult(channels: readonly Channel[], input: SelectChoice): Value {
  const channel = channels[input.index];
  if (input.outcome !== "case" || channel === undefined) return null;
  return Dict.of({ index: input.index, value: input.value, channel: channel.name });
}

const needsChannel = "requires a channel";

const channels = defineBuiltins("concurrency", {
  channel: {
    doc: "A bounded queue between tasks.",
    sig: '(name: string = "default", capacity: int = 256) -> channel',
    effect: "state",
    traits: ["resultVaries"],
    example: 'channel("jobs", 2)  // <channel:jobs>',
    run: (_task, name: Argument, capacity: Argument) =>
      new Channel(textOf(name, "default"), intOr(capacity, 256)),
  },
  send: {
    doc: "Puts a value into a channel, waiting while it is full: true, or false once the channel is closed.",
    sig: "(channel: channel, value: any) -> bool",
    effect: "state",
    suspends: "may",
    example: 'send(channel(), "hello")  // true',
    run: (task, channel: Argument, value: Argument) => {
      if (channel === undefined || value === undefined) throw thrown("send: requires channel and value");
      return channelArgument("send", channel, needsChannel).send(task, value);
    },
  },
  receive: {
    doc: "The next value of a channel, waiting for it; nil once the channel is closed and drained.",
    sig: "(channel: channel) -> any",
    effect: "state",
    suspends: "may",
    run: (task, channel: Argument): MaybePromise<Value> =>
      proceed(channelArgument("receive", channel, needsChannel).receive(task), (value) => value ?? null),
  },
  try_receive: {
    doc: "The next value of a channel, or nil when there is none now.",
    sig: "(channel: channel) -> any",
    effect: "state",
    example: "try_receive(channel())  // nil",
    run: (_task, channel: Argument) =>
      channelArgument("try_receive", channel, needsChannel).tryReceive() ?? null,
  },
  close_channel: {
    doc: "Closes a channel: nothing more can be sent; what is in it stays readable.",
    sig: "(channel: channel) -> nil",
    effect: "state",
    example: "close_channel(channel())  // nil",
    run: (_task, channel: Argument) => {
      channelArgument("close_channel", channel, needsChannel).closeChannel();
      return null;
    },
  },
  channel_select: {
    doc: "Waits for the first of several channels: `{index, value, channel}`, or nil on a timeout (0: only what is there now) or when all are closed.",
    sig: "(channels: list, timeout_ms?: int | duration) -> dict | nil",
    effect: "state",
    suspends: "may",
    example: "channel_select([channel()], 0)  // nil",
    run: (task, list: Argument, timeout: Argument): MaybePromise<Value> => {
      const open = channelsOf(list);
      const ms = waitMs("channel_select", timeout);
      return proceed(selectChannels(task, open, ms, false), (input) => selectResult(open, input));
    },
  },
});

/** Start values and new values of an atomic: floats and bools are truncated, anything else counts as 0. */
function atomicCell(value: Argument): number | bigint {
  if (isInt(value)) return value;
  if (value instanceof Float)
    return Number.isSafeInteger(Math.trunc(value.value)) ? Math.trunc(value.value) : 0;
  return value === true ? 1 : 0;
}

/** 64 bits, wrapping round, as a number while that is exact. */
function wrappedResult(value: bigint): number | bigint {
  const int = BigInt.asIntN(64, value);
  const small = Number(int);
  return Number.isSafeInteger(small) ? small : int;
}

/** Stores a new value and gives the previous one. */
function swap(atomic: Argument, next: (old: number | bigint) => number | bigint): Value {
  if (!(atomic instanceof Atomic)) return null;
  const old = atomic.value;
  atomic.value = next(old);
  return old;
}

const atomics = defineBuiltins("concurrency", {
  atomic: {
    doc: "An integer cell that tasks and closures share by reference.",
    sig: "(initial: int = 0) -> atomic",
    effect: "state",
    traits: ["resultVaries"],
    example: "atomic_get(atomic(7))  // 7",
    run: (_task, initial: Argument) => new Atomic(atomicCell(initial)),
  },
  atomic_get: {
    doc: "The value of an atomic.",
    sig: "(cell: atomic) -> int | nil",
    effect: "state",
    example: "atomic_get(atomic())  // 0",
    run: (_task, atomic: Argument) => (atomic instanceof Atomic ? atomic.value : null),
  },
  atomic_set: {
    doc: "Stores a value and gives the previous one.",
    sig: "(cell: atomic, value: int) -> int | nil",
    effect: "state",
    example: "atomic_set(atomic(1), 5)  // 1",
    run: (_task, atomic: Argument, value: Argument) => swap(atomic, () => atomicCell(value)),
  },
  atomic_add: {
    doc: "Adds to the value and gives the previous one.",
    sig: "(cell: atomic, delta: int) -> int | nil",
    effect: "state",
    example: "atomic_add(atomic(1), 5)  // 1",
    run: (_task, atomic: Argument, delta: Argument) =>
      swap(atomic, (old) => wrappedResult(BigInt(old) + BigInt(atomicCell(delta)))),
  },
  atomic_cas: {
    doc: "Stores `new` when the value is `expected`, and says whether it was.",
    sig: "(cell: atomic, expected: int, new: int) -> bool",
    effect: "state",
    example: "atomic_cas(atomic(1), 1, 2)  // true",
    run: (_task, atomic: Argument, expected: Argument, next: Argument) => {
      if (!(atomic instanceof Atomic) || !isInt(expected) || atomic.value !== expected) return false;
      atomic.value = atomicCell(next);
      return true;
    },
  },
});

/** All of the area. */
export const concurrency = [...tasks, ...channels, ...atomics];
