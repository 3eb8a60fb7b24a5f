/**
 * The driver: performs what a turn asks for, through the effects port, and hands back the answers. It decides nothing
 * about the loop; what a pause means for a caller that is a script is the one thing it knows (`closeFor`).
 *
 * What a callback of the script throws, the loop throws: the walk is abandoned where it stands and the conversation
 * keeps what was said. Hooks and subscribers are the exception, they never end a loop.
 */

import { frozen, runEvents, typedEvent } from "../../events/index.ts";
import {
  awaitHandle,
  callableOnChild,
  clockState,
  elapsedMs,
  pauseTask,
  scriptMonotonicMs,
  spawnTask,
  type Task,
  type TaskHandle,
  wallMs,
  withinTime,
} from "../../interp/index.ts";
import type {
  DispatchOptions,
  ReasoningTask,
  ToolCall,
  ToolGate,
  ToolOutcome,
  ToolWrapper,
} from "../../model/index.ts";
import {
  applyExperiment,
  type CallPlan,
  callBudgetFields,
  callFields,
  callOverRoutes,
  callSubscriber,
  correction,
  type Experiment,
  experimentOf,
  extractJson,
  failureText,
  inspectorOf,
  isObject,
  listEvent,
  type ModelCallOptions,
  type ModelCallResult,
  type ModelMessage,
  type ModelRequest,
  type ModelResponse,
  makeModelError,
  modelCall,
  modelsOf,
  namedEvent,
  parsedStructured,
  planCall,
  publish,
  requestOf,
  traceAbort,
  violationIn,
  warn,
} from "../../model/index.ts";
import { variable } from "../../process/environment.ts";
import {
  type Callable,
  Dict,
  Float,
  type MaybePromise,
  ScriptError,
  uncaughtText,
  type Value,
} from "../../values/index.ts";
import { decided } from "../completion/iteration-control.ts";
import { repairOptions } from "../context/repair/in-loop.ts";
import { mendedView } from "../context/repair/repair.ts";
import { untilInterrupted } from "../context/user-messages.ts";
import {
  type Completion,
  type ContractRequest,
  cycle,
  type HookAnswer,
  type LoopEvent,
  type PauseRequest,
  type ResumePayload,
  type ToolAnswer,
} from "../contract/index.ts";
import { performDaemon } from "../daemon/perform.ts";
import { type LoopToolHooks, toolHookAfter } from "../hooks/index.ts";
import { summarizerFields } from "../options/ladder-fields.ts";
import { renderPromptSource } from "../options/prompt-source.ts";
import { policyScopes } from "../policy/index.ts";
import { holdCalls } from "../state/hold-calls.ts";
import { type Loop, usedTokens } from "../state/loop-state.ts";
import { performLook } from "../state/perform-look.ts";
import type {
  EventAsk,
  JudgeAnswer,
  JudgeAsk,
  LoopRequest,
  ModelAnswer,
  ModelAsk,
  SummaryAnswer,
  SummaryAsk,
  TryCallbackAnswer,
  TryCallbackAsk,
  Turn,
} from "../state/requests.ts";
import { subsystemChange } from "../state/subsystem.ts";
import { suspensionPortOf } from "../state/suspension-port.ts";
import { dispatchBatch } from "../tools/dispatch.ts";
import { lookAtEnvironment } from "./environment-look.ts";
import { answerOfEnvelope, callerInput, failedWith } from "./llm-caller.ts";
import { type Aside, type LlmTranscript, openLlmTranscript } from "./loop-transcript.ts";
import { speaksOfCalls } from "./phases/interpret.ts";
import { answerOf } from "./phases/settle.ts";
import { parseSuspensionRequest, suspendLoop } from "./phases/suspend.ts";
import { recordDenial } from "./policy-gates.ts";
import { eventValue } from "./script-hooks.ts";
import { agentProgram, subsystems } from "./turn.ts";

/** What a part gave that may fail without ending the loop. */
type HookResultOf<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: string };

/** What every call of the loop's tools passes, and who makes its model calls: its own rules and those of the loops around it. */
export interface AroundTools {
  readonly calls: () => AroundCalls;
  readonly llmCaller: Callable | null;
  /** Ends what the loop laid on its task. */
  readonly leave: (() => void) | undefined;
}

export interface AroundCalls {
  readonly gates: readonly ToolGate[];
  readonly hooks: LoopToolHooks;
  readonly wrap: ToolWrapper | undefined;
}

export class LoopDriver {
  private readonly task: Task;
  private readonly loop: Loop;
  private plan: CallPlan;
  /** The last answer followed a strict form of its schema. */
  strictNulls = false;
  /** The overrides that `plan` was made with. */
  private planned: Dict | null = null;
  private readonly started: number;
  private readonly experiment: Experiment | null;
  /** Contract events that the script's `on_event` gets. */
  private readonly waiting: LoopEvent[] = [];
  private readonly flushing: TaskHandle[] = [];
  private transcript: LlmTranscript | null;
  private readonly around: AroundTools;
  /** How much of the budget the loop's own figures know of. */
  private balanced = { calls: 0, usd: 0, tokens: 0 };

  constructor(task: Task, loop: Loop, plan: CallPlan, started: number, around: AroundTools) {
    this.around = around;
    this.task = task;
    this.loop = loop;
    this.plan = plan;
    this.started = started;
    this.experiment = experimentOf(
      loop.options.raw.get("structural_experiment"),
      variable(modelsOf(task).env, "HARN_STRUCTURAL_EXPERIMENT"),
    );
    this.transcript = openLlmTranscript(task, loop);
    if (loop.options.onEvent !== null) loop.core.events.subscribe((event) => void this.waiting.push(event));
    loop.core.events.observer = (event) => this.contractEvent(event);
  }

  /** Runs the loop to its end. */
  async run(): Promise<Completion> {
    try {
      return await this.walk();
    } finally {
      if (this.flushing.length > 0) await this.settleFlushes();
      await this.transcript?.close();
    }
  }

  private async walk(): Promise<Completion> {
    const { change } = this.task.runtime.state(subsystemChange);
    const walk = cycle(this.loop.core, agentProgram(this.loop, change(subsystems)));
    let answer: unknown;
    this.capTokens();
    for (;;) {
      const step = walk.next(answer);
      if (this.waiting.length > 0) await this.callOnEvent();
      if (step.done === true) return step.value;
      const argument = this.perform(step.value);
      answer = argument instanceof Promise ? await argument : argument;
      this.balance(step.value.kind);
    }
  }

  /** What others spent while they worked for the loop (tools, callbacks, hooks) counts as spent by it. */
  private balance(kind: LoopRequest["kind"]): void {
    const { modelBudget, state, core } = this.loop;
    const { budget } = core.control;
    if (
      kind !== "model" &&
      kind !== "judge" &&
      kind !== "summary" &&
      modelBudget.calls > this.balanced.calls
    ) {
      state.usage.costUsd += modelBudget.spentUsd - this.balanced.usd;
      state.usage.innerTokens += modelBudget.spentTokens - this.balanced.tokens;
      budget.used.tokens = usedTokens(state);
      budget.used.cost_usd = state.usage.costUsd;
    }
    this.balanced = { calls: modelBudget.calls, usd: modelBudget.spentUsd, tokens: modelBudget.spentTokens };
    this.capTokens();
  }

  /** A loop that works for another may go on only as far as the other has tokens. */
  private capTokens(): void {
    const { modelBudget, core } = this.loop;
    const { budget } = core.control;
    modelBudget.limitTokens = budget.limits.tokens ?? null;
    const tokensLeft = modelBudget.parent?.tokensLeft ?? Number.POSITIVE_INFINITY;
    if (tokensLeft !== Number.POSITIVE_INFINITY)
      budget.limits.tokens = Math.min(
        budget.limits.tokens ?? Number.POSITIVE_INFINITY,
        modelBudget.spentTokens + tokensLeft,
      );
  }

  private perform(request: LoopRequest): MaybePromise<unknown> {
    switch (request.kind) {
      case "model":
        return this.withinWallClock(() => this.askModel(request), outOfTime);
      case "tools":
        return this.dispatch();
      case "callback":
        return callableOnChild(this.task, request.callback, request.args);
      case "environment":
        return this.survived(() => lookAtEnvironment(this.task, request));
      case "try_callback":
        return this.tryCallback(request);
      case "warn":
        return warn(this.task, request.text);
      case "hook":
        return this.runHook(request);
      case "judge":
        return this.withinWallClock(
          () => this.askJudge(request),
          (): JudgeAnswer => ({ ok: false, error: outOfTimeText, durationMs: 0 }),
        );
      case "summary":
        return this.withinWallClock(
          () => this.askSummary(request),
          (): SummaryAnswer => ({ ok: false, error: outOfTimeText }),
        );
      case "template":
        return renderPromptSource(this.task, request.source, request.bindings);
      case "settle":
        return request.promise;
      case "event":
        return this.publish(request);
      case "session_hook":
        return this.loop.sessionHooks(request.event, request.fields, request.subject);
      case "time":
        return wallMs(this.task);
      case "wait":
        return pauseTask(this.task, request.ms);
      case "daemon_event":
      case "daemon_idled":
      case "daemon_wait":
        return performDaemon(this.task, this.loop, request);
      case "check":
        return performLook(this.task, request);
      case "worker":
        return this.awaitWorker();
      case "park_ask":
        return parseSuspensionRequest(this.task, request);
      case "pause":
        return this.closeFor(request);
    }
  }

  private tryCallback({ callback, args }: TryCallbackAsk): Promise<TryCallbackAnswer> {
    return this.survived(() => callableOnChild(this.task, callback, args));
  }

  private async survived<T>(body: () => MaybePromise<T>): Promise<HookResultOf<T>> {
    try {
      return { ok: true, value: await body() };
    } catch (error) {
      // Only the script's own errors are its callback's; an interruption must end the loop.
      if (!(error instanceof ScriptError)) throw error;
      return { ok: false, error: uncaughtText(error) };
    }
  }

  // ── models ──────────────────────────────────────────────────────────────────────────────────────────────────────

  private async askModel(ask: ModelAsk): Promise<ModelAnswer> {
    const plan = this.planFor(ask.overrides);
    const shaped = this.experiment === null ? ask : await this.shaped(ask, this.experiment);
    this.transcript ??= openLlmTranscript(this.task, this.loop);
    const { llmCaller } = this.around;
    if (llmCaller !== null) {
      if (this.transcript !== null)
        await this.transcript.request(this.requestFor(plan, ask, shaped), plan, ask.iteration);
      const answer = await this.askCaller(llmCaller, ask, plan);
      if (this.transcript !== null) await this.transcript.response(answer, ask.iteration);
      return answer;
    }
    let emptyRetries = 0;
    const before = this.spent();
    const { result } = await callOverRoutes(this.task, {
      plan,
      options: this.optionsWith(ask.overrides),
      replan: (options) => planModelCalls(this.task, options, this.loop.options),
      ask: shaped,
      sessionId: this.loop.state.sessionId,
      onDecision: (decision) => this.transcript?.routed(decision, ask.iteration),
      call: (current) =>
        this.askRoute(current, this.requestFor(current, ask, shaped), ask, () => emptyRetries++),
    });
    const usd = this.spent() - before;
    if (result.ok)
      return {
        ok: true,
        response: atCost(result.response, usd),
        durationMs: result.durationMs,
        emptyRetries,
      };
    this.loop.state.usage.costUsd += usd;
    return { ok: false, error: result.error, budget: result.budget };
  }

  /** Everything that the loop and those who work for it have spent. */
  private spent(): number {
    return this.loop.modelBudget.spentUsd;
  }

  private requestFor(plan: CallPlan, ask: ModelAsk, { messages, system }: RequestPrompt): ModelRequest {
    const { tools, providerTools } = ask;
    const { raw } = this.loop.options;
    return requestOf(plan, { messages, system, tools, providerTools, options: raw });
  }

  /** One route of a turn's call. */
  private async askRoute(
    plan: CallPlan,
    request: ModelRequest,
    ask: ModelAsk,
    onEmpty: () => void,
  ): Promise<ModelCallResult> {
    const { loop, transcript } = this;
    if (transcript !== null) await transcript.request(request, plan, ask.iteration);
    const { totalCostUsd } = loop.options.iterationBudget;
    const result = await untilInterrupted(loop, (interrupt) =>
      this.callChecked(plan, request, {
        interrupt,
        retries: plan.retries,
        backoffMs: plan.backoffMs,
        budget: totalCostUsd === null ? plan.budget : withTotal(plan.budget, totalCostUsd),
        spentUsd: loop.state.usage.costUsd,
        sessionId: loop.state.sessionId,
        iteration: ask.iteration,
        context: ask.reading,
        inspector: inspectorOf(this.task, plan),
        onEvent: (event) => {
          if (event.kind === "error" && event.error.message.includes("delivered no content")) onEmpty();
        },
      }),
    );
    this.tickBy(result.durationMs);
    if (transcript !== null) await transcript.response(answerFromCall(result), ask.iteration);
    return result;
  }

  /** What a structural experiment makes of the assembled prompt. A caller of the script's applies it in its own call. */
  private async shaped(ask: ModelAsk, experiment: Experiment): Promise<RequestPrompt> {
    const { loop } = this;
    if (this.around.llmCaller !== null) return ask;
    const made = await applyExperiment(this.task, experiment, ask, ask.iteration - 1);
    const shaped = { ...made, messages: mendedView(made.messages, repairOptions(loop)) };
    loop.conversation.audit.push({
      kind: "provider_payload",
      role: "assistant",
      visibility: "internal",
      text: "",
      metadata: Dict.of({ model: loop.route.model, structural_experiment: shaped.record }),
    });
    return shaped;
  }

  /** The script makes the call. What it spends on the way is booked to the loop, whatever it answers in the end. */
  private async askCaller(caller: Callable, ask: ModelAsk, plan: CallPlan): Promise<ModelAnswer> {
    const { task, loop } = this;
    const { conversation, state, modelBudget } = loop;
    const before = { usd: modelBudget.spentUsd, calls: modelBudget.calls };
    const start = scriptMonotonicMs(task);
    conversation.turn = ask.iteration;
    let answer: ModelAnswer;
    try {
      const input = callerInput(task, loop, ask, plan);
      const value = await thrownAsValue(() => callableOnChild(task, caller, [input]));
      answer =
        "thrown" in value
          ? failedWith("exception", value.thrown, plan)
          : answerOfEnvelope(value.result, plan, elapsedMs(task, start));
    } finally {
      conversation.turn = 0;
    }
    this.tickBy(elapsedMs(task, start));
    const spent = modelBudget.spentUsd - before.usd;
    if (!answer.ok) {
      state.usage.costUsd += spent;
      return answer;
    }
    // An answer that cost nothing here (a cache, a hand-made one) says itself what it cost.
    const { response } = answer;
    return {
      ...answer,
      response: modelBudget.calls > before.calls ? { ...response, cost_usd: spent } : response,
    };
  }

  /** One call; a final text that does not fit the schema is asked for again (agents.md §1.4). */
  private async callChecked(
    plan: CallPlan,
    request: ModelRequest,
    options: ModelCallOptions,
  ): Promise<ModelCallResult> {
    let sent = request;
    for (let retry = 0; ; retry++) {
      const result = await modelCall(this.task, sent, options);
      this.strictNulls = result.ok && result.response.strict_nulls;
      const violation = result.ok ? null : violationIn(result.error);
      if (!result.ok && violation !== null) {
        traceAbort(this.task, result, violation, retry + 1);
        this.loop.state.slots.traced.streamAborts++;
      }
      const checked = plan.validation === "error" && plan.wantsJson;
      if (!checked || (result.ok ? this.makesCalls(result.response) : violation === null)) return result;
      const errors = result.ok
        ? parsedStructured(this.task, plan, result.response.text, result.response.strict_nulls).errors
        : [violation ?? ""];
      if (errors.length === 0) return result;
      if (retry >= plan.schemaRetries)
        return result.ok ? schemaFailure(result, failureText(errors, plan.schemaRetries)) : result;
      const bad = result.ok ? result.response.text : (result.partial?.text ?? "");
      const extra = correction(this.task, plan, errors, retry + 1, bad);
      sent = { ...request, messages: [...request.messages, ...extra] };
    }
  }

  private makesCalls({ tool_calls, text }: ModelResponse): boolean {
    return tool_calls.length > 0 || speaksOfCalls(this.loop, text);
  }

  /** What a turn's calls are made of. */
  private optionsWith(overrides: Dict | null): Dict {
    const usual = callOptionsOf(this.loop.options);
    return overrides === null ? usual : usual.merge(overrides);
  }

  /** The loop's plan, or one with the options that callbacks have changed; made again only when they change. */
  private planFor(overrides: Dict | null): CallPlan {
    if (overrides === this.planned) return this.plan;
    this.planned = overrides;
    this.plan = planModelCalls(this.task, this.optionsWith(overrides), this.loop.options);
    return this.plan;
  }

  private async askJudge(ask: JudgeAsk): Promise<JudgeAnswer> {
    const config = ask.config.with("response_format", "json");
    const result = await this.askAside("judge", config, ask.system, ask.prompt);
    if (!result.ok) return { ok: false, error: result.error.message, durationMs: result.durationMs };
    const { response } = result;
    const data = extractJson(response.text)?.value;
    if (!(data instanceof Dict))
      return { ok: false, error: "its answer holds no JSON object", durationMs: result.durationMs };
    return {
      ok: true,
      data,
      durationMs: result.durationMs,
      inputTokens: response.usage.input_tokens,
      outputTokens: response.usage.output_tokens,
      costUsd: response.cost_usd ?? 0,
      provider: response.provider,
      model: response.model,
    };
  }

  private async askSummary(ask: SummaryAsk): Promise<SummaryAnswer> {
    const result = await this.askAside("summary", ask.options, null, ask.prompt);
    if (!result.ok)
      return {
        ok: false,
        error: result.error.message,
        refused: result.error.category === "budget_exceeded",
      };
    return { ok: true, text: result.response.text };
  }

  /** One question beside the conversation, on the loop's route unless `own` names another; booked to the loop. */
  private async askAside(
    purpose: Aside,
    own: Dict,
    system: string | null,
    prompt: string,
  ): Promise<ModelCallResult> {
    const { loop } = this;
    const plan = planCall(this.task, asideOptions(loop.options.raw, own), {
      retries: loopRetries,
      caller: "agent_loop",
    });
    const messages: ModelMessage[] = [{ role: "user", content: prompt }];
    const request = requestOf(plan, { messages, system, tools: [] });
    const { totalCostUsd } = loop.options.iterationBudget;
    const call = (): Promise<ModelCallResult> =>
      modelCall(this.task, request, {
        retries: plan.retries,
        backoffMs: plan.backoffMs,
        budget: totalCostUsd === null ? undefined : withTotal(this.plan.budget, totalCostUsd),
        spentUsd: loop.state.usage.costUsd,
      });
    this.transcript ??= openLlmTranscript(this.task, loop);
    const before = this.spent();
    const result = await (this.transcript?.aside(purpose, request, plan, call) ?? call());
    this.tickBy(result.durationMs);
    loop.state.usage.costUsd += this.spent() - before;
    if (!result.ok) return result;
    const { usage } = result.response;
    loop.state.usage.judgedTokens += usage.input_tokens + usage.output_tokens;
    return result;
  }

  private async awaitWorker(): Promise<string | null> {
    const port = await suspensionPortOf(this.task);
    return (await port?.awaitWorker(this.task, this.loop.state.sessionId)) ?? null;
  }

  // ── tools ───────────────────────────────────────────────────────────────────────────────────────────────────────

  private async dispatch(): Promise<ToolAnswer[]> {
    const { task, loop } = this;
    const { work, core, options } = loop;
    const { gates, hooks, wrap } = this.around.calls();
    const indexes = [...core.control.calls.keys()].filter((index) => core.control.answers[index] === null);
    const calls = indexes.map((index) => this.callAt(index));
    const dispatch: DispatchOptions = {
      sessionId: loop.state.sessionId,
      iteration: work.iteration,
      batch: {
        loop: loop.identity,
        positions: indexes,
        ended: work.ended,
        endsLater: core.hooks.of("after_tool_call").length > 0,
      },
      maxConcurrent: options.maxConcurrentTools,
      structural: loop.structural,
      gates: [callMark, ...gates],
      after: [toolHookAfter(hooks)],
      onDenied: (pending, denial) => recordDenial(loop, pending, denial),
      reached: loop.reached,
      ...(wrap === undefined ? {} : { wrap }),
      retries: options.toolRetries,
      backoffMs: options.toolBackoffMs,
      visible: loop.visible.entries.map((entry) => entry.name),
      ...(options.toolTimeoutMs === null ? {} : { timeoutMs: options.toolTimeoutMs }),
      ...(options.toolOutputMaxChars === null ? {} : { maxOutputChars: options.toolOutputMaxChars }),
    };
    const left = this.timeLeft();
    const outcomes = await dispatchBatch(task, calls, loop.tools, {
      ...dispatch,
      ...(left === null ? {} : { time: { left, late: () => this.timeIsUp(), text: outOfTimeText } }),
    });
    await this.flushAudits(outcomes);
    const took = outcomes.map((outcome) => outcome.durationMs);
    this.tickBy(
      options.maxConcurrentTools > 1 ? Math.max(0, ...took) : took.reduce((sum, ms) => sum + ms, 0),
    );
    for (const [at, index] of indexes.entries()) work.outcomes[index] = outcomes[at] ?? null;
    return outcomes.map(answerOf);
  }

  /**
   * What middleware has left to write down (`_audit_flush`): at once, or beside the next model call where
   * `prefetch_next_turn` asks for it; `settleFlushes` waits for all of it before the loop ends.
   */
  private async flushAudits(outcomes: readonly ToolOutcome[]): Promise<void> {
    for (const flush of outcomes.flatMap((outcome) => outcome.flushes ?? [])) {
      if (!this.loop.options.prefetchNextTurn) await callableOnChild(this.task, flush, []);
      else this.flushing.push(spawnTask(this.task, async (child) => flush.call(child, [])));
    }
  }

  private async settleFlushes(): Promise<void> {
    for (const handle of this.flushing.splice(0)) await awaitHandle(this.task, handle);
  }

  /** The model's call, or what a before_tool_call hook made of it. */
  private callAt(index: number): ToolCall {
    const { work, core } = this.loop;
    const call = work.calls[index] as ToolCall;
    const asked = core.control.calls[index];
    if (asked === undefined || (asked.name === call.name && asked.arguments === call.arguments)) return call;
    return {
      ...call,
      name: asked.name,
      arguments: isObject(asked.arguments) ? asked.arguments : {},
      rawArguments: "",
      parseError: null,
    };
  }

  // ── hooks, events ───────────────────────────────────────────────────────────────────────────────────────────────

  private runHook(request: Extract<ContractRequest, { kind: "hook" }>): MaybePromise<HookAnswer> {
    const failed = (error: unknown): HookAnswer => {
      // Only the script's own errors are the hook's; an interruption must end the loop.
      if (!(error instanceof ScriptError)) throw error;
      return { ok: false, thrown: uncaughtText(error) };
    };
    try {
      const value = request.hook(request.payload, request.topic);
      return value instanceof Promise
        ? value.then((argument: unknown) => ({ ok: true as const, value: argument }), failed)
        : { ok: true, value };
    } catch (error) {
      return failed(error);
    }
  }

  private publish({ type, data, index }: EventAsk): MaybePromise<void> {
    const { identity, work } = this.loop;
    const call = index === null ? null : `${identity.id}.${work.iteration + 1}.${index}`;
    return publish(this.task, identity.here(call), type, data);
  }

  private publishNamed(name: string, fields: Dict): MaybePromise<void> {
    const [type, data] = typedEvent(namedEvent(name, fields, null));
    return publish(this.task, this.loop.identity.here(), type, data);
  }

  private async callOnEvent(): Promise<void> {
    const { onEvent } = this.loop.options;
    while (onEvent !== null && this.waiting.length > 0) {
      const event = this.waiting.shift() as LoopEvent;
      await callSubscriber(this.task, onEvent, eventValue(event), event.type);
    }
  }

  /** The machine's own events are of the run's stream, too. */
  private contractEvent({ type, data }: LoopEvent): void {
    const events = this.task.runtime.state(runEvents);
    if (events.listens) events.emit(this.loop.identity.here(), type, frozen(data));
    if (type !== "step.end") return;
    this.transcript?.interpreted();
    this.listTurn();
  }

  /** What `agent_trace()` lists of a turn besides its calls. */
  private listTurn(): void {
    const { work, state, options } = this.loop;
    const iteration = work.iteration + 1;
    if (work.fallback !== "none") {
      listEvent(this.task, "native_tool_fallback", {
        iteration,
        accepted: work.fallback === "accepted",
        policy: options.nativeToolFallback,
        fallback_index: state.slots.fallback.count,
        tool_call_count: work.calls.length,
      });
    }
    const warning = work.stalled ? state.slots.repetition.equalCalls.warnings.at(-1) : undefined;
    if (warning === undefined) return;
    const { toolName: tool_name, repeatCount: count } = warning;
    listEvent(this.task, "loop_intervention", {
      tool_name,
      kind: "stall_diagnostics",
      count,
      iteration,
    });
  }

  // ── time and limits ─────────────────────────────────────────────────────────────────────────────────────────────

  /** The machine's clock: read only where a limit depends on it, else what calls and tools reported. */
  private tickBy(durationMs: number): void {
    const { core, options } = this.loop;
    if (options.iterationBudget.wallClockMs !== null)
      core.now = Math.max(0, scriptMonotonicMs(this.task) - this.started);
    else core.now = (core.now ?? 0) + durationMs;
  }

  /**
   * Runs what a turn waits for only as long as the loop has time; then it is ended like anything that a deadline ends. Under
   * a mocked clock time does not pass by itself.
   */
  private withinWallClock<T>(body: () => Promise<T>, late: () => T): Promise<T> {
    const left = this.timeLeft();
    if (left === null) return body();
    const before = this.spent();
    return withinTime(this.task, left, body, () => {
      this.loop.state.usage.costUsd += this.spent() - before;
      this.timeIsUp();
      return late();
    });
  }

  /** Milliseconds of `wall_clock_ms` that are left, at least one: an end of the time is looked at between requests. */
  private timeLeft(): number | null {
    const { core, options } = this.loop;
    const { limits, used, lastTick } = core.control.budget;
    if (options.iterationBudget.wallClockMs === null || limits.wall_clock_ms === undefined) return null;
    if (this.task.runtime.state(clockState).mock !== undefined) return null;
    this.tickBy(0);
    const passed = used.wall_clock_ms + (lastTick === null ? 0 : Math.max(0, (core.now ?? 0) - lastTick));
    return Math.max(1, Math.ceil(limits.wall_clock_ms - passed));
  }

  /** The clock stands at the limit: whatever a timer's rounding says, the time is over. */
  private timeIsUp(): void {
    const { core, work } = this.loop;
    const { limits, used, lastTick } = core.control.budget;
    work.late = true;
    this.tickBy(0);
    const least = (lastTick ?? 0) + (limits.wall_clock_ms ?? 0) - used.wall_clock_ms;
    core.now = Math.max(core.now ?? 0, least);
  }

  /**
   * A pause has nobody to ask when the caller is a script: limits close the loop with their status, an aborted plan
   * goes on (its turn is spent), and every other pause suspends the loop.
   */
  private async closeFor(request: PauseRequest): Promise<ResumePayload> {
    const { reason } = request;
    if (reason === "plan_aborted") return {};
    if (!reason.startsWith("budget_exceeded:")) return await suspendLoop(this.task, this.loop, reason);
    // These calls will never be dispatched: append an error result for each.
    if (this.loop.core.control.resumeAt === "dispatch") holdCalls(this.loop, reason);
    const kind = reason.slice("budget_exceeded:".length);
    if (kind === "turns") {
      await this.exhausted();
      return { close: { status: "budget_exhausted", reason: "max_iterations" } };
    }
    const stop = kind === "cost_usd" ? "total_cost_usd" : kind;
    if (this.loop.listens()) {
      const { limit, used } = request.detail as { readonly limit: number; readonly used: number };
      const fields = Dict.of({ reason: stop, limit: numericLimit(limit), used: numericLimit(used) });
      await this.publishNamed("budget_circuit_breaker", fields);
    }
    return { close: { status: "budget_exhausted", reason: stop } };
  }

  private async exhausted(): Promise<void> {
    const { loop } = this;
    const limit = loop.core.control.budget.limits.turns ?? 0;
    if (loop.listens()) await this.publishNamed("budget_exhausted", Dict.of({ max_iterations: limit }));
    if (!loop.options.iterationBudget.exposeDecisions) return;
    await this.drive(
      decided(loop, {
        action: "stop",
        oldLimit: limit,
        newLimit: limit,
        reason: "max_iterations",
        status: "budget_exhausted",
      }),
    );
  }

  private async drive<T>(part: Turn<T>): Promise<T> {
    let answer: unknown;
    for (;;) {
      const step = part.next(answer);
      if (step.done === true) return step.value;
      answer = await this.perform(step.value);
    }
  }
}

const outOfTimeText = "the loop's wall_clock_ms was over";

/** The turn ends without an answer; that the time is over is looked at after it. */
const outOfTime = (): ModelAnswer => ({
  ok: false,
  error: makeModelError({ category: "cancelled", message: outOfTimeText, provider: "", model: "" }),
  budget: undefined,
});

/** What goes out of a turn. */
interface RequestPrompt {
  readonly messages: ModelMessage[];
  readonly system: string | null;
}

/** An answer at what it took to get it: attempts that failed and schema retries are paid, too. */
const atCost = (response: ModelResponse, usd: number): ModelResponse =>
  response.cost_usd === null || usd <= response.cost_usd ? response : { ...response, cost_usd: usd };

const answerFromCall = (result: ModelCallResult): ModelAnswer =>
  result.ok
    ? { ok: true, response: result.response, durationMs: result.durationMs, emptyRetries: 0 }
    : { ok: false, error: result.error, budget: result.budget };

const numericLimit = (amount: number): Value => (Number.isInteger(amount) ? amount : new Float(amount));

/** What a function of the script gave or threw; its run-time errors stay errors. */
async function thrownAsValue(
  body: () => MaybePromise<Value>,
): Promise<{ readonly result: Value } | { readonly thrown: Value }> {
  try {
    return { result: await body() };
  } catch (error) {
    if (error instanceof ScriptError && error.kind === "thrown") return { thrown: error.value };
    throw error;
  }
}

/** Rules that hold inside of tools hold in the call's own task from here on. */
const callMark: ToolGate = {
  name: "call_mark",
  decide: (task) => {
    task.runtime.state(policyScopes).markTool(task);
    return { kind: "allow" };
  },
};

/** The options of a loop under what it hands to its model calls alone (`llm_options`). */
export const callOptionsOf = ({ raw, llmOptions }: { raw: Dict; llmOptions: Dict | null }): Dict =>
  llmOptions === null ? raw : raw.merge(llmOptions);

/** Nobody waits three times for an answer that takes too long without having said so (`llm_retries`). */
const loopRetries = { passing: 2, late: 1 } as const;

/** The loop's options as those of its model calls. */
export function planModelCalls(
  task: Task,
  raw: Dict,
  options: {
    readonly llmBackoffMs: number;
    readonly schemaRetries: number;
  },
): CallPlan {
  return planCall(task, raw.without("tools").without("tool_format"), {
    retries: loopRetries,
    backoffMs: options.llmBackoffMs,
    schemaRetries: options.schemaRetries,
    reasoning: { task: reasoningTasks.get(raw.get("profile") as string) ?? "agent" },
    caller: "agent_loop",
  });
}

/** What a loop of a profile is for, when `reasoning_task` does not say. */
const reasoningTasks: ReadonlyMap<string, ReasoningTask> = new Map([
  ["verifier", "verify"],
  ["completer", "chat"],
]);

/** The route of the loop under what a judge's or summarizer's own config says. */
function asideOptions(raw: Dict, config: Dict): Dict {
  const ownRoute = config.has("provider") || config.has("model") || config.has("model_tier");
  // The address is the route's: another vendor is not asked there.
  const route = callFields.set("route");
  let options = new Dict();
  for (const key of callFields.set("aside")) {
    const value = raw.get(key) ?? null;
    if (value !== null && !(ownRoute && route.has(key))) options = options.with(key, value);
  }
  for (const key of summarizerFields.names()) {
    const value = config.get(key) ?? null;
    if (value !== null) options = options.with(key, value);
  }
  return options;
}

function schemaFailure(result: Extract<ModelCallResult, { ok: true }>, message: string): ModelCallResult {
  const { response, attempts, durationMs, mocked } = result;
  const { provider, model } = response;
  const error = makeModelError({ category: "schema_validation", message, provider, model });
  return { ok: false, error, partial: response, attempts, durationMs, mocked };
}

function withTotal(budget: CallPlan["budget"], total: number): CallPlan["budget"] {
  const own = budget?.totalBudgetUsd ?? total;
  return { ...callBudgetFields.usual, ...budget, totalBudgetUsd: Math.min(own, total) };
}
