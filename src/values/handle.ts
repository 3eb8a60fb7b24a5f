/** Live objects that scripts hold but cannot look into: iterators, generators, streams, channels, tasks, rngs, clients. */
import type { Task } from "../interp/index.ts";
import type { MaybePromise, Value } from "./value.ts";

export abstract class HandleValue {
  /** What `type_of` says: iter, generator, stream, task_handle, channel, rng, sync_permit, mcp_client … */
  abstract readonly type: string;
  /** Display form, §5: `<channel:name>`. */
  abstract display(): string;
}

/** One pull: `undefined` means done (script values are never `undefined`). */
export type Pulled = Value | undefined;

/** Whatever can be pulled: iterators, generators, streams. After the end, or an error, it stays done. */
export abstract class Pullable extends HandleValue {
  abstract next(task: Task): MaybePromise<Pulled>;
  /** The consumer is not going to pull again: run pending clean-up. */
  close(_task: Task): MaybePromise<void> {}
}
