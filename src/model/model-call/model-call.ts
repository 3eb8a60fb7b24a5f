/**
 * One model call, from budget to answer: the only function that performs a model effect.
 *
 *     route known ─▶ budget ─▶ reserve ─▶ mock (state) or effect `llm.call` (tape, vendors) ─▶ settle ⟲ retries
 *
 * Mock answers are state of the run: they are not journalled and are given again on replay, so that queue and call log
 * end up the same. Everything else is one `model` effect per attempt: its arguments are the request (which holds no
 * secret) and the reserved cost, its result the outcome, failures included. A replayed attempt tells its pieces to
 * `onEvent` once more, in one piece each.
 */

import { backoffMs, type Json, shape } from "../../effects/index.ts";

import { type EventPlace, placeOf, type RunEvents, runEvents } from "../../events/index.ts";
import { checkEffect, gateOf, watchEgress } from "../../host/index.ts";

import type { Task } from "../../interp/index.ts";
import { elapsedMs, notifyPerson, pauseTask, scriptMonotonicMs } from "../../interp/index.ts";
import { Dict, display, type MaybePromise, ScriptError } from "../../values/index.ts";
import { placeInSession } from "../conversation/publish.ts";
import {
  continuing,
  isPaused,
  type JsonObject,
  joinedAnswer,
  type ModelError,
  type ModelEvent,
  type ModelOutcome,
  type ModelRequest,
  type ModelResponse,
  type ModelToolCall,
  type ModelUsage,
  makeModelError,
  mockAnswers,
  type StreamOptions,
} from "../llm/index.ts";
import { createVisibleStream, type VisibleStream } from "../tools/visible-stream.ts";
import { streamInspected } from "./inspected.ts";
import { type ModelBudget, modelBudgetOf } from "./model-budget.ts";
import { type Models, modelsOf } from "./models.ts";
import { type CallDraw, type CallRole, type RoleRules, roleOf } from "./roles.ts";
import { costInDoubt, project, refusal, type SpendingProjection } from "./spending.ts";
import type { BudgetRefusal, CallRetries, ModelCallOptions, ModelCallResult } from "./types.ts";

/** A turn that its vendor pauses this often is given back as it is. */
const maxPauses = 10;

/**
 * Calls a model; where the vendor pauses its turn, it is asked to go on. Failures are data; only a cancellation of the
 * task itself is raised.
 */
export async function modelCall(
  task: Task,
  request: ModelRequest,
  options: ModelCallOptions = {},
): Promise<ModelCallResult> {
  let result = await callOnce(task, request, options);
  for (let pauses = 0; result.ok && isPaused(result.response) && pauses < maxPauses; pauses++) {
    const before = result.response;
    const next = await callOnce(task, continuing(request, before), options);
    const { attempts, durationMs } = result;
    const both = { attempts: attempts + next.attempts, durationMs: durationMs + next.durationMs };
    result = next.ok
      ? { ...next, ...both, response: joinedAnswer(before, next.response) }
      : { ...next, ...both, partial: next.partial === null ? before : joinedAnswer(before, next.partial) };
  }
  return result;
}

/** One answer, with the attempts that it takes. */
async function callOnce(
  task: Task,
  request: ModelRequest,
  options: ModelCallOptions,
): Promise<ModelCallResult> {
  watchEgress(task);
  const models = modelsOf(task);
  // Calls that a mock answers are no effects: the rules of the run hold for them all the same.
  const { provider, model } = request;
  const mocked = mockAnswers(models.mock, request);
  checkEffect(task, { effect: "model", kind: "llm_call", args: () => ({ provider, model, mocked }) });
  // Nobody asks what a mocked call without limits might cost; counting it would cost time on every turn.
  const modelBudget = modelBudgetOf(task);
  const { roles } = models.config;
  const counted =
    options.budget !== undefined ||
    roles !== undefined ||
    modelBudget?.hasDollarLimit === true ||
    modelBudget?.hasTokenLimit === true ||
    models.spending.limitUsd !== null ||
    !mocked;
  const projection = counted ? project(models.catalogue, request) : nothing;
  const refuse = (): ReturnType<typeof refusal> => {
    const before = options.spentUsd ?? models.spending.committedUsd;
    return counted ? refusal(models.spending, projection, options.budget, before, modelBudget) : undefined;
  };
  const refused = refuse();
  if (refused !== undefined) return refusedResult(request, refused.message, refused.refusal);
  const base_url = models.addressOf(request.provider, request.base_url);
  const sent = base_url === null ? request : { ...request, base_url };
  const draw = mockAnswers(models.mock, sent) ? undefined : roles?.draw?.(task, sent);
  const answers = new AnswerEvents(task, options);
  const took = stopwatch(task, options);
  for (let attempt = 0; ; attempt++) {
    const answering = clientFor(models, options);
    const call = {
      request: sent,
      answering,
      projection,
      modelBudget,
      answers,
      took,
      within: options.within,
      role: roleOf(task),
      draw,
    };
    // Others may have spent while it waited for its tokens.
    const tried = await withTokens(
      task,
      call,
      async () => refuse() ?? (await attemptCallOnce(task, models, call)),
    );
    if (tried === "no tokens") return noTokens(request, projection, modelBudget, models.spending);
    if ("refusal" in tried) return refusedResult(request, tried.message, tried.refusal);
    const { outcome, mocked, durationMs } = tried;
    const attempts = attempt + 1;
    if (outcome.ok) {
      answers.answered(outcome.response, durationMs);
      return { ok: true, response: outcome.response, attempts, durationMs, mocked };
    }
    const { error, partial } = outcome;
    const result = { ok: false as const, error, partial, attempts, durationMs, mocked };
    if (attempt >= attemptsMore(options, error, mocked) || options.mayRepeat?.() === false) return result;
    // What the attempt has cost may be what one more would have needed; its own failure says more than the limit.
    if (refuse() !== undefined) return result;
    const delay = error.retry_after_ms ?? backoffMs({ baseMs: options.backoffMs ?? 250 }, attempts);
    answers.retrying(attempts, delay, error.message);
    if (isLate(error) && !mocked)
      notifyPerson(task.runtime, `harn: ${error.message}; the model is asked again\n`);
    await waiting(roles, request.provider, () => pauseTask(task, delay));
    // Others have spent while it waited.
    if (refuse() !== undefined) return result;
  }
}

/** Whoever runs a trial is told of waits that are not its work. */
async function waiting(
  roles: RoleRules | undefined,
  provider: string,
  wait: () => MaybePromise<unknown>,
): Promise<void> {
  const over = roles?.waits?.(provider);
  try {
    await wait();
  } finally {
    over?.();
  }
}

/** Lends a call its tokens for as long as it takes. */
async function withTokens<T>(
  task: Task,
  { modelBudget, projection, within }: CallAttempt,
  body: () => Promise<T>,
): Promise<T | "no tokens"> {
  if (modelBudget === null || !modelBudget.hasTokenLimit) return await body();
  const estimate = projection.inputTokens + projection.outputTokens;
  const tokens = await modelBudget.reserveTokens(task, estimate, within === undefined);
  if (tokens === null) return "no tokens";
  try {
    return await body();
  } finally {
    modelBudget.giveBackTokens(tokens);
  }
}

function noTokens(
  request: ModelRequest,
  projection: SpendingProjection,
  modelBudget: ModelBudget | null,
  spending: Models["spending"],
): ModelCallResult {
  const limit = modelBudget?.exhausted?.limitTokens ?? 0;
  const message = `LLM budget exceeded before provider call: nothing is left of the limit of ${limit} tokens`;
  return refusedResult(request, message, {
    limit: "tokens",
    limit_value: limit,
    projected_cost_usd: projection.costUsd,
    session_cost_usd: spending.costUsd,
    projected_input_tokens: projection.inputTokens,
    projected_output_tokens: projection.outputTokens,
  });
}

/** Tried again by itself: what passes without anybody's doing, but not an answer that took too long for its caller. */
const liveRetries: CallRetries = { passing: 2, late: 0 };
const noRetries: CallRetries = { passing: 0, late: 0 };

function attemptsMore({ retries, within }: ModelCallOptions, error: ModelError, mocked: boolean): number {
  if (!error.retryable) return 0;
  // Inside of another effect no pause can be recorded.
  if (typeof retries === "number") return retries;
  const { passing, late } = retries ?? (mocked || within !== undefined ? noRetries : liveRetries);
  return isLate(error) ? late : passing;
}

const isLate = ({ category, status }: ModelError): boolean => category === "timeout" && status === undefined;

/** The run's clock is an effect of its own; a call inside of one must not add any. */
function stopwatch(task: Task, { within }: ModelCallOptions): () => number {
  const { clock } = task.runtime.host;
  const start = within === undefined ? scriptMonotonicMs(task) : clock.monotonic();
  return () =>
    within === undefined ? elapsedMs(task, start) : Math.max(0, Math.round(clock.monotonic() - start));
}

const nothing: SpendingProjection = { costUsd: 0, inputTokens: 0, outputTokens: 0 };

/** Answers one attempt. */
type Answering = (request: ModelRequest, how: StreamOptions) => Promise<ModelOutcome>;

function clientFor(models: Models, { inspector, interrupt }: ModelCallOptions): Answering {
  const inspect = inspector?.();
  const stream: Answering = (request, how) =>
    inspect === undefined
      ? models.client.stream(request, how)
      : streamInspected(models.client, request, how, inspect);
  if (interrupt === undefined) return stream;
  return (request, how) => {
    const signal = how.signal === undefined ? interrupt : AbortSignal.any([interrupt, how.signal]);
    return stream(request, { ...how, signal });
  };
}

interface CallAttempt {
  readonly request: ModelRequest;
  readonly answering: Answering;
  readonly projection: SpendingProjection;
  readonly modelBudget: ModelBudget | null;
  readonly answers: AnswerEvents;
  /** Milliseconds since the call began. */
  readonly took: () => number;
  readonly within: AbortSignal | undefined;
  readonly role: CallRole;
  readonly draw: CallDraw | undefined;
}

/** Reserved before anything waits, booked before the reservation goes: nobody beside it sees the money twice, or not at all. */
async function attemptCallOnce(
  task: Task,
  models: Models,
  call: CallAttempt,
): Promise<{ outcome: ModelOutcome; mocked: boolean; durationMs: number }> {
  const { request, answering, modelBudget, answers } = call;
  const reserved = call.projection.costUsd ?? 0;
  const { roles } = models.config;
  const kept = task.runtime.effects.mode === "replay" ? undefined : call.draw?.kept();
  models.spending.reserve(reserved);
  modelBudget?.reserve(reserved);
  let free: (() => unknown) | undefined;
  try {
    const mocked = mockAnswers(models.mock, request);
    if (!mocked && kept === undefined && call.within === undefined)
      await waiting(roles, request.provider, () => models.rates.turn(task, request.provider));
    const { effects } = task.runtime;
    const isNew = !(effects.isAnswered?.(task.scope) ?? effects.mode === "replay");
    // What it waits for here is no effect, so its number is the call's.
    if (roles !== undefined && isNew && !mocked && kept === undefined)
      free = await roles.admit(task, call.projection);
    const outcome = mocked
      ? await answering(request, { onEvent: answers.event })
      : await performCall(task, models, call, reserved, kept);
    const durationMs = call.took();
    settle(task, models, call, outcome, { mocked, durationMs, isNew });
    if (outcome.ok) call.draw?.keep(outcome.response);
    return { outcome, mocked, durationMs };
  } finally {
    models.spending.release(reserved);
    modelBudget?.release(reserved);
    const rest = free?.();
    // In the middle of an effect, that has to end as well.
    if (rest instanceof Promise && call.within === undefined) await rest;
  }
}

function settle(
  task: Task,
  models: Models,
  { request, projection, modelBudget, role }: CallAttempt,
  outcome: ModelOutcome,
  {
    mocked,
    durationMs,
    isNew,
  }: { readonly mocked: boolean; readonly durationMs: number; readonly isNew: boolean },
): void {
  const inDoubtUsdOf = (failed: Extract<ModelOutcome, { ok: false }>): number =>
    mocked ? 0 : costInDoubt(models.catalogue, request, projection.costUsd ?? 0, failed);
  const booked = outcome.ok ? outcome.response : withCostInDoubt(outcome.partial, inDoubtUsdOf(outcome));
  const inDoubtUsd = outcome.ok ? 0 : (booked.cost_usd ?? 0) - (outcome.partial.cost_usd ?? 0);
  const error = outcome.ok ? null : outcome.error;
  models.config.roles?.booked({ task, role, response: booked, error, mocked, isNew, inDoubtUsd });
  models.spending.settle(booked, outcome.ok ? durationMs : 0, outcome.ok);
  modelBudget?.book(booked.cost_usd, booked.usage.input_tokens + booked.usage.output_tokens);
}

const withCostInDoubt = (partial: ModelResponse, usd: number): ModelResponse =>
  usd > (partial.cost_usd ?? 0) ? { ...partial, cost_usd: usd } : partial;

/** The rules of the run about where connections lead, for the address of a model. */
export function refusesAddress(task: Task): NonNullable<StreamOptions["refuses"]> {
  return (url, named) => {
    try {
      gateOf(task.runtime.host)?.check({
        kind: "network",
        url,
        listens: false,
        model: named ? "named" : "script",
      });
      return undefined;
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      const { value } = error;
      return display(value instanceof Dict ? (value.get("message") ?? value) : value);
    }
  };
}

async function performCall(
  task: Task,
  models: Models,
  { request, answering, projection, answers, modelBudget, within }: CallAttempt,
  reserved: number,
  kept: ModelResponse | undefined,
): Promise<ModelOutcome> {
  const refuses = refusesAddress(task);
  if (within !== undefined && kept !== undefined) return { ok: true, response: kept };
  if (within !== undefined)
    return await answering(request, { signal: within, onEvent: answers.event, refuses });
  let ran = false;
  const asked = task.perform<ModelOutcome>({
    effect: "model",
    kind: "llm.call",
    deferred: true,
    // A call that may have been made before the run was interrupted may have cost this.
    repeated: (_begun, hasFailed) => {
      if (hasFailed) return;
      models.spending.bookInDoubt(reserved);
      modelBudget?.book(reserved, 0);
    },
    args: () => ({ request: loggedJson(request), reserved_usd: reserved }),
    run: async (signal) => {
      // Its events are those of an answer that is emitted again.
      if (kept !== undefined) return { ok: true, response: kept };
      ran = true;
      answers.asked(request);
      try {
        return await answering(request, { signal, onEvent: answers.event, refuses });
      } finally {
        answers.over();
      }
    },
    result: modelOutcome,
  });
  let outcome: ModelOutcome;
  try {
    outcome = await asked;
  } catch (error) {
    // Its wait has ended, not what the vendor charges for, and others go on spending.
    if (ran) models.config.roles?.lost?.(reserved);
    if (error instanceof ScriptError) {
      models.spending.bookInDoubt(reserved);
      modelBudget?.book(reserved, projection.inputTokens);
    }
    throw error;
  }
  if (!ran) for (const event of repeated(outcome)) answers.event(event);
  return outcome;
}

/** Emits what an answer has cost; `agent_trace()` lists it. */
export function emitUsage(
  task: Task,
  place: EventPlace,
  of: "turn" | "aside",
  { provider, model, usage, cost_usd }: ModelResponse,
  durationMs: number,
  context: ModelCallOptions["context"] = null,
): void {
  const { spending } = modelsOf(task);
  task.runtime.state(runEvents).emit(place, "usage", {
    ...(context === null || context === undefined ? {} : { context }),
    of,
    model_call: `call_${spending.calls}`,
    provider,
    model,
    duration_ms: durationMs,
    answer: {
      input: usage.input_tokens,
      output: usage.output_tokens,
      cached: usage.cache_read_tokens,
      reasoning: usage.reasoning_tokens,
      cost_usd,
    },
    total: {
      input: spending.inputTokens,
      output: spending.outputTokens,
      cost_usd: spending.unpriced > 0 ? null : spending.costUsd,
    },
  });
}

/** JSON without what is absent. `metadata` is the caller's own and may hold ids that differ between runs. */
function loggedJson(value: object): Json {
  return JSON.parse(
    JSON.stringify(value, (key, part: unknown) => (key === "metadata" ? undefined : part)),
  ) as Json;
}

/** What code relies on in an answer of a model. */
export const modelResponseShape = shape.someFields<ModelResponse>({
  text: shape.text,
  tool_calls: shape.listOf(
    shape.someFields<ModelToolCall>({
      id: shape.text,
      name: shape.text,
      raw_arguments: shape.text,
      arguments: shape.orNull(shape.someFields<JsonObject>({})),
    }),
  ),
  thinking: shape.orNull(shape.text),
  usage: shape.someFields<ModelUsage>({ input_tokens: shape.number, output_tokens: shape.number }),
  model: shape.text,
  provider: shape.text,
  cost_usd: shape.orNull(shape.number),
});
const answered = shape.someFields<ModelOutcome & { ok: true }>({
  ok: shape.only(true),
  response: modelResponseShape,
});
const failed = shape.someFields<ModelOutcome & { ok: false }>({
  ok: shape.only(false),
  error: shape.someFields<ModelError>({ reason: shape.text, message: shape.text }),
  partial: modelResponseShape,
});
const modelOutcome = shape.either(answered, failed).as<ModelOutcome>(
  (outcome) => loggedJson(outcome) as unknown as ModelOutcome,
  (stored) => stored,
);

/** The events of an outcome that was not streamed here. */
function* repeated(outcome: ModelOutcome): Generator<ModelEvent> {
  const response = outcome.ok ? outcome.response : outcome.partial;
  const { provider, model, request_id } = response;
  yield { kind: "start", provider, model, request_id };
  if (response.thinking) yield { kind: "thinking", delta: response.thinking };
  if (response.text !== "") yield { kind: "text", delta: response.text };
  for (const [index, call] of response.tool_calls.entries()) {
    yield { kind: "tool_call_start", index, id: call.id, name: call.name };
    yield { kind: "tool_call_end", index, call };
  }
  if (!outcome.ok) {
    yield { kind: "error", error: outcome.error };
    return;
  }
  yield { kind: "usage", usage: response.usage };
  yield {
    kind: "finish",
    stop_reason: response.stop_reason,
    usage: response.usage,
    cost_usd: response.cost_usd,
  };
}

function refusedResult(request: ModelRequest, message: string, budget: BudgetRefusal): ModelCallResult {
  const { provider, model } = request;
  const error = makeModelError({ category: "budget_exceeded", message, provider, model });
  return { ok: false, error, partial: null, attempts: 0, durationMs: 0, mocked: false, budget };
}

/** Hands on to the caller what arrives, and emits it. */
class AnswerEvents {
  private readonly task: Task;
  private readonly options: ModelCallOptions;
  private readonly events: RunEvents;
  private shown: VisibleStream | undefined;
  private aside: { call: number; provider: string; model: string; chars: number } | undefined = undefined;

  constructor(task: Task, options: ModelCallOptions) {
    this.task = task;
    this.options = options;
    this.events = task.runtime.state(runEvents);
  }

  readonly event = (event: ModelEvent): void => {
    this.options.onEvent?.(event);
    if (!this.events.listens) return;
    if (this.options.sessionId === undefined) {
      if (event.kind === "text" || event.kind === "thinking") this.progress(event.delta.length);
      return;
    }
    this.shown ??= createVisibleStream();
    if (event.kind === "text") this.said(this.shown.push(event.delta));
    else if (event.kind === "thinking")
      this.events.emit(this.place(), "thought.delta", { text: event.delta });
  };

  /** A vendor is asked: who waits for it sees that, and how far it is, where no turn shows its text. */
  asked({ provider, model }: ModelRequest): void {
    if (!this.events.listens || this.options.sessionId !== undefined) return;
    this.aside = { call: this.events.openCall(), provider, model, chars: 0 };
    this.progress(0);
  }

  over(): void {
    if (this.aside === undefined) return;
    this.events.emit(this.place(), "call.progress", { ...this.aside, over: true });
    this.aside = undefined;
  }

  private progress(more: number): void {
    if (this.aside === undefined) return;
    this.aside.chars += more;
    this.events.emit(this.place(), "call.progress", { ...this.aside, over: false });
  }

  answered(response: ModelResponse, durationMs: number): void {
    const { sessionId } = this.options;
    if (this.events.listens && sessionId !== undefined) this.said(this.shown?.end() ?? "");
    emitUsage(this.task, this.place(), this.of(), response, durationMs, this.options.context);
  }

  retrying(attempt: number, delay: number, reason: string): void {
    // What was held back of the failed answer is no part of the next.
    this.shown = undefined;
    if (this.events.listens)
      this.events.emit(this.place(), "retry", {
        what: "model",
        of: this.of(),
        attempt,
        delay_ms: delay,
        reason,
      });
  }

  private said(text: string): void {
    if (text !== "") this.events.emit(this.place(), "message.delta", { text });
  }

  /** Whether it is an answer in a turn of a session's loop. */
  private of(): "turn" | "aside" {
    return this.options.sessionId === undefined ? "aside" : "turn";
  }

  private place(): EventPlace {
    const { sessionId, iteration = 0 } = this.options;
    if (sessionId === undefined) return placeOf(this.task);
    return { ...placeInSession(this.task, sessionId), turn: iteration };
  }
}
