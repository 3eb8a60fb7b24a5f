/** The options of `workflow_execute` (agents.md §19.2), checked. What is not a workflow's own is every stage's loop's. */
import {
  type ApprovalPolicy,
  type CapabilityPolicy,
  readApproval,
  readPolicy,
} from "../../../agent/index.ts";
import {
  type Argument,
  Dict,
  isInt,
  thrown,
  typeOf,
  type Value,
  withoutNilEntries,
} from "../../../values/index.ts";
import { type ExecutionOption, readExecution } from "../../execution/read-execution.ts";
import { namesOf } from "../../fields/shared-fields.ts";
import { runOwn } from "../../fields/workflow-fields.ts";
import { type RunLimits, readRunLimits } from "../run-budget.ts";

export interface RunOptions {
  readonly maxSteps: number | null;
  readonly persistPath: string | null;
  /** A record, or the path of one. */
  readonly replay: Dict | string | null;
  readonly resume: Dict | string | null;
  readonly parentRun: string | null;
  readonly triggerEvent: Value;
  readonly audit: Value;
  readonly transcript: Dict | null;
  /** Where everything in the run works. */
  readonly execution: ExecutionOption | null;
  readonly policy: CapabilityPolicy | null;
  readonly approval: ApprovalPolicy | null;
  /** What the whole run may spend. */
  readonly limits: RunLimits;
  /** What the loops of all stages are given; a node's `model_policy` outranks it. */
  readonly loop: Dict;
}

export function readWorkflowRunOptions(caller: string, value: Argument): RunOptions {
  if (value !== undefined && value !== null && !(value instanceof Dict))
    throw thrown(`${caller}: options must be a dict or nil, got ${typeOf(value)}`);
  const own = namesOf(runOwn());
  const options = withoutNilEntries(value ?? new Dict());
  const read = new OptionReader(caller, options);
  const replay = read.run("replay_run", "replay_path");
  const mode = read.text("replay_mode");
  if (mode !== null && mode !== "deterministic")
    throw thrown(`${caller}: 'replay_mode' must be "deterministic", got "${mode}"`);
  if (mode !== null && replay === null)
    throw thrown(`${caller}: 'replay_mode' needs 'replay_run' or 'replay_path'`);
  const resume = read.run("resume_run", "resume_path");
  if (replay !== null && resume !== null) throw thrown(`${caller}: a run is replayed or resumed, not both`);
  return {
    maxSteps: read.count("max_steps"),
    persistPath: read.text("persist_path"),
    replay,
    resume,
    parentRun: read.text("parent_run_id"),
    triggerEvent: options.get("trigger_event") ?? null,
    audit: options.get("audit") ?? null,
    transcript: read.dict("transcript"),
    execution: readExecution(options.get("execution") ?? null, caller),
    policy: readPolicy(options.get("policy") ?? null, `${caller}: `),
    approval: readApproval(options.get("approval_policy") ?? null, `${caller}: `),
    ...readRunLimits(caller, Dict.from([...options.entries()].filter(([name]) => !own.has(name)))),
  };
}

class OptionReader {
  private readonly caller: string;
  private readonly options: Dict;

  constructor(caller: string, options: Dict) {
    this.caller = caller;
    this.options = options;
  }

  text(name: string): string | null {
    const value = this.options.get(name);
    if (value === undefined) return null;
    return typeof value === "string" && value !== ""
      ? value
      : this.fail(name, "a string that is not empty", value);
  }

  count(name: string): number | null {
    const value = this.options.get(name);
    if (value === undefined) return null;
    return isInt(value) && value > 0 ? Number(value) : this.fail(name, "an int of at least 1", value);
  }

  dict(name: string): Dict | null {
    const value = this.options.get(name);
    if (value === undefined) return null;
    return value instanceof Dict ? value : this.fail(name, "a dict", value);
  }

  /** A record or the path of one, by either name. */
  run(asRecord: string, asPath: string): Dict | string | null {
    const record = this.options.get(asRecord);
    if (record === undefined) return this.text(asPath);
    if (record instanceof Dict && record.get("_type") === "run_record") return record;
    return typeof record === "string"
      ? this.text(asRecord)
      : this.fail(asRecord, "a run record or its path", record);
  }

  private fail(name: string, wanted: string, value: Value): never {
    throw thrown(`${this.caller}: '${name}' must be ${wanted}, got ${typeOf(value)}`);
  }
}
