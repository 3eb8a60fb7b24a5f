/**
 * Limits inside a run: what `checkpoint` looks at between effects, and the `deadline` statement (language.md §13.6).
 *
 * A deadline can pass at two kinds of places. While its block waits, a timer does it: an effect like any other, handed
 * over in recorded order. While its block computes, the clock is looked at every `checkEvery` steps; that the time was
 * over is then a decision, noted with the task's path and step count, and a replay (which has no clock) lets it pass at
 * the same count.
 */
import type { Decision } from "../effects/index.ts";
import { Duration, type MaybePromise, ScriptError, typeError, typeOf, type Value } from "../values/index.ts";
import { startTimer } from "./concurrency/timers.ts";
import { Deadline, type DeadlineNotes } from "./deadline.ts";
import { Interruption } from "./interrupts/interruption.ts";
import type { Task } from "./task.ts";

/**
 * Called by loops and calls when `steps` has reached `checkAt`. Throws when the task must stop here, else sets the next
 * `checkAt`. What it decides on its own (a deadline that has passed) is recorded.
 */
export function limitCheckpoint(task: Task): void {
  const { runtime } = task;
  runtime.checks++;
  // Aligned, so that a replay which looked once more (for a decision) goes on in step.
  const { checkEvery } = runtime.limits;
  const aligned = Math.floor(task.steps / checkEvery) * checkEvery;
  task.checkAt = aligned + checkEvery;
  if (runtime.limits.steps !== Number.POSITIVE_INFINITY) countSteps(task, aligned);
  runtime.onBusy?.();
  if (runtime.effects.mode === "replay") {
    replayDecision(task);
    runtime.effects.computing();
  }
  task.raisePending();
  if (runtime.effects.mode === "replay") {
    lookForLost(task);
    return;
  }
  const late = overdue(task);
  if (late === undefined) return;
  runtime.effects.decided({ path: task.path, steps: task.steps, kind: "deadline", subject: late.name });
  pass(task, late);
}

/**
 * Counts what a builtin does at length (a round of a template's loop, a result of a query) as a step of its task, so that
 * deadlines, stops and the limit of steps hold inside of it. Only for what a replay computes again: never inside an effect.
 */
export function spend(task: Task): void {
  if (++task.steps >= task.checkAt) limitCheckpoint(task);
}

/**
 * Adds a task's steps to those of the run, in whole `checkEvery`s, so that a replay counts the same at the same place.
 * Once the limit is reached every later look raises again: what unwinds has one more `checkEvery`.
 */
function countSteps(task: Task, aligned: number): void {
  const { runtime } = task;
  if (aligned === task.counted) return;
  runtime.steps += aligned - task.counted;
  task.counted = aligned;
  const { steps } = runtime.limits;
  if (runtime.steps < steps) return;
  const text = `step limit reached: the program made ${steps} calls and rounds of loops`;
  throw new Interruption("limit", new ScriptError("runtime", text, { code: "HARN-RUN-010" }));
}

function replayDecision(task: Task): void {
  const { effects, checks } = task.runtime;
  // The recorded run was broken off before this look at the limits.
  const broken = effects.nextDecision("");
  if (broken !== undefined && checks > broken.steps) {
    effects.decisionTaken("");
    throw new Interruption("stopped");
  }
  for (;;) {
    const decision = effects.nextDecision(task.path);
    if (decision === undefined) return;
    if (decision.steps > task.steps) {
      task.checkAt = Math.min(task.checkAt, decision.steps);
      return;
    }
    effects.decisionTaken(task.path);
    // One that follows another closely is met at the next look; what is later than that was never met in its place.
    if (task.steps - decision.steps > task.runtime.limits.checkEvery) effects.decisionMissed(decision);
    repeat(task, decision);
  }
}

function repeat(task: Task, decision: Decision): void {
  if (decision.kind === "interrupt") throw new Interruption("stopped");
  for (const deadline of deadlinesOf(task)) {
    if (deadline.name === decision.subject) pass(task, deadline);
  }
  // Who has passed neither follows a journal that was changed, perhaps in a loop that nothing else would end.
  task.runtime.effects.decisionMissed(decision);
}

/**
 * A journal from elsewhere may lack a decision, and nothing else would end its computation. Only time in which the replay itself
 * computes counts, and machines differ and are busy: far more of it than the recorded run can have had.
 */
function lookForLost(task: Task): void {
  const { effects, host } = task.runtime;
  for (const deadline of deadlinesOf(task)) {
    if (deadline.fired || deadline.computed(host.clock.monotonic()) < 20 * deadline.ms + 1000) continue;
    effects.decisionLost(deadline.name, deadline.ms);
  }
}

/** All deadlines around what the task runs now, innermost first: its own, then those of the tasks that wait for it. */
function* deadlinesOf(task: Task): Generator<Deadline> {
  for (let at: Task | undefined = task; at !== undefined; at = at.joined ? at.parent : undefined) {
    for (let deadline = at.deadline; deadline !== undefined; deadline = deadline.outer) yield deadline;
  }
}

/** The outermost deadline that has passed: it ends more than those inside it. */
function overdue(task: Task): Deadline | undefined {
  let clock = -1;
  let found: Deadline | undefined;
  for (const deadline of deadlinesOf(task)) {
    if (deadline.fired) continue;
    if (clock < 0) clock = task.runtime.host.clock.monotonic();
    deadline.due ??= clock + deadline.ms;
    if (clock >= deadline.due + (deadline.notes.uncounted?.ms ?? 0)) found = deadline;
  }
  return found;
}

/** Lets a deadline pass while `task`, its owner or a task that the owner waits for, computes. */
function pass(task: Task, deadline: Deadline): void {
  deadline.pass();
  if (task === deadline.owner) throw deadline.error;
  // The owner waits for this task: it is raised there, and this task ends as one whose result nobody wants.
  deadline.owner.interrupt(deadline.error);
  throw new Interruption("cancelled");
}

/** Milliseconds of a duration or an int; `undefined` for anything else. */
export function limitInMs(value: Value): number | undefined {
  if (value instanceof Duration) return value.ms;
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  return undefined;
}

/** Runs `deadline limit { body }`: the body's value, or the string `Deadline exceeded` thrown where the time is over. */
export function withDeadline(task: Task, limit: Value, body: () => MaybePromise<Value>): MaybePromise<Value> {
  const ms = limitInMs(limit);
  if (ms === undefined) throw typeError(`deadline must be a duration or an int; got ${typeOf(limit)}`);
  return runWithin(task, deadlineOf(task, ms), body);
}

/**
 * What `body` gives, or `late` when it took longer than `ms`: a limit of the runtime's own, which no script catches. What
 * does not count comes on top.
 */
export async function withinTime<T, L>(
  task: Task,
  ms: number,
  body: () => MaybePromise<T>,
  late: () => L,
  notes?: DeadlineNotes,
): Promise<T | L> {
  const deadline = deadlineOf(task, ms, notes);
  try {
    const value = await runWithin(task, deadline, body);
    // A script may have caught what was thrown in it: the time was over all the same.
    return deadline.fired ? late() : value;
  } catch (error) {
    if (error === deadline.error) return late();
    throw error;
  }
}

function deadlineOf(task: Task, ms: number, notes?: DeadlineNotes): Deadline {
  const { effects, host } = task.runtime;
  const due = effects.mode === "replay" ? undefined : host.clock.monotonic() + ms;
  return new Deadline(task, ms, due, notes);
}

function runWithin<T>(task: Task, deadline: Deadline, body: () => MaybePromise<T>): MaybePromise<T> {
  task.deadline = deadline;
  let result: MaybePromise<T>;
  try {
    result = body();
  } catch (error) {
    task.deadline = deadline.outer;
    throw error;
  }
  if (!(result instanceof Promise)) {
    task.deadline = deadline.outer;
    return result;
  }
  const { ms, due } = deadline;
  const left = due === undefined ? ms : due - task.runtime.host.clock.monotonic();
  return waitWithin(task, deadline, result, left);
}

/** The body waits: from here on a timer watches it. */
async function waitWithin<T>(task: Task, deadline: Deadline, result: Promise<T>, left: number): Promise<T> {
  const { error, ms } = deadline;
  const fire = (): void => {
    if (deadline.fired || task.ended) return;
    deadline.pass();
    task.interrupt(error);
  };
  // Where no timer can be set any more the run is at an end, and nobody asks what has become of the body.
  result.catch(() => {});
  const stop = startTimer(task, ms, "deadline", fire, left, deadline.notes.uncounted);
  try {
    return await result;
  } finally {
    stop();
    task.deadline = deadline.outer;
    // It passed in the very moment in which the block ended: too late to matter.
    if (task.pending === error) {
      task.pending = undefined;
      deadline.fired = false;
    }
  }
}
