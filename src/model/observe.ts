/**
 * Who watches the agents of a run while they work: the terminal view of `harn run`, a web viewer, a test.
 *
 * Observers get one union of plain events, in order, synchronously. They only look: nothing they do reaches the run,
 * an observer that throws is reported once on standard error and dropped. These events are not the loop contract's
 * event log (which is durable and numbered) but what a person wants to see of it, plus streamed text.
 *
 *     loop_start
 *       turn_start
 *         text* thinking*            (streamed; replayed runs give one piece)
 *         usage                      (tokens and cost of the answer, and the totals so far)
 *         tool_start … tool_end      (any number, may overlap)
 *       turn_end
 *     loop_end
 */

import type { Json } from "../effects/index.ts";
import type { Runtime, StateKey } from "../interp/index.ts";
import { tellPerson } from "../interp/index.ts";
import type { Dict } from "../values/index.ts";

/** Tokens and money. `cost_usd` is null when a model without a price took part. */
export interface LiveTotals {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number | null;
}

export type LiveEvent =
  | {
      readonly type: "loop_start";
      readonly session_id: string;
      /** The session whose tool call started this loop. */
      readonly parent_session_id?: string;
      readonly task: string;
      readonly provider: string;
      readonly model: string;
      readonly tool_format: string;
    }
  | {
      readonly type: "turn_start";
      readonly session_id: string;
      /** 1-based. */
      readonly iteration: number;
      readonly provider: string;
      readonly model: string;
    }
  | {
      readonly type: "text" | "thinking";
      readonly session_id: string;
      readonly iteration: number;
      readonly delta: string;
    }
  | {
      readonly type: "tool_start";
      readonly session_id: string;
      readonly iteration: number;
      readonly tool_call_id: string;
      readonly tool_name: string;
      readonly arguments: Json;
    }
  | {
      readonly type: "tool_end";
      readonly session_id: string;
      readonly iteration: number;
      readonly tool_call_id: string;
      readonly tool_name: string;
      readonly status: "ok" | "error" | "rejected";
      readonly duration_ms: number;
      /** First line of what went wrong. */
      readonly error?: string;
    }
  | {
      readonly type: "usage";
      readonly session_id: string;
      readonly iteration: number;
      readonly turn: LiveTotals;
      readonly total: LiveTotals;
    }
  | {
      readonly type: "turn_end";
      readonly session_id: string;
      readonly iteration: number;
      readonly tool_count: number;
    }
  | {
      readonly type: "retry";
      readonly session_id: string;
      readonly iteration: number;
      readonly what: "model" | "tool";
      readonly attempt: number;
      readonly delay_ms: number;
      readonly reason: string;
    }
  | {
      readonly type: "loop_end";
      readonly session_id: string;
      readonly status: string;
      readonly stop_reason: string;
      readonly iterations: number;
      readonly duration_ms: number;
      readonly total: LiveTotals;
    }
  | { readonly type: "notice"; readonly session_id: string; readonly message: string };

export type LiveObserver = (event: LiveEvent) => void;

/** The observers of one run. */
export class LiveObservers {
  private readonly runtime: Runtime;
  private readonly observers = new Set<LiveObserver>();

  constructor(runtime: Runtime) {
    this.runtime = runtime;
  }

  /** False lets a caller skip building events that nobody reads. */
  get watched(): boolean {
    return this.observers.size > 0;
  }

  /** Begins to watch; the result ends it. */
  add(observer: LiveObserver): () => void {
    this.observers.add(observer);
    return () => this.observers.delete(observer);
  }

  emit(event: LiveEvent): void {
    for (const observer of this.observers) {
      try {
        observer(event);
      } catch (error) {
        this.observers.delete(observer);
        tellPerson(
          this.runtime,
          `harn: an observer of agent events failed and was removed: ${String(error)}\n`,
        );
      }
    }
  }
}

/**
 * Told every live event of every session (agents.md §4.2), as the script's own subscribers are: hosts that hand them on.
 * Called synchronously; must not throw.
 */
export const sessionWatchers: StateKey<Set<(event: Dict) => void>> = {
  name: "agent.session watchers",
  create: () => new Set(),
};

/** `runtime.state(agentObservers)` */
export const agentObservers: StateKey<LiveObservers> = {
  name: "agent.observers",
  create: (runtime) => new LiveObservers(runtime),
};
