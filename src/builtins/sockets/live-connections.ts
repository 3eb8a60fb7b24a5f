/**
 * Connections of a run: values with a recipe (docs/resume.md). What a program holds is a handle and what it takes to open
 * the connection; the connection itself is there only while the program really runs. A replay opens nothing; when it
 * goes on live, the first use opens the connection again. The end of the run closes what is left.
 */
import { stateKey, type Task } from "../../interp/index.ts";

export interface Closable {
  close(): void;
}

const openThings = stateKey<{ readonly open: Set<Closable>; watched: boolean }>("live connections", () => ({
  open: new Set(),
  watched: false,
}));

/** Closes a thing when the run ends, if nobody has done so before. Gives the function that forgets it. */
function closeWithRun(task: Task, thing: Closable): () => void {
  const state = task.runtime.state(openThings);
  if (!state.watched) {
    state.watched = true;
    closeAtEnd(task, state.open);
  }
  state.open.add(thing);
  return () => state.open.delete(thing);
}

function closeAtEnd(task: Task, open: Set<Closable>): void {
  const { root } = task;
  root.onEnd ??= new Set();
  root.onEnd.add(() => {
    for (const one of open) one.close();
    open.clear();
  });
}

/** One connection: opened by whoever needs it first, and again after a replay. Only inside effects. */
export class LiveConnection<T extends Closable> {
  private readonly task: Task;
  private thing: T | undefined;
  private opening: Promise<T> | undefined;
  private forget: () => void = () => {};

  constructor(task: Task) {
    this.task = task;
  }

  /** What is connected, else what `open` connects; who asks meanwhile gets the same. */
  get(open: () => Promise<T>): Promise<T> {
    this.opening ??= open().then(
      (thing) => {
        this.thing = thing;
        this.forget = closeWithRun(this.task, thing);
        return thing;
      },
      (error) => {
        this.opening = undefined;
        throw error;
      },
    );
    return this.opening;
  }

  /** What is connected, or about to be; `undefined` when nothing is. */
  get current(): Promise<T> | undefined {
    return this.opening;
  }

  close(how: (thing: T) => void = (thing) => thing.close()): void {
    this.forget();
    if (this.thing !== undefined) how(this.thing);
    this.thing = undefined;
    this.opening = undefined;
  }
}
