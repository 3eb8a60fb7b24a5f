/** Where in a program its set begins, for the Runtimes of its trials: the end of the program, or a call of `eval_run`. */
import type { StateKey, Task } from "../../interp/index.ts";

export interface SetStart {
  /** `path#number` of the next effect at that place; null: where the program ends. Undefined in a run that is no trial. */
  at: string | null | undefined;
  /** The place is reached: what is in force for this task is in force for the trial. */
  reached: (task: Task) => void;
}

/** `task.runtime.state(setStart)` */
export const setStart: StateKey<SetStart> = {
  name: "start of a set",
  create: () => ({ at: undefined, reached: () => {} }),
};

/** `path#number` of the next effect of a task. */
export const placeOfNext = (task: Task): string => `${task.scope.path}#${task.scope.effects}`;
