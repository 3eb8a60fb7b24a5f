/** Which run of a workflow a task works for: for runs inside runs, and for what people are asked meanwhile. */
import type { StateKey, Task } from "../../interp/index.ts";
import { type Dict, fromJson, toJson } from "../../values/index.ts";
import type { WorkflowRun } from "./run.ts";

class RunningRuns {
  private readonly stacks = new WeakMap<Task, WorkflowRun[]>();

  enter(task: Task, run: WorkflowRun): void {
    const stack = this.stacks.get(task);
    if (stack === undefined) this.stacks.set(task, [run]);
    else stack.push(run);
  }

  leave(task: Task): void {
    this.stacks.get(task)?.pop();
  }

  /** The innermost run around a task. */
  around(task: Task): WorkflowRun | null {
    for (let at: Task | undefined = task; at !== undefined; at = at.parent) {
      const run = this.stacks.get(at)?.at(-1);
      if (run !== undefined) return run;
    }
    return null;
  }
}

/** `task.runtime.state(runningRuns)` */
export const runningRuns: StateKey<RunningRuns> = { name: "workflow runs", create: () => new RunningRuns() };

/** A person is asked something: the run around it, if there is one, keeps the question. */
export function noteQuestion(task: Task, question: Dict): void {
  task.runtime
    .state(runningRuns)
    .around(task)
    ?.questions.push(fromJson(toJson(question)) as Dict);
}
