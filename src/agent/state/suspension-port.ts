/**
 * The port by which loops are suspended (agents.md §17.5, §17.6). A loop stops at a pause and asks it; what stands behind it
 * lives in `work/workers/`: it writes down what is needed to go on, and says whether the loop ends here as `suspended` or, in a run that
 * was resumed at this very place, goes on at once with what somebody gave it.
 *
 * A loop without a suspension port (a program of the host's that wired none) ends as `suspended` without a handle.
 */

import type { Json } from "../../effects/index.ts";
import { stateKey, type Task, TaskLocal } from "../../interp/index.ts";
import type { Conversation, ToolEntry } from "../../model/index.ts";
import type { Dict, Value } from "../../values/index.ts";
import type { LoopCall } from "./loop-call.ts";
import type { Loop } from "./loop-state.ts";
import type { Initiator, SuspensionRequest } from "./suspension.ts";

/** A loop that stands still between two turns. */
export interface SuspendedLoop {
  readonly call: LoopCall;
  readonly conversation: Conversation;
  readonly reason: string;
  /** What `agent_await_resumption` asked for; `null`: somebody else suspends the loop. */
  readonly asked: SuspensionRequest | null;
  /** Turns that were answered. */
  readonly iterations: number;
  readonly lastText: string;
  /** The watch over its progress (`stall`), for whoever resumes it; null: nobody watched. */
  readonly streak: Json | null;
  /** Whether it is the first loop of its task. */
  readonly outermost: boolean;
}

export type SuspensionOutcome =
  | {
      readonly kind: "suspended";
      readonly handle: Dict | null;
      readonly initiator: Initiator;
      readonly conditions: Dict | null;
    }
  /** Go on; the conversation holds already what the model is to be told. */
  | { readonly kind: "resumed" }
  /** Somebody does not want it to suspend. */
  | { readonly kind: "refused"; readonly reason: string };

/** How a loop ended that had gone on in the same call. */
export type EndOfResumed = { readonly result: Dict } | { readonly error: string };

export interface SuspensionPort {
  /** Checks what a model, or a script, asks for; throws what is wrong with it. */
  parseRequest(task: Task, reason: Value, conditions: Value): SuspensionRequest;
  suspend(task: Task, loop: SuspendedLoop): Promise<SuspensionOutcome>;
  /** A loop that was suspended and went on in the same call has come to its end. */
  ended(task: Task, loop: Loop, end: EndOfResumed): Promise<void>;
  /** Waits until a worker that the session began has ended; says how it ended, `null` when none runs. */
  awaitWorker(task: Task, sessionId: string): Promise<string | null>;
  /** Tools with which a model controls the workers of its loop. */
  lifecycleTools(): ToolEntry[];
}

/** Work that somebody can go on with once its loop has parked itself: a worker's, a workflow's. */
export const resumableWork = new TaskLocal<true>("resumable work");

/** `task.runtime.state(suspensionPorts).load`: set by whoever wires workers to loops. */
export const suspensionPorts = stateKey<{ load: (() => Promise<SuspensionPort>) | null }>(
  "agent.suspension port",
  () => ({ load: null }),
);

/** The suspension port of a task's run. */
export async function suspensionPortOf(task: Task): Promise<SuspensionPort | null> {
  const { load } = task.runtime.state(suspensionPorts);
  return load === null ? null : await task.runtime.effects.turns.hold(load());
}
