/**
 * `llm_call` (agents.md §1): one question, one answer; with a schema, as many attempts as `schema_retries` allows.
 *
 * Schema retries repeat the original messages, the answer that did not fit and one correction, transport retries repeat the request unchanged; the
 * two never eat each other's budget.
 */

import type { Task } from "../../interp/index.ts";
import { variable } from "../../process/environment.ts";
import { at, refusal } from "../../table/index.ts";
import {
  Dict,
  display,
  fromJson,
  List,
  runtimeError,
  ScriptError,
  thrown,
  type Value,
} from "../../values/index.ts";
import { conversations } from "../conversation/conversation.ts";
import { listEvent, warn } from "../conversation/publish.ts";
import {
  errorDict,
  type JsonObject,
  LlmUsageError,
  type ModelError,
  type ModelMessage,
  type ModelRequest,
  makeModelError,
} from "../llm/index.ts";
import { failureFields, interpretedFields, responseFields } from "../llm-transcript/records.ts";
import { type TranscriptFile, transcriptFile } from "../llm-transcript/transcript-file.ts";
import {
  type BudgetRefusal,
  type CallPlan,
  callOverRoutes,
  type ModelCallResult,
  modelCall,
  modelsOf,
  planCall,
  type RoutingDecision,
  requestOf,
  violationIn,
} from "../model-call/index.ts";
import { toolContract } from "../tools/contract-text.ts";
import { speaksText } from "../tools/format.ts";
import { messagesFrom } from "../values/messages.ts";
import { checkCallOptions } from "./call-options.ts";
import { applyExperiment, experimentOf } from "./experiment.ts";
import { modelResponseDict, parsedAnswer, type ReadAnswer, structuredText } from "./response-dict.ts";
import { inspectorOf } from "./schema-prefix.ts";
import { correctionText, failureText, parsedStructured, type StructuredAnswer } from "./structured.ts";

export interface CallInput {
  /** A string, or a list of messages. */
  readonly prompt: Value;
  readonly system: Value;
  readonly options: Dict;
}

/** How a call ended, with what the structured variants report about it. */
export interface LlmResult {
  readonly dict: Dict;
  readonly answer: ReadAnswer;
  readonly structured: StructuredAnswer | null;
  /** Model calls made: 1 + schema retries used. */
  readonly attempts: number;
  /** The last answer still fails the schema. */
  readonly failure: string | null;
  readonly request: ModelRequest;
}

/** `llm_call`: the result dict, or the error dict thrown. */
export async function llmCall(task: Task, caller: string, input: CallInput): Promise<Dict> {
  const result = await runCall(task, caller, input);
  if (result.failure === null) return result.dict;
  const { provider, model } = result.answer.response;
  throw thrown(
    errorValue(makeModelError({ category: "schema_validation", message: result.failure, provider, model })),
  );
}

/** The call without the last judgement: schema failures are data here, transport failures are thrown. */
export async function runCall(task: Task, caller: string, input: CallInput): Promise<LlmResult> {
  const { options } = input;
  const models = modelsOf(task);
  checkCallOptions(task, caller, options);
  const plan = planCall(task, options, { caller });
  const experiment = experimentOf(
    options.get("structural_experiment"),
    variable(models.env, "HARN_STRUCTURAL_EXPERIMENT"),
  );
  const first = await applyExperiment(task, experiment, {
    messages: messagesOf(input, caller),
    system: systemTextOf(input, plan, caller),
  });
  for (let attempt = 0, extra: ModelMessage[] = []; ; attempt++) {
    const messages = [...first.messages, ...extra];
    const asked = { messages, system: first.system };
    const { result, plan: answering, request } = await askModelOnce(task, caller, plan, asked, options);
    const checked = plan.validation === "error" && plan.schema !== null;
    const mayRetry = checked && attempt < plan.schemaRetries;
    if (!result.ok) {
      const violation = violationIn(result.error);
      if (violation !== null) traceAbort(task, result, violation, attempt + 1);
      if (violation === null || !mayRetry) throw callError(result.error, result.budget);
      extra = correction(task, plan, [violation], attempt + 1, result.partial?.text ?? "");
      continue;
    }
    const answer = parsedAnswer(result.response, answering.tools, answering.toolFormat);
    const structured = plan.wantsJson
      ? parsedStructured(task, plan, structuredText(answer), answer.response.strict_nulls)
      : null;
    const errors = structured?.errors ?? [];
    if (mayRetry && errors.length > 0) {
      extra = correction(task, plan, errors, attempt + 1, answer.response.text);
      continue;
    }
    const failure = checked && errors.length > 0 ? failureText(errors, plan.schemaRetries) : null;
    if (plan.validation === "warn" && errors.length > 0) warnOfCall(task, caller, errors);
    const data = structured === null || structured.missing ? undefined : structured.data;
    const dict = modelResponseDict(task, answer, { request, data, experiment: first.record });
    return { dict, answer, structured, attempts: attempt + 1, failure, request };
  }
}

/** One question, over the routes that it may take. */
async function askModelOnce(
  task: Task,
  caller: string,
  plan: CallPlan,
  asked: { readonly messages: ModelMessage[]; readonly system: string | null },
  options: Dict,
): Promise<{ result: ModelCallResult; plan: CallPlan; request: ModelRequest }> {
  const sessionId = options.get("session_id");
  const folder = options.get("llm_transcript_dir");
  const transcript = openCallTranscript(task, typeof folder === "string" ? folder : null);
  let request = requestOf(plan, { ...asked, options });
  const called = await callOverRoutes(task, {
    plan,
    options,
    replan: (routed) => planCall(task, routed, { caller }),
    ask: asked,
    sessionId: typeof sessionId === "string" ? sessionId : "",
    onDecision: (decision) => transcript?.routed(decision),
    call: async (current) => {
      if (current !== plan) request = requestOf(current, { ...asked, options });
      await transcript?.request(request, current);
      const result = await modelCall(task, request, {
        retries: current.retries,
        backoffMs: current.backoffMs,
        inspector: inspectorOf(task, current),
        ...(current.budget === undefined ? {} : { budget: current.budget }),
        ...(typeof sessionId === "string" ? { sessionId } : {}),
        iteration: task.runtime.state(conversations).turnOf(sessionId),
      });
      await transcript?.answered(result, current);
      return result;
    },
  });
  return { ...called, request };
}

/** `agent_trace()` lists the answers that were ended because their beginning did not fit. */
export function traceAbort(
  task: Task,
  { error }: Extract<ModelCallResult, { ok: false }>,
  violation: string,
  attempt: number,
): void {
  const { provider, model } = error;
  listEvent(task, "schema_stream_aborted", { attempt, error: violation, provider, model });
}

/**
 * The answer that did not fit, and what is said after it before it is asked for again; listed by `agent_trace()`. With
 * `schema_retry_nudge: false` the same messages go out unchanged.
 */
export function correction(
  task: Task,
  plan: CallPlan,
  errors: readonly string[],
  attempt: number,
  answer: string,
): ModelMessage[] {
  const nudge = plan.schemaNudge;
  const text = nudge === false ? null : correctionText(plan.sentSchema, errors, nudge);
  listEvent(task, "schema_retry", {
    attempt,
    errors: new List([...errors]),
    nudge_used: text !== null,
    correction_prompt: text,
  });
  if (text === null) return [];
  const said: ModelMessage[] = answer.trim() === "" ? [] : [{ role: "assistant", content: answer }];
  return [...said, { role: "user", content: text }];
}

function warnOfCall(task: Task, caller: string, errors: readonly string[]): void {
  warn(task, `${caller}: the answer does not fit its schema: ${errors.join("; ")}`);
}

// ── what is sent ──────────────────────────────────────────────────────────────────────────────────────────────────

/** The messages that prompt, `messages` and `transcript` make. */
export function messagesOf(input: CallInput, caller: string): ModelMessage[] {
  const { prompt, options } = input;
  const argument = options.get("messages") ?? null;
  const before = callTranscriptMessages(options.get("transcript"), caller);
  if (argument !== null) return [...before, ...messagesFrom(argument, `${caller}: `)];
  if (prompt instanceof List) return [...before, ...messagesFrom(prompt, `${caller}: `)];
  if (typeof prompt !== "string") throw refusal(at(caller, "prompt"), "string or list of messages", prompt);
  return [...before, { role: "user", content: prompt }];
}

function callTranscriptMessages(value: Value | undefined, caller: string): ModelMessage[] {
  const messages = value instanceof Dict ? value.get("messages") : undefined;
  return messages === undefined ? [] : messagesFrom(messages, `${caller}: transcript `);
}

/** In the text format the tool contract stands after the caller's own system text. */
export function systemTextOf(input: CallInput, plan: CallPlan, caller: string): string | null {
  const own = input.system ?? "";
  if (typeof own !== "string") throw refusal(at(caller, "system"), "string", own);
  // `tool_contract: false`: the system text holds it already.
  const wanted = speaksText(plan.toolFormat) && input.options.get("tool_contract") !== false;
  const contract = wanted ? toolContract(plan.tools, { format: plan.toolFormat }) : "";
  const text = [own, contract].filter((part) => part !== "").join("\n\n");
  return text === "" ? null : text;
}

// ── errors ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a failed call raises: its dict, or the plain error of a run whose calls are switched off. */
export const callError = (error: ModelError, budget?: BudgetRefusal): ScriptError =>
  error.reason === "calls_disabled" ? runtimeError(error.message) : thrown(errorValue(error, budget));

/** The dict that scripts catch (agents.md §1.7, §1.8). */
export function errorValue(error: ModelError, budget?: BudgetRefusal): Dict {
  return fromJson({ ...errorDict(error), ...budget } as JsonObject) as Dict;
}

/** Any failure as the `error` of the `_safe` forms: option errors are `generic`. */
export function safeError(error: unknown): Dict {
  if (error instanceof LlmUsageError)
    return Dict.of({ category: "generic", message: error.message, kind: "terminal", reason: "unknown" });
  if (!(error instanceof ScriptError)) throw error;
  if (error.kind === "thrown" && error.value instanceof Dict && error.value.has("category"))
    return error.value;
  return Dict.of({
    category: error.category ?? "generic",
    message: display(error.value),
    kind: "terminal",
    reason: "unknown",
  });
}

/** `null` when nobody asked for one, and while a loop makes this call for itself: its own transcript has it. */
function openCallTranscript(task: Task, folder: string | null): CallTranscript | null {
  const sessions = task.runtime.state(conversations);
  if (sessions.turnOf(sessions.current(task)) > 0) return null;
  const file = transcriptFile(task, folder);
  return file === null ? null : new CallTranscript(file, task);
}

class CallTranscript {
  private readonly file: TranscriptFile;
  private readonly common: { readonly call_id: string; readonly iteration: 0 };
  private written = false;

  constructor(file: TranscriptFile, task: Task) {
    this.file = file;
    const calls = (file.written.messages.get("llm_call") ?? 0) + 1;
    file.written.messages.set("llm_call", calls);
    this.common = { call_id: `${task.id}:llm_call_${calls}`, iteration: 0 };
  }

  routed(decision: RoutingDecision): void {
    this.file.add("routing_decision", { ...this.common, ...decision });
  }

  /** Another route is asked with the same messages: they are written once. */
  request(request: ModelRequest, plan: CallPlan): Promise<void> {
    this.file.surroundings(request);
    if (!this.written) for (const message of request.messages) this.file.message(message, 0);
    this.written = true;
    this.file.request(request, this.common, plan, plan.tools.entries.length === 0 ? null : plan.toolFormat);
    return this.file.flush();
  }

  answered(result: ModelCallResult, plan: CallPlan): Promise<void> {
    const { file, common } = this;
    if (!result.ok) file.add("provider_call_response", { ...common, ...failureFields(result.error) });
    else {
      const { prose, calls } = parsedAnswer(result.response, plan.tools, plan.toolFormat);
      file.add("provider_call_response", {
        ...common,
        ...responseFields(result.response, result.durationMs),
      });
      file.add("interpreted_response", { ...common, ...interpretedFields(null, prose, calls, []) });
    }
    return file.flush();
  }
}

/** `llm_healthcheck`: whether a provider answers, found out by the smallest possible call (agents.md §5.2). */
export async function healthCheck(task: Task, provider: string, options: Dict): Promise<Dict> {
  const models = modelsOf(task);
  const spec = models.catalogue.provider(provider);
  const result = (valid: boolean, message: string, reason: string, status?: string): Dict =>
    Dict.of({ provider, valid, message, status, metadata: Dict.of({ reason }) });
  if (spec === undefined) return result(false, `Unknown provider: ${provider}`, "unknown_provider");
  if (provider === "mock") return result(true, "The mock always answers", "ok", "ok");
  const wanted = options.get("model");
  if (options.get("warm") === true && typeof wanted !== "string") {
    return result(false, `warming ${provider} up needs a \`model\``, "invalid_request", "invalid_request");
  }
  if (!models.catalogue.hasKey(provider, models.env)) {
    return result(false, `No key: set ${spec.auth_env.join(" or ")}`, "missing_key");
  }
  const model = typeof wanted === "string" ? wanted : models.catalogue.defaultModel(provider, models.env);
  if (model === undefined)
    return result(false, `${provider} has no default model: name one with \`model\``, "no_model");
  const answer = await modelCall(task, {
    provider,
    model,
    messages: [{ role: "user", content: "ping" }],
    max_tokens: 16,
    timeout_ms: 20_000,
  });
  if (answer.ok) return result(true, `${provider} answered with ${answer.response.model}`, "ok", "ok");
  return result(false, answer.error.message, answer.error.reason, answer.error.category);
}
