/** A sub-agent in the background: its envelope is the worker's result. */
import type { Task } from "../../interp/index.ts";
import { Dict, List } from "../../values/index.ts";
import type { SubAgentRequest } from "../sub-agent-request.ts";
import { runRequest } from "../sub-agent-run.ts";
import type { CycleEnd, Worker } from "./worker.ts";

export async function runSubAgentCycle(
  task: Task,
  worker: Worker,
  about: string,
  request: SubAgentRequest,
): Promise<CycleEnd> {
  const own = request.without("carry").merge(Dict.of({ task: about, session_id: worker.session }));
  const envelope = await runRequest(task, own);
  const error = envelope.get("error");
  const artifacts = envelope.get("artifacts");
  const suspended = error instanceof Dict && error.get("category") === "suspended";
  return {
    status: suspended ? "suspended" : envelope.get("ok") === true ? "completed" : "failed",
    payload: envelope,
    artifacts: artifacts instanceof List ? artifacts.toArray() : [],
    error: error instanceof Dict ? String(error.get("message")) : null,
    text: String(envelope.get("summary") ?? ""),
  };
}
