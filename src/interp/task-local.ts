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

/** A task, as far as something is in force for it. */
interface Scoped {
  locals: TaskLocals;
}

/** A value and the task that entered it. */
interface Entry {
  readonly value: unknown;
  readonly owner: Scoped;
}

/** The entries in force, innermost first. Entries are shared between tasks, lists are never changed. */
interface Binding {
  readonly entry: Entry;
  readonly outer: Binding | undefined;
}

/** Everything that is in force for a task. Never changed: entering and leaving make a new one. */
export type TaskLocals = ReadonlyMap<TaskLocal<unknown>, Binding>;

export const noLocals: TaskLocals = new Map();

export class TaskLocal<T> {
  /** For people who debug. */
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  /** Puts a value in force; the function that it gives ends that, once, for this task only. */
  enter(task: Scoped, value: T): () => void {
    const entry: Entry = { value, owner: task };
    this.put(task, { entry, outer: task.locals.get(this) });
    return () => this.put(task, withoutEntry(task.locals.get(this), entry));
  }

  /** The innermost value in force. */
  current(task: Scoped): T | undefined {
    return task.locals.get(this)?.entry.value as T | undefined;
  }

  /** All values in force, outermost first. */
  around(task: Scoped): T[] {
    const found: T[] = [];
    for (let at = task.locals.get(this); at !== undefined; at = at.outer) found.push(at.entry.value as T);
    return found.reverse();
  }

  /** Those of them that the task entered itself, outermost first. */
  own(task: Scoped): T[] {
    const found: T[] = [];
    for (let at = task.locals.get(this); at?.entry.owner === task; at = at.outer)
      found.push(at.entry.value as T);
    return found.reverse();
  }

  /** Ends the innermost value that the task entered itself. False when there is none: what it inherited stays. */
  leave(task: Scoped): boolean {
    const binding = task.locals.get(this);
    if (binding?.entry.owner !== task) return false;
    this.put(task, binding.outer);
    return true;
  }

  private put(task: Scoped, binding: Binding | undefined): void {
    const locals = new Map(task.locals);
    if (binding === undefined) locals.delete(this);
    else locals.set(this, binding);
    task.locals = locals;
  }
}

/** The list without one entry, wherever in it that stands. */
function withoutEntry(list: Binding | undefined, entry: Entry): Binding | undefined {
  if (list === undefined || list.entry === entry) return list?.outer;
  const outer = withoutEntry(list.outer, entry);
  return outer === list.outer ? list : { entry: list.entry, outer };
}

/** From now on the task is under what is in force for `home`, and under nothing else. */
export function pinTask(task: Scoped, home: Scoped): void {
  task.locals = home.locals;
}
