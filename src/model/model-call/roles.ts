/**
 * Who a model call is made for. Ordinarily the agent; simulated users and judges of an evaluation have roles of their own,
 * with routes, costs and randomness of their own.
 */
import { type Task, TaskLocal } from "../../interp/index.ts";
import type { Dict } from "../../values/index.ts";
import type { ModelError, ModelRequest, ModelResponse } from "../llm/index.ts";
import type { SpendingProjection } from "./spending.ts";

export type CallRole = "agent" | "user" | "judge";

/** The role that a task and all that it begins work in. */
export const callRoles = new TaskLocal<CallRole>("roles of model calls");

export const roleOf = (task: Task): CallRole => callRoles.current(task) ?? "agent";

/** A call that was booked. A replay books the same calls again, as calls that are not new. */
export interface BookedRoleCall {
  readonly isNew: boolean;
  readonly task: Task;
  readonly role: CallRole;
  readonly response: ModelResponse;
  /** Why it failed; null: it succeeded. */
  readonly error: ModelError | null;
  /** The mock answered. */
  readonly mocked: boolean;
  /** US dollars that it may have cost besides. */
  readonly inDoubtUsd: number;
}

/** An answer that may be there already, or that is to be kept. */
export interface CallDraw {
  /** The kept answer, at no cost; undefined: the model is asked. Only asked of a call that is live. */
  kept(): ModelResponse | undefined;
  /** The model has answered; told of a replayed answer, too. */
  keep(response: ModelResponse): void;
}

/** What whoever runs a trial fixes for its model calls. */
export interface RoleRules {
  /** Options of the calls of a role that do not name their own; `undefined` without any. */
  readonly options: (role: CallRole) => Dict | undefined;
  /** Options that outrank what a call names itself: of a trial that goes on otherwise than it was recorded. */
  readonly forced?: ((task: Task) => Dict | undefined) | undefined;
  readonly booked: (call: BookedRoleCall) => void;
  /** What this call draws, where answers are kept. Told of every call of a vendor once, in their order, in a replay too. */
  readonly draw?: ((task: Task, request: ModelRequest) => CallDraw | undefined) | undefined;
  /** A new call was cut off, and nobody knows what it has cost: US dollars at worst. */
  readonly lost?: (usd: number) => void;
  /**
   * Waits until the worst case of a call that is about to be sent is set aside; gives what puts it back, once it is booked.
   * Neither wait is an effect: where a promise never resolves, the run is stopped.
   */
  readonly admit: (task: Task, worst: SpendingProjection) => Promise<() => unknown>;
  /** Called when a call begins to wait before it is sent (again), for a provider; gives what ends that. */
  readonly waits?: ((provider: string) => () => void) | undefined;
}
