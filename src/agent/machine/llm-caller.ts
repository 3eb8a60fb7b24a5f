/**
 * `llm_caller` (agents.md §13.1): a function of the script in the place of the loop's own model call.
 *
 *     ask ─▶ callerInput ─▶ llm_caller(call) ─▶ envelope ─▶ answerOfEnvelope ─▶ ModelAnswer
 *
 * The caller gets everything that `llm_call` needs, and normally ends in one. Its answer is a dict; what only this
 * process knows of an answer (the vendor's signed reasoning) is found again through the answer's `usage`, which
 * middleware passes on unchanged.
 */
import type { Task } from "../../interp/index.ts";
import type { CallPlan } from "../../model/index.ts";
import {
  callFields,
  type ErrorCategory,
  errorCategories,
  isCallOption,
  type JsonObject,
  type ModelMessage,
  type ModelResponse,
  type ModelToolCall,
  makeModelError,
  messageText,
  messageValue,
  type ReasoningPart,
  registryOf,
  rememberedResponse,
  type StopReason,
} from "../../model/index.ts";
import {
  Dict,
  display,
  Float,
  fromJson,
  List,
  thrown,
  toJson,
  typeOf,
  type Value,
} from "../../values/index.ts";
import type { Loop } from "../state/loop-state.ts";
import type { ModelAnswer, ModelAsk } from "../state/requests.ts";

/** What the caller is called with: `{prompt, system, opts, turn}`. */
export function callerInput(task: Task, loop: Loop, ask: ModelAsk, plan: CallPlan): Dict {
  return Dict.of({
    prompt: newestUserText(ask.messages),
    system: ask.system,
    opts: callerOptions(task, loop, ask, plan),
    turn: Dict.of({ iteration: ask.iteration, session_id: loop.state.sessionId, attempt: 1 }),
  });
}

function newestUserText(messages: readonly ModelMessage[]): string {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at] as ModelMessage;
    if (message.role === "user") return messageText(message);
  }
  return "";
}

/** Options of `llm_call` that make the request which the loop itself would have made. */
function callerOptions(task: Task, loop: Loop, ask: ModelAsk, plan: CallPlan): Dict {
  const { input, llmOptions } = loop.options;
  let all = llmOptions === null ? input : input.merge(llmOptions);
  if (ask.overrides !== null) all = all.merge(ask.overrides);
  const own = callFields.set("conversation");
  const kept = [...all.entries()].filter(([name]) => isCallOption(task, name) && !own.has(name));
  const { provider, model } = plan.base;
  const tools =
    loop.channel === "none" ? undefined : registryOf(loop.visible.entries.map((entry) => entry.raw));
  return Dict.from(kept).merge(
    Dict.of({
      provider,
      model,
      messages: new List(ask.messages.map(messageValue)),
      session_id: loop.state.sessionId,
      schema_retries: loop.options.schemaRetries,
      thinking: chosenThinking(all, plan),
      tools,
      tool_format: tools === undefined ? undefined : loop.format,
      // The loop's system text holds the contract already.
      tool_contract: tools === undefined ? undefined : false,
    }),
  );
}

/** What the reasoning policy of the loop has chosen; what the options say themselves is among them already. */
function chosenThinking(options: Dict, plan: CallPlan): Value | undefined {
  const said = ["thinking", "reasoning_effort"].some((name) => (options.get(name) ?? null) !== null);
  return said || !plan.base.thinking ? undefined : fromJson({ ...plan.base.thinking });
}

// ── the answer ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Reads the envelope; throws what is no envelope at all. */
export function answerOfEnvelope(answer: Value, plan: CallPlan, durationMs: number): ModelAnswer {
  if (!(answer instanceof Dict))
    throw thrown(`agent_loop: llm_caller must return a dict; got ${typeOf(answer)}`);
  const ok = answer.get("ok");
  if (typeof ok !== "boolean") throw thrown("agent_loop: llm_caller result missing `ok`");
  if (!ok) return failedAnswer(answer, plan);
  const value = answer.get("value");
  if (!(value instanceof Dict))
    throw thrown("agent_loop: llm_caller returned ok=true but `value` is not a dict");
  return { ok: true, response: callerResponseOf(value, plan), durationMs, emptyRetries: 0 };
}

function failedAnswer(answer: Dict, plan: CallPlan): ModelAnswer {
  const status = answer.get("status");
  if (typeof status !== "string")
    throw thrown("agent_loop: llm_caller returned ok=false but `status` is not a string");
  return failedWith(status, answer.get("error") ?? null, plan);
}

/** A failure in the caller's own words; `value` is what the loop's result shows as `error`. */
export function failedWith(status: string, value: Value, plan: CallPlan): ModelAnswer {
  const named = value instanceof Dict ? value.get("category") : undefined;
  const category = errorCategories.find((known) => known === named) ?? ("generic" satisfies ErrorCategory);
  const text = value instanceof Dict ? (value.get("message") ?? value.get("reason") ?? value) : value;
  const { provider, model } = plan.base;
  const message = text === null ? `llm_caller ended with status ${status}` : display(text);
  const error = makeModelError({ category, message, provider, model });
  return { ok: false, error, budget: undefined, status, value };
}

/** The dict of `llm_call`, or one made by hand, as an answer of a model. */
function callerResponseOf(value: Dict, plan: CallPlan): ModelResponse {
  const known = rememberedResponse(value);
  const text = stringOrNull(value.get("text")) ?? "";
  const cost = value.get("cost_usd") ?? null;
  return {
    text,
    tool_calls: toolCalls(value),
    thinking: stringOrNull(value.get("thinking")),
    thinking_summary: stringOrNull(value.get("thinking_summary")),
    reasoning: known === undefined || known.text !== text ? ([] as ReasoningPart[]) : known.reasoning,
    blocks: known?.blocks ?? (callerJsonOf(value.get("blocks")) as JsonObject[] | undefined) ?? [],
    logprobs: known?.logprobs ?? null,
    strict_nulls: known?.strict_nulls ?? false,
    stop_reason: (stringOrNull(value.get("stop_reason")) as StopReason | null) ?? null,
    usage: {
      input_tokens: usageCount(value.get("input_tokens")),
      output_tokens: usageCount(value.get("output_tokens")),
      cache_read_tokens: usageCount(value.get("cache_read_tokens")),
      cache_write_tokens: usageCount(value.get("cache_write_tokens")),
      reasoning_tokens: known?.usage.reasoning_tokens ?? 0,
    },
    model: stringOrNull(value.get("model")) ?? plan.base.model,
    provider: stringOrNull(value.get("provider")) ?? plan.base.provider,
    request_id: known?.request_id ?? null,
    cost_usd: cost instanceof Float ? cost.value : typeof cost === "number" ? cost : null,
  };
}

/** Calls of the vendor's channel; a dict made by hand may name them `tool_calls` only. */
function toolCalls(value: Dict): ModelToolCall[] {
  const calls = value.get("native_tool_calls") ?? value.get("tool_calls");
  if (!(calls instanceof List)) return [];
  return [...calls].filter((call) => call instanceof Dict).map(modelToolCall);
}

function modelToolCall(call: Dict, index: number): ModelToolCall {
  const args = call.get("arguments") ?? new Dict();
  const id = stringOrNull(call.get("id")) ?? `call_${index + 1}`;
  const name = stringOrNull(call.get("name")) ?? "";
  if (args instanceof Dict) {
    const plain = toJson(args) as JsonObject;
    return { id, name, arguments: plain, raw_arguments: JSON.stringify(plain), parse_error: null };
  }
  const reason = stringOrNull(call.get("parse_error")) ?? "the arguments are not a JSON object";
  return { id, name, arguments: null, raw_arguments: display(args), parse_error: reason };
}

const stringOrNull = (value: Value | undefined): string | null => (typeof value === "string" ? value : null);
const usageCount = (value: Value | undefined): number => (typeof value === "number" && value > 0 ? value : 0);
const callerJsonOf = (value: Value | undefined): unknown =>
  value instanceof List ? toJson(value) : undefined;
