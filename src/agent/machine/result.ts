/** The result of a loop: the dict of agents.md §10.5. */
import { Dict, Float, fromJson, List, type Value } from "../../values/index.ts";
import { judgeReport } from "../completion/judge.ts";
import { warningDict } from "../completion/repetition/equal-calls.ts";
import { missingTools } from "../completion/snapshot.ts";
import type { Completion } from "../contract/index.ts";
import { transcriptOf } from "../session/session-transcript.ts";
import type { LoopResultPart } from "../state/loop-result-keys.ts";
import { type Loop, type LoopFailure, usedTokens } from "../state/loop-state.ts";
import { controlResult, endedByFailure } from "./outcome.ts";

export interface EndOfLoop extends Completion {
  readonly durationMs: number;
  /** RFC 3339. */
  readonly startedAt: string;
  /** Parsed and checked answer when a schema was given. */
  readonly data: Value | undefined;
}

const modelFigures = ({ state }: Loop, durationMs: number): Dict =>
  Dict.of({
    iterations: state.iterations,
    duration_ms: durationMs,
    input_tokens: state.usage.input,
    output_tokens: state.usage.output,
  });

const toolFigures = ({ state, format }: Loop): Dict =>
  Dict.of({
    calls: names(state.tools.attempted),
    successful: names(state.tools.successful),
    rejected: names(state.tools.rejected),
    mode: format,
  });

/** Builds the dict. Scripts read absent keys as nil, so what does not apply is left out where the page says so. */
export function loopResult(loop: Loop, ended: EndOfLoop): Dict {
  const { state, options } = loop;
  const { slots } = state;
  const { verifyCompletionJudge, doneJudge } = options;
  const failed = requiredFailure(loop, ended.status);
  const status = failed === undefined ? ended.status : "failed";
  const reason = failed === undefined ? ended.reason : "missing_required_tools";
  const result: LoopResultPart<Value | undefined> = {
    status,
    final_status: status,
    stop_reason: reason,
    error: failed?.error ?? resultErrorValue(loop, status) ?? state.slots.completion.error,
    error_envelope: failed?.envelope ?? envelope(loop, status),
    missing_required_tools: failed?.missing,
    text: state.texts.join(""),
    visible_text: state.visible.join("\n"),
    answer: state.answer,
    llm: modelFigures(loop, ended.durationMs),
    tools: toolFigures(loop),
    deferred_user_messages: new List(loop.conversation.feedback.map(({ text }) => text)),
    daemon_state: status,
    daemon_snapshot_path: options.daemon?.persistPath ?? null,
    task_ledger: new Dict(),
    deliverables: new List([]),
    trace: trace(loop, status, ended.durationMs),
    transcript: transcriptOf(loop.conversation),
    session_id: state.sessionId,
    task: state.task,
    tokens_used: usedTokens(state),
    cost_usd: loop.modelBudget.unpriced > 0 ? null : new Float(state.usage.costUsd),
    started_at: ended.startedAt,
    acp_stop_reason: acpReason(loop, status, reason),
    data: ended.data,
    thinking: state.lastThinking ?? undefined,
    private_reasoning: state.lastThinking ?? undefined,
    ...(status === "suspended" ? suspension(loop) : {}),
    ...controlResult(loop, status, reason),
    ...(options.repetition.equalCalls === null ? {} : stalls(loop)),
    completion_judge:
      verifyCompletionJudge === null
        ? undefined
        : judgeReport(slots.completionJudge, verifyCompletionJudge.cap),
    done_judge: doneJudge === null ? undefined : judgeReport(slots.doneJudge, doneJudge.cap),
    adaptive_budget: options.iterationBudget.exposeDecisions ? budgetReport(loop) : undefined,
  };
  return Dict.of({ ...result });
}

const names = (set: ReadonlySet<string>): List => new List([...set]);

interface RequiredFailure {
  readonly error: string;
  readonly missing: List;
  readonly envelope: Dict;
}

/** `require_successful_tools` outranks every other end but a suspension and a failed provider. */
function requiredFailure(loop: Loop, status: string): RequiredFailure | undefined {
  const missing = missingTools(loop);
  if (missing.length === 0 || status === "suspended" || status === "provider_error") return undefined;
  const error = `Required tools did not succeed: ${missing.join(", ")}`;
  const envelope = Dict.of({
    schema_version: 1,
    kind: "missing_required_tools",
    reason: error,
    missing: new List(missing),
    successful_tool_names: names(loop.state.tools.successful),
    iterations: loop.state.iterations,
  });
  return { error, missing: new List(missing), envelope };
}

/** The error of the call that ended the loop; nil for every other end. */
function resultErrorValue(loop: Loop, status: string): Value {
  const { failure } = loop.state;
  if (failure === null || !endedByFailure(loop, status)) return null;
  if (failure.own !== null) return failure.own.value;
  return failureDict(loop, failure);
}

function failureDict(loop: Loop, failure: LoopFailure): Dict {
  const { error, budget } = failure;
  return Dict.of({
    category: error.category,
    reason: error.reason,
    kind: error.kind,
    provider: error.provider,
    model: error.model,
    message: error.message,
    status: error.status,
    address: error.address,
    retry_after_ms: error.retry_after_ms,
    phase: "llm_call",
    tool_format: loop.format,
    after_tool_result: failure.afterToolResult,
    ...(budget === null ? {} : budgetFields(budget)),
  });
}

function budgetFields(budget: NonNullable<LoopFailure["budget"]>): Record<string, Value> {
  return {
    limit: budget.limit,
    limit_value: fromJson(budget.limit_value),
    projected_cost_usd: budget.projected_cost_usd === null ? null : new Float(budget.projected_cost_usd),
    session_cost_usd: new Float(budget.session_cost_usd),
    projected_input_tokens: budget.projected_input_tokens,
    projected_output_tokens: budget.projected_output_tokens,
  };
}

function envelope(loop: Loop, status: string): Dict | undefined {
  const { failure } = loop.state;
  if (failure === null || !endedByFailure(loop, status)) return undefined;
  return Dict.of({
    schema_version: 1,
    kind: status,
    reason: failure.error.message,
    category: failure.error.category,
    iterations: loop.state.iterations,
  });
}

function trace(loop: Loop, status: string, durationMs: number): Dict {
  const { state } = loop;
  const { fallback, emptyRetries, repetition, interventions, traced } = state.slots;
  return Dict.of({
    status,
    iterations: state.iterations,
    total_duration_ms: durationMs,
    llm_calls: state.iterations,
    tool_executions: state.tools.executions,
    tool_rejections: state.tools.rejections,
    interventions: repetition.equalCalls.warnings.length + interventions.count,
    compactions: state.slots.compaction.count,
    native_text_tool_fallbacks: fallback.count,
    native_text_tool_fallback_rejections: fallback.rejected,
    empty_completion_retries: emptyRetries.count,
    schema_stream_aborts: traced.streamAborts,
    typed_checkpoints: traced.checkpoints,
    typed_checkpoint_failures: traced.checkpointFailures,
    total_input_tokens: state.usage.input,
    total_output_tokens: state.usage.output,
    total_llm_duration_ms: Math.round(state.usage.modelMs),
    total_tool_duration_ms: Math.round(state.usage.toolMs),
    tools_used: names(state.tools.attempted),
  });
}

function acpReason(loop: Loop, status: string, reason: string): string {
  if (status === "budget_exhausted" && reason === "max_iterations") return "max_turn_requests";
  if (loop.state.lastStopReason === "max_tokens") return "max_tokens";
  return loop.state.lastStopReason === "refusal" ? "refusal" : "end_turn";
}

/** The loop was suspended: who resumes its handle finds everything where it was. */
function suspension(loop: Loop): LoopResultPart<Value> {
  const { ended } = loop.state.slots.suspension;
  if (ended === null) return {};
  return {
    handle: ended.handle,
    worker: ended.handle,
    reason: ended.reason,
    initiator: ended.initiator === "self_initiated" ? "self" : ended.initiator,
    conditions: ended.conditions,
    resume_by: ended.resumeBy,
    iterations_completed: loop.state.iterations,
  };
}

function stalls(loop: Loop): LoopResultPart<Value> {
  const { repeated, warnings } = loop.state.slots.repetition.equalCalls;
  return {
    repeated_tool_calls: repeated,
    stall_warnings: new List(warnings.map(warningDict)),
    suspected_loop: warnings.length > 0,
  };
}

function budgetReport(loop: Loop): Dict {
  const { iterationBudget } = loop.options;
  const { budget } = loop.state.slots;
  const decisions = budget.decisions.map(({ oldLimit, newLimit, iteration, action, reason, status }) =>
    Dict.of({ iteration, action, old_limit: oldLimit, new_limit: newLimit, reason, status }),
  );
  return Dict.of({
    mode: iterationBudget.mode,
    initial: iterationBudget.initial,
    max: iterationBudget.max,
    final_limit: loop.core.control.budget.limits.turns ?? iterationBudget.max,
    extensions_used: budget.extensions,
    decisions: new List(decisions),
  });
}
