/**
 * A task: one logical flow of a program (the program itself, a `spawn`, one body of `parallel`). Tasks switch only
 * where they wait. Everything that a native function needs comes with the task that calls it.
 */
import type { EffectCall, EffectScope } from "../effects/index.ts";
import type { MaybePromise } from "../values/index.ts";
import type { Runtime } from "./runtime.ts";

export class Task {
  readonly runtime: Runtime;
  readonly parent: Task | undefined;
  /** `task_root`, `task_root:spawn:1` … (language.md §13.8); for display, not an identity. */
  readonly id: string;
  /** Where this task's effects are counted. */
  scope: EffectScope;
  /** Nested script calls now; bounded by `runtime.limits.depth`. */
  depth = 0;
  /** Loop back-edges and calls so far; `checkpoint` is called when it reaches `checkAt`. */
  steps = 0;
  checkAt: number;
  /** Output buffered until the task is joined; `undefined` for the program itself, which prints at once. */
  output: string[] | undefined;
  private aborter: AbortController | undefined;

  constructor(runtime: Runtime, parent: Task | undefined, id: string, scope: EffectScope) {
    this.runtime = runtime;
    this.parent = parent;
    this.id = id;
    this.scope = scope;
    this.checkAt = runtime.limits.checkEvery;
    this.output = parent === undefined ? undefined : [];
  }

  /** Aborted when the task is cancelled or the run is interrupted. */
  get signal(): AbortSignal {
    this.aborter ??= new AbortController();
    return this.aborter.signal;
  }

  /** Asks effects in flight to stop. */
  abort(reason: unknown): void {
    this.aborter ??= new AbortController();
    this.aborter.abort(reason);
  }

  /** Performs an effect on this task's path. */
  perform<T>(call: EffectCall<T>): MaybePromise<T> {
    return this.runtime.effects.perform(this.scope, call, this.aborter?.signal ?? this.signal);
  }

  /** Writes to standard output, or to the buffer that is appended where the task is joined. */
  write(text: string): void {
    if (this.output === undefined) this.runtime.console.write(text);
    else this.output.push(text);
  }
}
