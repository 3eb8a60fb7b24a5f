/** Which run of a workflow a task works for: for runs inside runs, and for what people are asked meanwhile. */
import { type Task, TaskLocal } from "../../interp/index.ts";
import { type Dict, fromJson, toJson } from "../../values/index.ts";
import type { WorkflowRun } from "./run.ts";

export const runningRuns = new TaskLocal<WorkflowRun>("workflow runs");

/** A person is asked something: the run around it, if there is one, keeps the question. */
export function noteQuestion(task: Task, question: Dict): void {
  runningRuns.current(task)?.questions.push(fromJson(toJson(question)) as Dict);
}
