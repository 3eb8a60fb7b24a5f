/** The options of `workflow_execute` (agents.md §19.2), checked. What is not a workflow's own is every stage's loop's. */
import { at, type Read, readRows, refusal } from "../../../table/index.ts";
import { type Argument, Dict, thrown, withoutNilEntries } from "../../../values/index.ts";
import { workflowOwnFields } from "../../fields/workflow-fields.ts";
import { type RunLimits, runLimitsOf } from "../run-budget.ts";

type Own = Read<typeof workflowOwnFields>;

export interface WorkflowRunOptions extends Own {
  /** A record, or the path of one. */
  readonly replay: Dict | string | null;
  readonly resume: Dict | string | null;
  /** What the whole run may spend. */
  readonly limits: RunLimits;
  /** What the loops of all stages are given; a node's `model_policy` outranks it. */
  readonly loop: Dict;
}

export function workflowRunOptions(caller: string, value: Argument): WorkflowRunOptions {
  if (value !== undefined && value !== null && !(value instanceof Dict))
    throw refusal(at(caller, "options"), "dict", value);
  const given = [...withoutNilEntries(value ?? new Dict()).entries()];
  const isOwn = (name: string): boolean => workflowOwnFields.get(name) !== undefined;
  const own = readRows(Dict.from(given.filter(([name]) => isOwn(name))), workflowOwnFields, at(caller));
  const replay = own.replayRun ?? own.replayPath;
  const resume = own.resumeRun ?? own.resumePath;
  if (own.replayMode !== null && replay === null)
    throw thrown(`${caller}: 'replay_mode' needs 'replay_run' or 'replay_path'`);
  if (replay !== null && resume !== null) throw thrown(`${caller}: a run is replayed or resumed, not both`);
  const { limits, loop } = runLimitsOf(caller, Dict.from(given.filter(([name]) => !isOwn(name))));
  return { ...own, replay, resume, limits, loop };
}
