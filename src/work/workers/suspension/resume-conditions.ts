/** `ResumeConditions` (agents.md §17.5): when a suspended agent goes on; checked and completed. */
import type { SuspensionRequest } from "../../../agent/index.ts";
import type { Task } from "../../../interp/index.ts";
import { wallMs } from "../../../interp/index.ts";
import type { FieldTable } from "../../../table/index.ts";
import { Dict, ScriptError, typeOf, uncaughtText, type Value } from "../../../values/index.ts";
import { conditionFields, conditionTimeoutFields } from "../../fields/worker-fields.ts";
import { suspensionError } from "./suspension-error.ts";

const actions: readonly string[] = ["resume_with_summary", "fail", "resume_with_input"];

const invalidCondition = (path: string, why: string): never => {
  throw suspensionError("HARN-SUS-002", `invalid ResumeConditions${path}: ${why}`);
};

/** Checks them; `checkTrigger` throws what is wrong with a trigger's spec. */
export function parseConditions(value: Value, checkTrigger: (spec: Dict) => void): Dict | null {
  if (value === null) return null;
  if (!(value instanceof Dict)) return invalidCondition("", `must be a dict or nil; got ${typeOf(value)}`);
  const unknown = unknownName(value, conditionFields);
  if (unknown !== undefined)
    invalidCondition(`.${unknown}`, "unknown field; expected trigger, timeout, or on_event");
  let result = value;
  const trigger = value.get("trigger") ?? null;
  if (trigger !== null) {
    if (!(trigger instanceof Dict)) return invalidCondition(".trigger", "must be a dict");
    try {
      checkTrigger(trigger);
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      invalidCondition(".trigger", typeof error.value === "string" ? error.value : uncaughtText(error));
    }
  }
  const timeout = value.get("timeout") ?? null;
  if (timeout !== null) result = result.with("timeout", conditionTimeoutOf(timeout));
  const event = value.get("on_event") ?? null;
  if (event !== null && (typeof event !== "string" || event.trim() === ""))
    invalidCondition(".on_event", "must be a string that is not empty");
  return result;
}

/** The first name that is no row. */
const unknownName = (options: Dict, table: FieldTable): string | undefined =>
  options.keys().find((name) => table.get(name) === undefined);

/** `agent_await_resumption(reason, conditions)`, of a model or of a script. */
export function parseRequest(
  task: Task,
  reason: Value,
  value: Value,
  checkTrigger: (spec: Dict) => void,
): SuspensionRequest {
  if (typeof reason !== "string" || reason.trim() === "")
    throw suspensionError("HARN-SUS-005", "agent_await_resumption reason is required");
  const conditions = parseConditions(value, checkTrigger);
  const timeout = conditions?.get("timeout");
  const minutes = timeout instanceof Dict ? Number(timeout.get("duration_minutes")) : null;
  const resumeBy = minutes === null ? null : new Date(wallMs(task) + minutes * 60_000).toISOString();
  return { reason, conditions, resumeBy };
}

/** Beyond it there is no moment to wake at that a date could show for sure. */
const maxMinutes = 52_560_000;

function conditionTimeoutOf(timeout: Value): Dict {
  if (!(timeout instanceof Dict)) return invalidCondition(".timeout", "must be a dict");
  const unknown = unknownName(timeout, conditionTimeoutFields);
  if (unknown !== undefined)
    invalidCondition(`.timeout.${unknown}`, "unknown field; expected duration_minutes or on_timeout");
  const minutes = timeout.get("duration_minutes") ?? null;
  if (typeof minutes !== "number" || minutes <= 0)
    return invalidCondition(".timeout.duration_minutes", "must be a positive int");
  if (minutes > maxMinutes)
    invalidCondition(
      ".timeout.duration_minutes",
      `must be a positive int of at most ${maxMinutes} (100 years)`,
    );
  const action = timeout.get("on_timeout") ?? "resume_with_summary";
  if (typeof action !== "string" || !actions.includes(action))
    throw suspensionError(
      "HARN-SUS-008",
      `ResumeConditions.timeout.on_timeout: must be one of ${actions.join(", ")}`,
    );
  return timeout.with("on_timeout", action);
}
