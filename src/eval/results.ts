/** What a program found out about itself while it ran: its figures, and the suites and packs that it judged. */
import { stateKey } from "../interp/index.ts";
import type { Dict } from "../values/index.ts";

export interface EvalNotes {
  /** `{name, value, metadata}`, in order. */
  readonly metrics: Dict[];
  /** What `eval_pack_run`, `eval_suite_run` and `run_record_eval_suite` gave, in order. */
  readonly results: Dict[];
}

/** `task.runtime.state(evalNotes)` */
export const evalNotes = stateKey<EvalNotes>("eval notes", () => ({ metrics: [], results: [] }));
