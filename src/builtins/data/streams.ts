/**
 * The global `stream` (builtins.md §2.9, language.md §14.2): a namespace dict of operators over everything that can be
 * iterated. All but the sinks are lazy. Where several sources are pulled at once, a source that waits keeps its pull
 * in progress until it is asked for again: nothing that it gave is lost.
 */

import type { Task } from "../../interp/index.ts";
import { at, refusal } from "../../table/index.ts";
import {
  Callable,
  Dict,
  Float,
  filterIter,
  Iter,
  invoke1,
  invoke2,
  isInt,
  List,
  type MaybePromise,
  mapIter,
  Pair,
  type PulledValue,
  proceed,
  runtimeError,
  takeIter,
  takeWhileIter,
  truthy,
  tryIter,
  typeError,
  typeOf,
  untilThen,
  type Value,
} from "../../values/index.ts";
import { type Argument, numberOf, option } from "../arguments.ts";
import { realSleep, sleepMs } from "../time/clock.ts";
import { sinceStart, sleepInMock } from "../time/clock-state.ts";

type StreamRun = (task: Task, args: readonly Argument[]) => MaybePromise<Value>;

/** One operator as a function value: `stream.map`. */
class StreamOperator extends Callable {
  readonly name: string;
  readonly params: readonly string[] = [];
  private readonly run: StreamRun;

  constructor(name: string, run: StreamRun) {
    super();
    this.name = `stream.${name}`;
    this.run = run;
  }
  call(task: Task, args: readonly Value[]): MaybePromise<Value> {
    return this.run(task, args);
  }
}
Object.defineProperty(StreamOperator.prototype, "type", { value: "builtin" });

function source(name: string, value: Argument): Iter {
  const found = value === undefined ? undefined : tryIter(value);
  // A piece at a time may be taken of what is left, also of nothing.
  if (found === value && name !== "take" && name !== "first") found?.begin();
  if (found !== undefined) return found;
  throw typeError(`stream.${name}: value of type ${typeOf(value ?? null)} is not iterable`);
}

function callback(name: string, position: number, value: Argument): Callable {
  if (value instanceof Callable) return value;
  throw refusal(at(`stream.${name}`, `argument ${position}`), "closure", value);
}

function streamCount(name: string, value: Argument): number {
  if (isInt(value ?? null) && Number(value) >= 0) return Number(value);
  throw refusal(at(`stream.${name}`, "argument 2"), "int >= 0", value);
}

/** Calls back with each value as it passes. */
const tap = (from: Iter, f: Callable): Iter =>
  new Iter((task: Task) =>
    proceed(
      from.next(task),
      (value): MaybePromise<PulledValue> =>
        value === undefined ? undefined : proceed(invoke1(task, f, value), () => value),
    ),
  );

/** Every intermediate result, without the seed. */
function runningFold(from: Iter, seed: Value, f: Callable): Iter {
  let held = seed;
  return new Iter((task: Task) =>
    proceed(
      from.next(task),
      (value): MaybePromise<PulledValue> =>
        value === undefined
          ? undefined
          : proceed(invoke2(task, f, held, value), (result) => {
              held = result;
              return result;
            }),
    ),
  );
}

const takeUntil = (from: Iter, f: Callable): Iter =>
  new Iter((task: Task) =>
    proceed(
      from.next(task),
      (value): MaybePromise<PulledValue> =>
        value === undefined
          ? undefined
          : proceed(invoke1(task, f, value), (stop) => (truthy(stop) ? undefined : value)),
    ),
  );

const zippedPairs = (left: Iter, right: Iter): Iter =>
  new Iter((task: Task) =>
    proceed(
      left.next(task),
      (a): MaybePromise<PulledValue> =>
        a === undefined
          ? undefined
          : proceed(right.next(task), (b) => (b === undefined ? undefined : new Pair(a, b))),
    ),
  );

/** One from each in turn; sources that have ended are left out. */
function interleave(sources: Iter[]): Iter {
  let left = [...sources];
  let at = 0;
  const ended = Symbol("ended");
  return new Iter((task: Task) =>
    proceed(
      untilThen<Value | typeof ended>(() => {
        const from = left[at % Math.max(1, left.length)];
        if (from === undefined) return ended;
        return proceed(from.next(task), (value): Value | undefined => {
          if (value !== undefined) {
            at = (at % left.length) + 1;
            return value;
          }
          at %= left.length;
          left = left.filter((one) => one !== from);
          return undefined;
        });
      }),
      (value) => (value === ended ? undefined : (value as Value)),
    ),
  );
}

/** What a pull of one of several sources came to. */
interface StreamArrival {
  readonly from: number;
  readonly outcome: { readonly value: PulledValue } | { readonly error: unknown };
}

/** Several sources pulled at once. */
class MergedSources {
  private readonly sources: readonly Iter[];
  private readonly open: Set<number>;
  private readonly inFlight = new Set<number>();
  private readonly arrived: StreamArrival[] = [];
  private wake: (() => void) | undefined;
  private at = 0;

  constructor(sources: readonly Iter[]) {
    this.sources = sources;
    this.open = new Set(sources.keys());
  }

  /** The next value of any source, and which one gave it; `undefined` when all have ended. Takes turns. */
  next(task: Task): MaybePromise<{ from: number; value: Value } | undefined> {
    for (;;) {
      const arrival = this.arrived.shift();
      if (arrival !== undefined) {
        const taken = this.take(arrival);
        if (taken !== undefined) return taken;
        continue;
      }
      const ready = this.pullReady(task);
      if (ready !== undefined) return ready;
      if (this.open.size === 0) return undefined;
      if (this.arrived.length > 0) continue;
      return new Promise<void>((resolve) => {
        this.wake = resolve;
      }).then(() => this.next(task));
    }
  }

  private take({ from, outcome }: StreamArrival): { from: number; value: Value } | undefined {
    this.inFlight.delete(from);
    if ("error" in outcome) throw outcome.error;
    if (outcome.value !== undefined) return { from, value: outcome.value };
    this.open.delete(from);
    return undefined;
  }

  private pullReady(task: Task): { from: number; value: Value } | undefined {
    const { sources } = this;
    for (let i = 0; i < sources.length; i++) {
      const from = (this.at + i) % sources.length;
      if (!this.open.has(from) || this.inFlight.has(from)) continue;
      const scope = task.scope;
      const pulled = (sources[from] as Iter).next(task);
      // A generator that waits leaves its own scope behind: the next source must not count on it.
      task.scope = scope;
      if (pulled instanceof Promise) this.await(from, pulled);
      else if (pulled === undefined) this.open.delete(from);
      else {
        this.at = (from + 1) % sources.length;
        return { from, value: pulled };
      }
    }
    return undefined;
  }

  private await(from: number, pulled: Promise<PulledValue>): void {
    this.inFlight.add(from);
    const arrive = (outcome: StreamArrival["outcome"]): void => {
      this.arrived.push({ from, outcome });
      const { wake } = this;
      this.wake = undefined;
      wake?.();
    };
    pulled.then(
      (value) => arrive({ value }),
      (error) => arrive({ error }),
    );
  }
}

function mergeStreams(sources: readonly Iter[]): Iter {
  const all = new MergedSources(sources);
  return new Iter((task: Task) => proceed(all.next(task), (input) => input?.value));
}

/** The first source that gives something is the only one from then on. */
function race(sources: readonly Iter[]): Iter {
  const all = new MergedSources(sources);
  let winner: Iter | undefined;
  return new Iter((task: Task) => {
    if (winner !== undefined) return winner.next(task);
    return proceed(all.next(task), (input) => {
      if (input === undefined) return undefined;
      winner = sources[input.from];
      return input.value;
    });
  });
}

const maxCopies = 10_000;

/** Independent copies: what one has pulled is kept until all have seen it. */
function broadcast(from: Iter, copies: number): List {
  if (copies > maxCopies) throw runtimeError(`stream.broadcast: at most ${maxCopies} copies, got ${copies}`);
  const kept: Value[] = [];
  const seen: number[] = new Array(copies).fill(0);
  let dropped = 0;
  let pulling: Promise<PulledValue> | undefined;
  const pull = (task: Task): MaybePromise<PulledValue> => {
    const keep = (value: PulledValue): PulledValue => {
      pulling = undefined;
      if (value !== undefined) kept.push(value);
      return value;
    };
    const pulled = pulling ?? from.next(task);
    if (!(pulled instanceof Promise)) return keep(pulled);
    if (pulling !== undefined) return pulled;
    pulling = pulled.then(keep);
    return pulling;
  };
  const copy = (index: number): Iter =>
    new Iter((task: Task): MaybePromise<PulledValue> => {
      const give = (): Value => {
        const value = kept[(seen[index] as number) - dropped] as Value;
        seen[index] = (seen[index] as number) + 1;
        const slowest = Math.min(...seen);
        if (slowest - dropped > 64) {
          kept.splice(0, slowest - dropped);
          dropped = slowest;
        }
        return value;
      };
      if ((seen[index] as number) < dropped + kept.length) return give();
      return proceed(pull(task), (value) => (value === undefined ? undefined : give()));
    });
  return new List(Array.from({ length: copies }, (_, index) => copy(index)));
}

function pauseStream(task: Task, ms: number): MaybePromise<Value> {
  return ms <= 0 || sleepInMock(task, ms) ? null : realSleep(task, ms);
}

/** At most so many items a second: each waits until its turn has come. */
function throttle(from: Iter, perSecond: number): Iter {
  const gap = 1000 / perSecond;
  let due: number | undefined;
  return new Iter((task: Task) =>
    proceed(from.next(task), (value): MaybePromise<PulledValue> => {
      if (value === undefined) return undefined;
      const now = sinceStart(task);
      const wait = due === undefined ? 0 : Math.max(0, Math.ceil(due - now));
      due = Math.max(due ?? now, now) + gap;
      return proceed(pauseStream(task, wait), () => value);
    }),
  );
}

/** The last item of each burst: of items between which less than `ms` pass. What is there at once is one burst. */
function debounce(from: Iter, ms: number): Iter {
  /** A pull that was still in progress when the last burst was over. */
  let pending: Promise<PulledValue> | undefined;
  const pull = (task: Task): MaybePromise<PulledValue> => {
    const scope = task.scope;
    const pulled = pending ?? from.next(task);
    pending = undefined;
    task.scope = scope;
    return pulled;
  };
  const burst = (task: Task, first: Value): MaybePromise<PulledValue> => {
    let last = first;
    for (;;) {
      const pulled = pull(task);
      if (pulled instanceof Promise) return waiting(task, last, pulled);
      if (pulled === undefined) return last;
      last = pulled;
    }
  };
  const waiting = async (task: Task, last: Value, pulled: Promise<PulledValue>): Promise<PulledValue> => {
    const quiet = Symbol("quiet");
    const winner = await Promise.race([pulled, Promise.resolve(pauseStream(task, ms)).then(() => quiet)]);
    if (winner === quiet) pending = pulled;
    return winner === quiet || winner === undefined ? last : burst(task, winner as Value);
  };
  return new Iter((task: Task) =>
    proceed(pull(task), (first) => (first === undefined ? undefined : burst(task, first))),
  );
}

const defaultCollect = 10_000;

function collectStream(task: Task, from: Iter, limit: Argument): MaybePromise<Value> {
  const input = limit instanceof Dict ? option(limit, "max") : limit;
  const max = input === undefined || input === null ? defaultCollect : streamCount("collect", input);
  const items: Value[] = [];
  const done = Symbol("done");
  return proceed(
    untilThen<typeof done>(() =>
      proceed(from.next(task), (value) => {
        if (value === undefined) return done;
        if (items.length >= max) throw runtimeError(`stream.collect: more than ${max} items`);
        items.push(value);
        return undefined;
      }),
    ),
    () => new List(items),
  );
}

function foldStream(task: Task, from: Iter, seed: Value, f: Callable): MaybePromise<Value> {
  let held = seed;
  const done = Symbol("done");
  return proceed(
    untilThen<typeof done>(() =>
      proceed(from.next(task), (value): MaybePromise<typeof done | undefined> => {
        if (value === undefined) return done;
        return proceed(invoke2(task, f, held, value), (result) => {
          held = result;
          return undefined;
        });
      }),
    ),
    () => held,
  );
}

function rate(value: Argument): number {
  const perSecond = numberOf(value);
  if (perSecond !== undefined && perSecond > 0) return perSecond;
  throw refusal(at("stream.throttle", "argument 2"), "a number above 0", value);
}

/** The type, and of numbers the value: the type alone would not say what is wrong. */
const _shownArgument = (value: Argument): string =>
  typeof value === "number" || value instanceof Float ? String(numberOf(value)) : typeOf(value ?? null);

const streamSources = (name: string, args: readonly Argument[]): Iter[] =>
  args.map((arg) => source(name, arg));

const operators: Readonly<Record<string, StreamRun>> = {
  map: (_task, [src, f]) => mapIter(source("map", src), callback("map", 2, f)),
  filter: (_task, [src, f]) => filterIter(source("filter", src), callback("filter", 2, f)),
  tap: (_task, [src, f]) => tap(source("tap", src), callback("tap", 2, f)),
  scan: (_task, [src, seed, f]) => runningFold(source("scan", src), seed ?? null, callback("scan", 3, f)),
  take: (_task, [src, n]) => takeIter(source("take", src), streamCount("take", n)),
  take_while: (_task, [src, f]) => takeWhileIter(source("take_while", src), callback("take_while", 2, f)),
  take_until: (_task, [src, f]) => takeUntil(source("take_until", src), callback("take_until", 2, f)),
  merge: (_task, args) => mergeStreams(streamSources("merge", args)),
  interleave: (_task, args) => interleave(streamSources("interleave", args)),
  race: (_task, args) => race(streamSources("race", args)),
  zip: (_task, [a, b]) => zippedPairs(source("zip", a), source("zip", b)),
  broadcast: (_task, [src, n]) => broadcast(source("broadcast", src), streamCount("broadcast", n)),
  throttle: (_task, [src, perSecond]) => throttle(source("throttle", src), rate(perSecond)),
  debounce: (_task, [src, ms]) => debounce(source("debounce", src), sleepMs(ms) ?? 0),
  collect: (task, [src, max]) => collectStream(task, source("collect", src), max),
  fold: (task, [src, seed, f]) => foldStream(task, source("fold", src), seed ?? null, callback("fold", 3, f)),
  first: (task, [src]) => proceed(source("first", src).next(task), (value) => value ?? null),
};

export const streamOperators = (): readonly string[] => Object.keys(operators);

/** The value of `stream`. */
export const streamNamespace = (): Value =>
  Dict.from([
    ["_namespace", "stream" as Value] as const,
    ...Object.entries(operators).map(
      ([name, run]) => [name, new StreamOperator(name, run) as Value] as const,
    ),
  ]);
