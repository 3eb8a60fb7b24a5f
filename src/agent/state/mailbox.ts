/**
 * What a daemon's loop is sent while it idles, as the loop sees it. Whoever runs the daemon keeps the messages; the loop takes
 * one at a time and says by idling that it is done with it.
 */
import type { Task } from "../../interp/index.ts";
import type { Dict, MaybePromise } from "../../values/index.ts";

export interface Mailbox {
  /** The loop is there; `snapshot` says what it has come to, at any time. */
  opened(snapshot: () => Dict): void;
  /** What belongs into a snapshot of this state. */
  marks(state: string): Dict;
  /** What throws when somebody else runs the daemon by now; called before each write. */
  guard(task: Task): Promise<() => void>;
  /** The loop idles: what it took is done, and `snapshot`, in which it is done, is written. */
  idled(task: Task, snapshot: Dict): MaybePromise<void>;
  /** The next message, as the model is to read it; `null` when none waits. */
  take(task: Task): MaybePromise<string | null>;
  /** Something else than a message woke the loop, or it has taken one: it works. */
  busy(): void;
  /** Calls `wake` when a message comes; gives what ends that. */
  onArrival(wake: () => void): () => void;
}
