/** Live objects that scripts hold but cannot look into: iterators, generators, streams, channels, tasks, rngs, clients. */

import type { Callable } from "../callable.ts";
import type { Caller } from "../caller.ts";
import type { MaybePromise, Value } from "../value.ts";

declare module "../value.ts" {
  interface ValueClasses {
    readonly handle: HandleValue;
  }
}

export abstract class HandleValue {
  /** What `type_of` says: iter, generator, stream, task_handle, channel, rng, sync_permit, mcp_client … */
  abstract readonly type: string;
  /** Display form, §5: `<channel:name>`. */
  abstract display(): string;
  /** Methods of one handle (`harness.fs.exists(…)`); the methods by type are in interp/methods. */
  method(_name: string): Callable | undefined {
    return undefined;
  }
  /** Properties; `undefined` when there is none of that name. */
  property(_name: string): Value | undefined {
    return undefined;
  }
}

/** One pull: `undefined` means done (script values are never `undefined`). */
export type PulledValue = Value | undefined;

/** Whatever can be pulled: iterators, generators, streams. After the end, or an error, it stays done. */
export abstract class Pullable extends HandleValue {
  abstract next(task: Caller): MaybePromise<PulledValue>;
  /** The consumer is not going to pull again: run pending clean-up. */
  close(_task: Caller): MaybePromise<void> {}
}
