/**
 * The control part of a loop's state: one plain object, serialisable, in which everything lives that the contract needs
 * to take up again after a stop, in this process or another. Nothing in a generator's local variables outlives a state.
 */
import type { RefusedCall, ToolRequest } from "../../model/index.ts";
import { type Amounts, createBudget } from "./budget.ts";
import type { StateName } from "./states.ts";

/** One step of a plan. Whether it calls tools is known only when it has been executed. */
export interface PlanStep {
  readonly id: string;
  readonly [key: string]: unknown;
}

export interface Plan {
  readonly steps: readonly PlanStep[];
  readonly [key: string]: unknown;
}

/** How a call ended. `value` is the program's own (it must be plain data if the state is to be stored). */
export type ToolAnswer = { readonly id: string; readonly ok: true; readonly value: unknown } | RefusedCall;

/** The places where a paused loop takes up again. Each is reached from PLANNING by legal edges. */
export type CycleResumePoint = "plan" | "step" | "dispatch" | "reflect";

/** What the program decided after a step. */
export interface Reflection {
  readonly next: "step" | "replan" | "done";
  /** For `done`. */
  readonly status?: string;
  readonly reason?: string;
}

export interface Pause {
  readonly reason: string;
  readonly detail: unknown;
}

export interface Completion {
  readonly status: string;
  readonly reason: string;
}

/** A loop that has not begun. */
export function createControl(session: string, limits?: Amounts) {
  return {
    state: "IDLE" as StateName,
    session,
    goal: null as unknown,
    started: false,
    resumeAt: "plan" as CycleResumePoint,
    budget: createBudget(limits),
    plan: null as Plan | null,
    /** Emitted as `plan.draft`, not committed yet. */
    draft: null as Plan | null,
    /** Index of the current step in the plan. */
    step: 0,
    /** Calls of the current step, in emitted order, and the answers so far by position. */
    calls: [] as ToolRequest[],
    answers: [] as (ToolAnswer | null)[],
    /** By position: what hooks said about calls that must not be handed over; their results once they are announced. */
    refusals: [] as (RefusedCall | null)[],
    /** How many calls of the batch have had their `tool.call` event. */
    announced: 0,
    /** The step had its `step.start` and is to be executed. */
    begun: false,
    /** The step had its `step.end`: where it goes from there. */
    reflected: null as Reflection | null,
    /** A hook asked to skip the step that comes next. */
    skipNext: false,
    /** What aborted the current step, if anything did. */
    aborted: null as string | null,
    /** A planner swap or a caller asked for a new plan at the next chance. */
    replan: false,
    /** Asked for in a place where the loop cannot stop at once. */
    pauseAsked: null as string | null,
    /** Hook topics (and places) whose pause was answered in this step: they may pass. */
    reviewed: [] as string[],
    paused: null as Pause | null,
    completion: null as Completion | null,
    /** Errors reported to on_error so far. */
    errors: 0,
  };
}

export type Control = ReturnType<typeof createControl>;

/** The step being worked on; only after a plan was committed. */
export function currentStep(control: Control): PlanStep {
  const step = control.plan?.steps[control.step];
  if (step === undefined) throw new Error("no current step");
  return step;
}

/** The calls of the batch that have no answer yet. */
export function openCalls(control: Control): ToolRequest[] {
  return control.calls.filter((_, index) => control.answers[index] === null);
}

/** Plan data from outside (a planner, a hook), or why it is none. */
export function parsePlan(value: unknown): Plan | string {
  if (typeof value !== "object" || value === null) return "a plan must be an object with a list `steps`";
  const steps = (value as { steps?: unknown }).steps;
  if (!Array.isArray(steps)) return "a plan must have a list `steps`";
  for (const [index, step] of steps.entries()) {
    const id: unknown = typeof step === "object" && step !== null ? (step as { id?: unknown }).id : undefined;
    if (typeof id !== "string" || id === "")
      return `plan step ${index + 1} must be an object with a non-empty string \`id\``;
  }
  return value as Plan;
}
