/**
 * `parallel` in its forms (language.md §13.1). Bodies are child tasks that are begun one after the other, in input
 * order; one that does not wait is over before the next begins, and when none waits the whole is synchronous. What
 * bodies print is printed in input order, whichever ended first: at once by the first that has not ended, and when those before
 * it have ended by the others (`branch.ts` shows it to whoever watches before that).
 */
import {
  asUncaught,
  Callable,
  Dict,
  display,
  err,
  isErr,
  isInt,
  isOkValue,
  List,
  type MaybePromise,
  okResult,
  Pullable,
  type PulledValue,
  payload,
  proceed,
  Range,
  runtimeError,
  ScriptError,
  SetValue,
  typeError,
  typeOf,
  uncaughtText,
  type Value,
} from "../../values/index.ts";
import { Interruption } from "../interrupts/interruption.ts";
import { elementsIn, type IndexedItems, numbersFrom } from "../iterable.ts";
import type { Task, Wait } from "../task.ts";
import type { TaskLocals } from "../task-local.ts";
import { BranchGroup, branchMark, ParallelBranch } from "./branch.ts";
import { childTask } from "./scheduler.ts";

type ParallelMode = "count" | "each" | "settle";

/** A script function of the element, or native code. */
export type ParallelBody = Callable | ((child: Task, item: Value, index: number) => MaybePromise<Value>);

const labels: Readonly<Record<ParallelMode, string>> = {
  count: "parallel",
  each: "parallel_each",
  settle: "parallel_settle",
};

/**
 * Runs `parallel n`, `parallel each xs` or `parallel settle xs`. `max` is the value of `max_concurrent`, absent without
 * one. Raises the first error in input order once all bodies have ended; `settle` gives them as `Err`s instead.
 */
export function runParallel(
  task: Task,
  mode: ParallelMode,
  operand: Value,
  body: ParallelBody,
  max?: Value,
): MaybePromise<Value> {
  const limit = concurrency(max);
  const items = mode === "count" ? numbersBelow(operand) : elementsIn(operand);
  const bodies = new ParallelBodies(task, labels[mode], items, body, limit);
  const finish = mode === "settle" ? () => settled(bodies) : () => settledValues(bodies);
  return bodies.runAll(finish);
}

/** `parallel each xs { … } as stream`: results in the order in which the bodies end. */
export function parallelStream(task: Task, operand: Value, body: ParallelBody, max?: Value): Value {
  const limit = concurrency(max);
  return new ParallelStream(
    new ParallelBodies(task, "parallel_each_stream", elementsIn(operand), body, limit),
  );
}

/** `parallel_race`: the first success in order of ending, unwrapped from `Ok`; the other bodies are ended. */
export function parallelRace(task: Task, items: List, body: ParallelBody, max?: Value): MaybePromise<Value> {
  const limit = concurrency(max);
  const stream = new ParallelStream(new ParallelBodies(task, "parallel_race", items, body, limit));
  const failures: string[] = [];
  const turn = (value: BranchRace | undefined): MaybePromise<Value> => {
    if (value === undefined) {
      throw runtimeError(`parallel_race: all ${failures.length} task(s) failed: ${failures.join("; ")}`);
    }
    if ("value" in value) {
      stream.close();
      return value.value;
    }
    failures.push(value.failure);
    return next();
  };
  const next = (): MaybePromise<Value> => proceed(raced(stream, task), turn);
  return next();
}

type BranchRace = { readonly value: Value } | { readonly failure: string };

/** The next body to end, as a success or a failure; `undefined` when none is left. */
function raced(stream: ParallelStream, task: Task): MaybePromise<BranchRace | undefined> {
  return proceed(stream.nextEnded(task), (ended) => {
    if (ended === undefined) return undefined;
    const { error, value } = ended;
    if (error instanceof ScriptError) return { failure: uncaughtText(error) };
    if (error !== undefined) throw error;
    if (isErr(value)) return { failure: display(payload(value)) };
    return { value: isOkValue(value) ? payload(value) : (value as Value) };
  });
}

function concurrency(max: Value | undefined): number {
  if (max === undefined) return Number.POSITIVE_INFINITY;
  if (typeof max !== "number" && typeof max !== "bigint") {
    throw typeError(`parallel max_concurrent must be an int; got ${typeOf(max)}`);
  }
  return max <= 0 ? Number.POSITIVE_INFINITY : Number(max);
}

function numbersBelow(operand: Value): IndexedItems {
  if (!isInt(operand))
    throw typeError(
      `parallel takes how many there are, an int; got ${typeOf(operand)}${isCounted(operand) ? "; write `parallel each`" : ""}`,
    );
  return numbersFrom(0, Math.max(0, Number(operand)));
}

const isCounted = (value: Value): boolean =>
  value instanceof List || value instanceof Dict || value instanceof SetValue || value instanceof Range;

function settledValues(bodies: ParallelBodies): Value {
  const failures = bodies.errors.filter((error) => error !== undefined);
  const failure = failures.find((error) => !wasEnded(error)) ?? failures[0];
  if (failure !== undefined) throw failure;
  return new List(bodies.results as Value[]);
}

/** Whether what the task prints is printed when what stands before it is; what a `spawn`ed one prints waits for its `await`. */
function isListened(task: Task): boolean {
  for (let at: Task | undefined = task; at?.output !== undefined; at = at.parent)
    if (!at.joined) return false;
  return true;
}

/** A body that was ended because another one failed is not the reason why all of it fails. */
const wasEnded = (error: unknown): boolean => error instanceof Interruption && error.reason === "cancelled";

function settled(bodies: ParallelBodies): Value {
  let failed = 0;
  const fatal = bodies.errors.find((error) => error instanceof Interruption && !wasEnded(error));
  if (fatal !== undefined) throw fatal;
  const results = bodies.results.map((value, index): Value => {
    const error = bodies.errors[index];
    if (error === undefined) return okResult(value as Value);
    if (!(error instanceof ScriptError)) throw error;
    failed++;
    return err(uncaughtText(error));
  });
  const succeeded = results.length - failed;
  return Dict.of({ results: new List(results), succeeded, failed });
}

/** The bodies of one `parallel`: begins them, at most `limit` at a time, and collects what they give. */
class ParallelBodies {
  readonly task: Task;
  readonly results: (Value | undefined)[] = [];
  readonly errors: unknown[] = [];
  /** Called as each body ends, with its index. */
  ended: (index: number) => void = () => {};
  private readonly group: string;
  private readonly items: IndexedItems;
  private readonly body: ParallelBody;
  private readonly limit: number;
  /** What was in force where the bodies were asked for: those of a stream begin later. */
  private readonly locals: TaskLocals;
  private readonly children: (Task | undefined)[] = [];
  private branching: BranchGroup | undefined;
  /** The first body that has not ended, where bodies print in input order. */
  private first = 0;
  private inOrder = false;
  private next = 0;
  private running = 0;
  private starting = false;
  private isDelivered = false;
  private waiter: Wait<void> | undefined;

  constructor(task: Task, label: string, items: IndexedItems, body: ParallelBody, limit: number) {
    task.parallels++;
    this.task = task;
    this.locals = task.locals;
    this.group = `${task.id}:${label}:${task.parallels}`;
    this.items = items;
    this.body = body;
    this.limit = limit;
  }

  get length(): number {
    return this.items.length;
  }
  get over(): boolean {
    return this.running === 0 && (this.isDelivered || this.next >= this.items.length);
  }
  get described(): string {
    return this.group
      .slice(this.group.lastIndexOf(":", this.group.lastIndexOf(":") - 1) + 1)
      .replace(":", " ");
  }

  runAll(finish: () => Value): MaybePromise<Value> {
    this.inOrder = isListened(this.task);
    this.begin();
    if (this.over) return this.finish(finish);
    const joined = this.task.park<void>(`${this.described} (${this.running} bodies running)`, (wait) => {
      this.waiter = wait;
      return () => this.abandon();
    });
    return joined.then(() => this.finish(finish));
  }

  private finish(finish: () => Value): Value {
    if (!this.inOrder) for (const child of this.children) child?.flushInto(this.task);
    // A deadline of this task may have passed while a body computed: that comes first.
    this.task.raisePending();
    return finish();
  }

  /** Hands one body's output to the task that takes its result. */
  flush(index: number, joiner: Task): void {
    this.children[index]?.flushInto(joiner);
    this.children[index] = undefined;
  }

  /** Begins bodies until the limit is reached or none is left. */
  begin(): void {
    if (this.starting) return;
    this.starting = true;
    while (!this.isDelivered && this.running < this.limit && this.next < this.items.length)
      this.start(this.next++);
    this.starting = false;
  }

  private start(index: number): void {
    const child = childTask(this.task, `${this.group}:${index}`, true, this.locals);
    // It may run on the same stack as its parent, so the depth goes on from there.
    child.depth = this.task.depth;
    this.children[index] = child;
    this.watch(index, child);
    if (this.inOrder && index === this.first) child.printThrough(this.task);
    this.results[index] = undefined;
    this.errors[index] = undefined;
    this.running++;
    const item = this.items.at(index) as Value;
    try {
      const { body } = this;
      const result = body instanceof Callable ? body.call1(child, item) : body(child, item, index);
      if (!(result instanceof Promise)) this.end(index, child, result, undefined);
      else {
        result.then(
          (value) => this.end(index, child, value, undefined),
          (error) => this.end(index, child, undefined, error),
        );
      }
    } catch (error) {
      this.end(index, child, undefined, error);
    }
  }

  private watch(index: number, child: Task): void {
    const { runtime, output, branch } = this.task;
    const { show } = runtime.console;
    if (show === undefined || runtime.effects.mode === "replay") return;
    // Under a `spawn` everything waits for its `await`.
    if (output !== undefined && branch === undefined) return;
    this.branching ??= new BranchGroup(branch);
    const item = this.body instanceof Callable ? this.items.at(index) : undefined;
    child.branch = new ParallelBranch(child, this.branching, branchMark(index, item), show);
  }

  private end(index: number, child: Task, value: Value | undefined, error: unknown): void {
    this.running--;
    child.branch?.end();
    child.end();
    if (this.inOrder && index === this.first) this.printNext();
    this.results[index] = value;
    if (error !== undefined) {
      this.errors[index] = error instanceof ScriptError ? asUncaught(error) : error;
      // No script error: a stop or a bug of ours. Nothing more is begun, what runs is ended.
      if (!(error instanceof ScriptError) && !this.isDelivered) this.cancel();
    }
    this.ended(index);
    this.begin();
    if (this.over) this.waiter?.wake();
  }

  /** The first body has ended: the next one that has not prints at once from here on. */
  private printNext(): void {
    let child: Task | undefined;
    do {
      child = this.children[++this.first];
      child?.printThrough(this.task);
    } while (child?.ended === true);
  }

  /** The task that waits for all of them was ended itself. */
  abandon(): void {
    this.inOrder = false;
    for (const child of this.children) if (child?.ended === false) child.printNowhere();
    this.cancel();
  }

  /** Nobody wants the results any more: what runs is ended where it waits, the rest is never begun. */
  cancel(): void {
    if (this.isDelivered) return;
    this.isDelivered = true;
    for (const child of this.children) {
      if (child !== undefined && !child.ended) child.abort(new Interruption("cancelled"));
    }
  }
}

class ParallelStream extends Pullable {
  override readonly type = "stream";
  private readonly bodies: ParallelBodies;
  private readonly done: number[] = [];
  private taken = 0;
  private begun = false;
  private finished = false;
  private waiter: Wait<void> | undefined;

  constructor(bodies: ParallelBodies) {
    super();
    this.bodies = bodies;
    bodies.ended = (index) => {
      this.done.push(index);
      this.waiter?.wake();
    };
    // The bodies start when the one that made the stream waits, like spawned tasks.
    bodies.task.runtime.effects.turns.ready({ run: () => this.begin() });
  }

  display(): string {
    return "<stream>";
  }

  next(task: Task): MaybePromise<PulledValue> {
    return proceed(this.nextEnded(task), (ended) => {
      if (ended?.error === undefined) return ended?.value;
      this.close();
      throw ended.error;
    });
  }

  /** The next body to end, with its value or its error; `undefined` when none is left. */
  nextEnded(task: Task): MaybePromise<{ value: Value | undefined; error: unknown } | undefined> {
    if (this.finished) return undefined;
    this.begin();
    if (this.taken < this.done.length) return this.take(task);
    if (this.bodies.over) {
      this.finished = true;
      return undefined;
    }
    return task
      .park<void>(`next of ${this.bodies.described}`, (wait) => {
        this.waiter = wait;
        return undefined;
      })
      .then(() => this.nextEnded(task));
  }

  override close(): void {
    this.finished = true;
    this.bodies.abandon();
  }

  private begin(): void {
    if (this.begun || this.finished) return;
    this.begun = true;
    this.bodies.begin();
  }

  private take(task: Task): { value: Value | undefined; error: unknown } {
    const index = this.done[this.taken++] as number;
    this.bodies.flush(index, task);
    return { value: this.bodies.results[index], error: this.bodies.errors[index] };
  }
}
