/** A run at work: what everybody who works on it knows, and how it is kept. */
import type { Task } from "../../interp/index.ts";
import type { Dict } from "../../values/index.ts";
import { saveCheckpoint } from "./record/persist.ts";
import type { RecordText } from "./record/record-text.ts";
import type { WorkflowRunOptions } from "./record/run-options.ts";
import type { CheckpointReason, WorkflowRun } from "./run.ts";
import type { RunBudget } from "./run-budget.ts";

export interface AtWork {
  readonly task: Task;
  readonly caller: string;
  readonly run: WorkflowRun;
  readonly options: WorkflowRunOptions;
  readonly budget: RunBudget;
  readonly replay: Dict | null;
  readonly text: RecordText;
}

/** What is on disk while the run is at work lacks only what can be made of it; the last checkpoint has that too. */
export async function workflowCheckpoint(
  { task, caller, run, text }: AtWork,
  reason: CheckpointReason,
): Promise<void> {
  run.checkpoint(task, reason);
  const note = { run: run.id, reason, stages: run.stages.length };
  const record = reason === "finalize" ? run.recordOf(task) : run.draft(task);
  await saveCheckpoint(task, caller, run.start.path, note, () => text.of(record));
}
