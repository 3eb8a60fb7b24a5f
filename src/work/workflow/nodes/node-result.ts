/** What working on a node needs and gives, whatever its kind. */
import type { Task } from "../../../interp/index.ts";
import { Dict, type Value } from "../../../values/index.ts";
import { noRecordedUsage } from "../record/record.ts";
import type { WorkflowRunOptions } from "../record/run-options.ts";
import type { WorkflowRun } from "../run.ts";
import type { RunBudget } from "../run-budget.ts";
import type { Arrival } from "../schedule.ts";

export interface NodeContext {
  readonly task: Task;
  readonly caller: string;
  readonly run: WorkflowRun;
  readonly options: WorkflowRunOptions;
  readonly budget: RunBudget;
  readonly id: string;
  readonly node: Dict;
  readonly stageId: string;
  readonly arrival: Arrival;
  /** What its context policy lets through. */
  readonly selected: readonly Dict[];
  /** What went wrong in the attempt before, for a model that mends it; "" in the first. */
  readonly shortcoming: string;
}

export interface NodeResult {
  /** `unpaid`: the run has nothing left to spend. */
  readonly status: "completed" | "failed" | "suspended" | "unpaid";
  readonly outcome: string;
  readonly branch: string | null;
  readonly text: string | null;
  readonly error: string | null;
  readonly transcript: Value;
  readonly verification: Dict | null;
  readonly usage: Dict;
  readonly artifacts: readonly Dict[];
  readonly metadata: Dict;
  /** Where its conversation stands, should it go on later. */
  readonly session: string | null;
}

/** A node that did what it is for. */
export const finished = (
  outcome: string,
  branch: string | null,
  more: Partial<NodeResult> = {},
): NodeResult => ({
  status: "completed",
  outcome,
  branch,
  text: null,
  error: null,
  transcript: null,
  verification: null,
  usage: noRecordedUsage(),
  artifacts: [],
  metadata: new Dict(),
  session: null,
  ...more,
});

/** A node that is still to be done. */
export const undone = (status: "suspended" | "unpaid", session: string | null): NodeResult => ({
  ...finished(status, null),
  status,
  session,
});

/** A node that could not. */
export const broken = (error: string, more: Partial<NodeResult> = {}): NodeResult =>
  finished("error", "error", { ...more, status: "failed", error });
