/** `ResumeConditions` (agents.md §17.5): when a suspended agent goes on; checked and completed. */
import type { SuspensionRequest } from "../../../agent/index.ts";
import type { Task } from "../../../interp/index.ts";
import { wallMs } from "../../../interp/index.ts";
import { inside, refusal, row } from "../../../table/index.ts";
import { Dict, ScriptError, uncaughtText, type Value } from "../../../values/index.ts";
import { conditionFields, suspensionPlace } from "../../fields/worker-fields.ts";
import { suspensionError } from "./suspension-error.ts";

/** Checks them; `checkTrigger` throws what is wrong with a trigger's spec. */
export function parseConditions(value: Value, checkTrigger: (spec: Dict) => void): Dict | null {
  if (value === null) return null;
  const place = suspensionPlace("HARN-SUS-002");
  const { trigger, timeout } = row.dict(conditionFields).read(value, place);
  const given = value as Dict;
  if (trigger !== null) {
    try {
      checkTrigger(trigger);
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      const help = typeof error.value === "string" ? error.value : uncaughtText(error);
      throw refusal(inside(place, "trigger"), "a trigger", trigger, { help });
    }
  }
  if (timeout === null) return given;
  const own = given.get("timeout") as Dict;
  return given.with("timeout", own.with("on_timeout", timeout.onTimeout));
}

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
