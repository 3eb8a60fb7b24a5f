/** The tasks that a program has declared, in order; each Runtime has its own. */
import type { StateKey } from "../../interp/index.ts";
import type { DatasetReader } from "./dataset.ts";
import type { RegisteredTask } from "./task.ts";

export interface EvalRegistry {
  readonly tasks: Map<string, RegisteredTask>;
  /** Values of `--param NAME=VALUE`, as written. */
  readonly params: Map<string, string>;
  /** Names that `eval_param` was asked for. */
  readonly asked: Set<string>;
  /** How rows of files are read; set by whoever registers tasks. */
  read: DatasetReader | undefined;
}

/** `task.runtime.state(evalRegistry)` */
export const evalRegistry: StateKey<EvalRegistry> = {
  name: "eval registry",
  create: () => ({ tasks: new Map(), params: new Map(), asked: new Set(), read: undefined }),
};
