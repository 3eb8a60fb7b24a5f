/**
 * Outcomes and what a model is told about them (agents.md §8.1): the frames, the JSON bodies of refusals, the result
 * entry that callbacks and scripts see.
 */

import type { ToolCall, ToolDenial, ToolExecutor, ToolOutcome } from "../../model/index.ts";
import { Dict, fromJson, type Value } from "../../values/index.ts";
import { microcompact } from "./microcompact.ts";

/** Longest result text that a model is given unless an option says otherwise: some 25,000 tokens. */
export const defaultOutputLimit = 100_000;

interface ExecutorReach {
  readonly executor: ToolExecutor | null;
  readonly durationMs: number;
  readonly attempts: number;
}
const notReached: ExecutorReach = { executor: null, durationMs: 0, attempts: 0 };

export const resultFrame = (name: string, text: string): string =>
  `[result of ${name}]\n${withoutFrames(text)}\n[end of ${name} result]\n`;
export const errorFrame = (name: string, text: string): string =>
  `[error from ${name}]\n${withoutFrames(text)}\n[end of ${name} error]\n`;

/** What a tool gives can't end its own frame or begin another: the brackets become parentheses, which JSON leaves alone. */
const withoutFrames = (text: string): string =>
  text.includes("[")
    ? text.replace(/\[((?:result of|error from) [^\]\n]+|end of [^\]\n]+ (?:result|error))\]/g, "($1)")
    : text;

/** A success. `text` is what the model reads of the result. */
export function succeeded(
  call: ToolCall,
  args: Dict,
  result: Value,
  text: string,
  limit: number,
  reached: ExecutorReach,
): ToolOutcome {
  const rendered = microcompact(text, limit);
  return {
    callId: call.id,
    name: call.name,
    ok: true,
    status: "ok",
    arguments: args,
    result,
    rendered,
    observation: resultFrame(call.name, rendered),
    error: null,
    errorCategory: null,
    ...reached,
    denial: null,
  };
}

/** A handler, host or server that failed. */
export function failedCall(
  call: ToolCall,
  args: Dict,
  text: string,
  category: string,
  limit: number,
  reached: ExecutorReach,
): ToolOutcome {
  const rendered = microcompact(text, limit);
  return {
    ...blank(call, args),
    status: "error",
    rendered,
    observation: errorFrame(call.name, rendered),
    error: rendered,
    errorCategory: category,
    ...reached,
  };
}

/** Arguments that can't be passed on; the model is told what to send instead. */
export function invalidArguments(call: ToolCall, args: Dict, reason: string, nextStep: string): ToolOutcome {
  const body = sortedJson({ error: "invalid_arguments", tool: call.name, reason, next_step: nextStep });
  return {
    ...blank(call, args),
    status: "error",
    rendered: body,
    observation: resultFrame(call.name, body),
    error: reason,
    errorCategory: "invalid_arguments",
    ...notReached,
  };
}

/** A refusal by policy, permission, approval or hook. */
export function refused(call: ToolCall, args: Dict, denial: ToolDenial): ToolOutcome {
  const body = sortedJson({
    error: "permission_denied",
    tool: call.name,
    reason: denial.reason,
    next_step: denial.next_step ?? "Do the task without this call, or say what permission is missing.",
    denial: { ...shownDenial(denial), next_step: undefined },
  });
  return {
    ...blank(call, args),
    status: "rejected",
    rendered: body,
    observation: resultFrame(call.name, body),
    error: denial.reason,
    errorCategory: "permission_denied",
    ...notReached,
    denial,
  };
}

/** Without what only the transcript's event says. */
const shownDenial = (denial: ToolDenial): object => ({
  ...denial,
  escalated: undefined,
  policyDecision: undefined,
});

/** A denial as scripts see it. */
export const denialValue = (denial: ToolDenial): Value =>
  fromJson(JSON.parse(JSON.stringify(shownDenial(denial))));

/** A call of a tool that does not exist here. */
export function unavailable(call: ToolCall, args: Dict, hint: string): ToolOutcome {
  const text = `Tool '${call.name}' is not available in the current environment.${hint}`;
  return {
    ...blank(call, args),
    status: "rejected",
    rendered: text,
    observation: errorFrame(call.name, text),
    error: text,
    errorCategory: "permission_denied",
    ...notReached,
    denial: { gate: "unknown_tool", reason: text, retryable: false },
  };
}

/** The same outcome with another text for the model (post-tool hooks). */
export function withText(outcome: ToolOutcome, text: string, limit: number): ToolOutcome {
  const rendered = microcompact(text, limit);
  const frame = outcome.errorCategory !== null && outcome.status === "error" ? errorFrame : resultFrame;
  return { ...outcome, rendered, observation: frame(outcome.name, rendered) };
}

function blank(call: ToolCall, args: Dict): ToolOutcome {
  return {
    callId: call.id,
    name: call.name,
    ok: false,
    status: "error",
    arguments: args,
    result: null,
    rendered: "",
    observation: "",
    error: null,
    errorCategory: null,
    executor: null,
    durationMs: 0,
    attempts: 0,
    denial: null,
  };
}

/** Two-space indent, keys sorted, absent entries left out. */
function sortedJson(value: object): string {
  return JSON.stringify(
    value,
    (_key, part: unknown) =>
      typeof part === "object" && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
        : part,
    2,
  );
}

/** The result entry of agents.md §8.1. */
export function outcomeDict(outcome: ToolOutcome): Dict {
  const { own } = outcome;
  const result = Dict.of({
    ok: outcome.ok,
    status: own?.get("status") ?? outcome.status,
    tool_name: outcome.name,
    tool_call_id: outcome.callId,
    arguments: outcome.arguments,
    result: outcome.result,
    rendered_result: outcome.rendered,
    observation: outcome.observation,
    error: outcome.error,
    error_category: outcome.errorCategory,
    executor: outcome.executor,
    execution_duration_ms: outcome.durationMs,
    approval: outcome.approval,
    audit: outcome.audit,
    denial: outcome.denial === null ? undefined : denialValue(outcome.denial),
  });
  return own === undefined ? result : own.without("_audit_flush").merge(result);
}
