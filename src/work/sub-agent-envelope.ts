/** How a sub-agent ended, in the one shape that its parent gets (agents.md §17.4). */
import type { LoopEnd } from "../agent/index.ts";
import type { Task } from "../interp/index.ts";
import type { ValuesOf } from "../table/index.ts";
import { Dict, type Value } from "../values/index.ts";
import type { OutcomeRecord } from "./outcome-record.ts";
import { noValidJson, returnedData } from "./returned-data.ts";
import type { SubAgentRequest } from "./sub-agent-request.ts";
import type { envelopeKeys } from "./work-result-keys.ts";

/** Ends that are no result. Running out of turns, tokens or patience is one: the summary says how far it came. */
const failedStatuses: ReadonlySet<string> = new Set(["failed", "blocked", "suspended"]);

export function subAgentEnvelope(
  task: Task,
  request: SubAgentRequest,
  end: LoopEnd,
  record: OutcomeRecord,
): Dict {
  const { result } = end;
  const data = wantsData(request) ? envelopeDataOf(task, request, end) : { data: null, error: null };
  const error = refusalError(record) ?? endError(end) ?? data.error;
  const input = llmCount(result, "input_tokens");
  const output = llmCount(result, "output_tokens");
  const status = String(result.get("status"));
  const suspended = status === "suspended";
  const finished = finishedStatuses.has(status);
  const envelope: ValuesOf<typeof envelopeKeys> = {
    ok: error === null,
    finished,
    stop_reason: result.get("stop_reason") ?? null,
    summary: finished || end.lastVisible.trim() !== "" ? end.lastVisible : saidBefore(result),
    artifacts: record.artifacts,
    evidence_added: record.evidence,
    tokens_used: result.get("tokens_used") ?? 0,
    budget_exceeded: budgetExceeded(request, result),
    session_id: result.get("session_id") ?? null,
    transcript: result.get("transcript") ?? null,
    usage: Dict.of({ input_tokens: input, output_tokens: output, total_tokens: input + output }),
    files_written: record.filesWritten,
    data: data.data,
    error,
    ...(suspended ? { handle: result.get("handle") ?? null } : {}),
  };
  return Dict.of({ ...envelope });
}

const finishedStatuses: ReadonlySet<string> = new Set(["done", "idle"]);

/** Whoever was ended in a turn of calls alone has said something in an earlier one. */
function saidBefore(result: Dict): string {
  const text = result.get("visible_text");
  return typeof text === "string" ? text : "";
}

function llmCount(result: Dict, name: string): number {
  const llm = result.get("llm");
  const value = llm instanceof Dict ? llm.get(name) : undefined;
  return typeof value === "number" ? value : 0;
}

/** Out of tokens or money, its own or its parent's. Out of turns is something else. */
function budgetExceeded(request: SubAgentRequest, result: Dict): boolean {
  const budget = request.get("token_budget");
  const used = result.get("tokens_used");
  if (typeof budget === "number" && typeof used === "number" && used > budget) return true;
  return result.get("status") === "budget_exhausted" && spent.has(String(result.get("stop_reason")));
}
const spent: ReadonlySet<string> = new Set(["tokens", "total_cost_usd", "budget_exhausted"]);

function refusalError(record: OutcomeRecord): Dict | null {
  const { refusal } = record;
  if (refusal === undefined) return null;
  return Dict.of({ category: "permission_denied", message: refusal.reason, tool: refusal.tool });
}

function endError({ result, failure }: LoopEnd): Dict | null {
  const status = String(result.get("status"));
  if (status === "budget_exhausted") return null;
  if (failure !== null && (status === "provider_error" || failure.own?.status === status)) {
    const { category, message } = failure.error;
    return Dict.of({ category: category === "generic" ? status : category, message });
  }
  if (!failedStatuses.has(status)) return null;
  const reason = String(result.get(status === "suspended" ? "reason" : "stop_reason"));
  const error = result.get("error");
  return Dict.of({
    category: status === "failed" ? reason : status,
    message: typeof error === "string" ? error : reason,
  });
}

function wantsData(request: SubAgentRequest): boolean {
  const options = request.get("options");
  const format = options instanceof Dict ? options.get("response_format") : undefined;
  return request.has("returns_schema") || format === "json" || format === "json_object";
}

function envelopeDataOf(
  task: Task,
  request: SubAgentRequest,
  end: LoopEnd,
): { readonly data: Value; readonly error: Dict | null } {
  const schema = request.get("returns_schema");
  const wanted = schema instanceof Dict ? schema : null;
  const visible = returnedData(task, end.lastVisible, wanted);
  const read = visible.ok ? visible : returnedData(task, end.lastText, wanted);
  if (read.ok) return { data: read.data, error: null };
  // What stands between the tags of a text loop is the answer; only a raw text can hold more.
  const { errors } = visible.ok ? read : visible;
  return { data: null, error: Dict.of({ category: "schema_validation", message: noValidJson(errors) }) };
}
