/**
 * Sets in a program: where a set begins, for the Runtimes of its trials (the end of the program, or a call of `eval_run`), and
 * who runs one that the program asks for.
 */
import { stateKey, type Task } from "../../interp/index.ts";
import type { Dict } from "../../values/index.ts";
import type { EvalRunOptions } from "../sets/program-fields.ts";
import type { PlannedTask } from "./set-plan.ts";

interface SetStart {
  /** `path#number` of the next effect at that place; null: where the program ends. Undefined in a run that is no trial. */
  at: string | null | undefined;
  /** The place is reached: what is in force for this task is in force for the trial. */
  reached: (task: Task) => void;
  /** The trial itself is running. */
  entered: boolean;
}

/** `task.runtime.state(setStart)` */
export const setStart = stateKey<SetStart>("start of a set", () => ({
  at: undefined,
  reached: () => {},
  entered: false,
}));

/** `path#number` of the next effect of a task. */
export const placeOfNext = (task: Task): string => `${task.scope.path}#${task.scope.effects}`;

/** A set that a program asks for. */
export interface ProgramSet {
  readonly name: string;
  /** `path#number` of the effect before which it begins. */
  readonly at: string;
  readonly tasks: readonly PlannedTask[];
  readonly options: EvalRunOptions;
  readonly signal: AbortSignal;
  /** Called with what is most likely not meant, and with what people should know while it runs. */
  readonly onWarning: (text: string) => void;
}

/** Who runs sets for a program: the host of the run. */
interface ProgramSets {
  /** Runs it to its end, or resumes it; gives the result that programs see. Absent where nothing can run one. */
  run: ((set: ProgramSet) => Promise<Dict>) | undefined;
  /** Tasks that were run. */
  readonly ran: Set<string>;
}

/** `task.runtime.state(programSets)` */
export const programSets = stateKey<ProgramSets>("sets of the program", () => ({
  run: undefined,
  ran: new Set(),
}));
