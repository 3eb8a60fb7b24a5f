/**
 * What is in force for a task: the policies, budgets, sessions, spans and places around it.
 *
 *   enter(task, value) ─▶ holds for the task and for every task it spawns from now on ─▶ leave()
 *
 * A task inherits what was in force where it was spawned, and keeps that for its life: the list of bindings is immutable
 * and a child begins with its parent's, so nobody walks up to parents, what a parent enters or leaves later changes
 * nothing for tasks that run already, and no task can end what another one has entered. Later cycles of a worker are
 * pinned to what was in force for its first (`pinTask`).
 *
 * This is the one mechanism for scopes of tasks. State of a whole run belongs in a `StateKey`.
 */

import { always, type MaybePromise } from "../values/index.ts";

/** A task, as far as something is in force for it. */
export interface LocalScope {
  locals: TaskLocals;
}

/** A value and the task that entered it. */
interface LocalEntry {
  readonly value: unknown;
  readonly owner: LocalScope;
}

/** The entries in force, innermost first. Entries are shared between tasks, lists are never changed. */
interface LocalBinding {
  readonly entry: LocalEntry;
  readonly outer: LocalBinding | undefined;
}

/** Everything that is in force for a task. Never changed: entering and leaving make a new one. */
export type TaskLocals = ReadonlyMap<TaskLocal<unknown>, LocalBinding>;

export const noLocals: TaskLocals = new Map();

export class TaskLocal<T> {
  /** For people who debug. */
  readonly name: string;
  /** It restrains what the task may do, or says where it does it: what a callback of somebody outside has from outside (`standingAt`). */
  readonly binds: boolean;

  constructor(name: string, more: { readonly binds?: boolean } = {}) {
    this.name = name;
    this.binds = more.binds === true;
  }

  /** Puts a value in force; the function that it gives ends that, once, for this task only. */
  enter(task: LocalScope, value: T): () => void {
    const entry: LocalEntry = { value, owner: task };
    this.put(task, { entry, outer: task.locals.get(this) });
    return () => this.put(task, withoutEntry(task.locals.get(this), entry));
  }

  /** The innermost value in force. */
  current(task: LocalScope): T | undefined {
    return task.locals.get(this)?.entry.value as T | undefined;
  }

  /** All values in force, outermost first. */
  around(task: LocalScope): T[] {
    const found: T[] = [];
    for (let at = task.locals.get(this); at !== undefined; at = at.outer) found.push(at.entry.value as T);
    return found.reverse();
  }

  /** Those of them that the task entered itself, outermost first. */
  own(task: LocalScope): T[] {
    const found: T[] = [];
    for (let at = task.locals.get(this); at?.entry.owner === task; at = at.outer)
      found.push(at.entry.value as T);
    return found.reverse();
  }

  /** Ends the innermost value that the task entered itself. False when there is none: what it inherited stays. */
  leave(task: LocalScope): boolean {
    const binding = task.locals.get(this);
    if (binding?.entry.owner !== task) return false;
    this.put(task, binding.outer);
    return true;
  }

  private put(task: LocalScope, binding: LocalBinding | undefined): void {
    const locals = new Map(task.locals);
    if (binding === undefined) locals.delete(this);
    else locals.set(this, binding);
    task.locals = locals;
  }
}

/** The list without one entry, wherever in it that stands. */
function withoutEntry(list: LocalBinding | undefined, entry: LocalEntry): LocalBinding | undefined {
  if (list === undefined || list.entry === entry) return list?.outer;
  const outer = withoutEntry(list.outer, entry);
  return outer === list.outer ? list : { entry: list.entry, outer };
}

/**
 * Runs `body` under the rules of another place: what binds is as it was there, all else (budgets, sessions, spans, loops) stays
 * the task's. Nothing else may enter or leave what binds for this task meanwhile, except within `body`.
 */
export function standingAt<T>(
  task: LocalScope,
  place: TaskLocals,
  body: () => MaybePromise<T>,
): MaybePromise<T> {
  const before = task.locals;
  task.locals = bindingAs(before, place);
  return always(body, () => {
    task.locals = bindingAs(task.locals, before);
  });
}

function bindingAs(locals: TaskLocals, place: TaskLocals): TaskLocals {
  const made = new Map([...locals].filter(([local]) => !local.binds));
  for (const [local, binding] of place) if (local.binds) made.set(local, binding);
  return made;
}

/** From now on the task is under what is in force for `home`, and under nothing else. */
export function pinTask(task: LocalScope, home: LocalScope): void {
  task.locals = home.locals;
}
