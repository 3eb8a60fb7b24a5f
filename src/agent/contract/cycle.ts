/**
 * The loop itself: one generator that walks the contract's states until the session is done.
 *
 *     IDLE ──run──▶ PLANNING ──plan committed──▶ EXECUTING ──tool_call needed──▶ AWAITING_TOOL
 *       ▲              │  ▲                        │   ▲                              │ result
 *       │ pause        │  └───────replan───────┐   │   └─────next step────┐           ▼
 *       └── (any) ◀────┘ no_plan ▶ DONE        └───┼───────────────── REFLECTING ──goal_met──▶ DONE
 *                                                  └──no_tool step done──▶
 *
 * It knows neither models nor tools. A `CycleProgram` says what happens inside the states; whatever needs the world is
 * yielded as a request and answered by whoever drives the generator. Two requests are the pull points that an outside
 * caller sees: `tools` (calls without answer) and `pause`. All others (`hook`, and what the program yields) belong to
 * the driver.
 *
 * Invariants:
 * - Each branch of `cycle` reads only `Control`, so a walk can be taken up from a stored control in any state.
 * - Every step.start has one step.end; every tool.call one tool.result or tool.error; a call that a
 *   hook refused has a tool.error only; session.start and session.complete come once. Every counted step is a turn, skipped and aborted ones too: a hook that always skips
 *   or throws runs into the turn limit instead of spinning.
 * - A hook that throws aborts the turn (before_plan, before_step) or the call (before_tool_call), is reported to on_error, and
 *   leaves the state as it was before it. Calls beside one that was refused are innocent: they run.
 */

import type { RefusedCall, ToolRequest } from "../../model/index.ts";
import { type Amounts, extend, reachedLimit, stopClock, tick } from "./budget.ts";
import {
  type Completion,
  type Control,
  type CycleResumePoint,
  currentStep,
  openCalls,
  type Plan,
  type PlanStep,
  parsePlan,
  type Reflection,
  type ToolAnswer,
} from "./control.ts";
import type { EventData, EventLog, EventType } from "./events.ts";
import {
  fire,
  type HookOutcome,
  type HookPayload,
  type HookRegistry,
  type HookRequest,
  type HookTopic,
  type ResumePayload,
  untouched,
} from "./hooks.ts";
import { type Because, type StateName, transition } from "./states.ts";

/** Pull point one: the batch of calls that has no answer yet. Answered with a list of `ToolAnswer`s. */
interface ToolsRequest {
  readonly kind: "tools";
  readonly calls: readonly ToolRequest[];
}

/** Pull point two: a limit was reached or a review is wanted. Answered with a `ResumePayload`. */
export interface PauseRequest {
  readonly kind: "pause";
  readonly reason: string;
  readonly detail: unknown;
}

export type ContractRequest = HookRequest | ToolsRequest | PauseRequest;

/** What happens inside the states. `R` are the program's own requests, passed through to the driver. */
export interface CycleProgram<R = never> {
  /** PLANNING: the next plan, or undefined when there is nothing left to do. */
  plan(control: Control): Generator<R, unknown, unknown>;
  /** EXECUTING: does the step; gives the calls it needs. */
  execute(step: PlanStep, control: Control): Generator<R, readonly ToolRequest[], unknown>;
  /** REFLECTING: what comes next. `aborted` says what stopped the step, if anything did. */
  reflect(step: PlanStep, control: Control): Generator<R, Reflection, unknown>;
  /** After a pause; takes over what the caller gave along. */
  resumed?(payload: ResumePayload): void;
  /** What must leave the loop at once, as an exception of the driver's own making; everything else is survived. */
  isFatal?(thrown: unknown): boolean;
}

/** The parts of a session that the loop works on. */
export interface Core {
  readonly control: Control;
  readonly events: EventLog;
  readonly hooks: HookRegistry;
  /** What the driver last said the time was. */
  now: number | undefined;
}

type CycleWalk<R, T = void> = Generator<R | ContractRequest, T, unknown>;

/** Walks until DONE. Begin it in IDLE for a fresh or paused session, or in any state for a restored one. */
export function* cycle<R>(core: Core, program: CycleProgram<R>): CycleWalk<R, Completion> {
  const { control } = core;
  for (;;) {
    switch (control.state) {
      case "IDLE":
        yield* idle(core, program);
        break;
      case "PLANNING":
        yield* planning(core, program);
        break;
      case "EXECUTING":
        yield* executing(core, program);
        break;
      case "AWAITING_TOOL":
        yield* awaiting(core);
        break;
      case "REFLECTING":
        yield* reflecting(core, program);
        break;
      case "DONE":
        return control.completion ?? { status: "done", reason: "" };
    }
  }
}

function* idle<R>(core: Core, program: CycleProgram<R>): CycleWalk<R> {
  const { control } = core;
  if (!control.started) {
    control.started = true;
    move(core, "PLANNING", "run");
    emitContractEvent(core, "session.start", { goal: control.goal });
    return;
  }
  const paused = control.paused ?? { reason: "paused", detail: null };
  const payload = resumePayload(yield { kind: "pause", ...paused });
  yield* resumed(core, program, payload);
}

/** IDLE → PLANNING with the plan kept. */
function* resumed<R>(core: Core, program: CycleProgram<R>, payload: ResumePayload): CycleWalk<R> {
  const { control } = core;
  if (payload.extend !== undefined) extend(control.budget, payload.extend as Amounts);
  control.paused = null;
  tick(control.budget, core.now);
  move(core, "PLANNING", "resume");
  if (payload.close !== undefined) {
    const { status = "closed", reason = "closed" } = payload.close;
    yield* finish(core, "no_plan", status, reason);
  } else program.resumed?.(payload);
}

function* planning<R>(core: Core, program: CycleProgram<R>): CycleWalk<R> {
  const { control } = core;
  if (
    control.resumeAt !== "plan" &&
    control.plan !== null &&
    !(control.replan && control.resumeAt === "step")
  ) {
    move(core, "EXECUTING", "plan committed");
    emitContractEvent(core, "plan.commit", { plan: control.plan, step: control.step, kept: true });
    return;
  }
  control.resumeAt = "plan";
  if (control.draft === null) yield* drafting(core, program);
  if (control.draft !== null) yield* committing(core, program, control.draft);
}

/** Asks the planner. Leaves a draft, or has left PLANNING. */
function* drafting<R>(core: Core, program: CycleProgram<R>): CycleWalk<R> {
  const { control } = core;
  if (yield* limited(core, program, { turns: 1 }, "plan")) return;
  const before = yield* fired(core, "before_plan", {
    goal: control.goal,
    turn: control.budget.used.turns + 1,
  });
  if (before === "pause") return yield* pauseNow(core, program, "plan");
  if (isFailed(before)) return yield* planAborted(core, program);
  let plan: Plan | undefined;
  if (!before.skip) {
    let draft: unknown;
    try {
      draft = yield* program.plan(control);
    } catch (thrown) {
      if (program.isFatal?.(thrown) === true) throw thrown;
      yield* report(core, thrown, "planner");
      return yield* planAborted(core, program);
    }
    const read = draft === undefined || draft === null ? undefined : parsePlan(draft);
    if (typeof read === "string") {
      yield* report(core, read, "planner");
      return yield* planAborted(core, program);
    }
    plan = read;
  }
  control.replan = false;
  if (plan === undefined || plan.steps.length === 0) return yield* finish(core, "no_plan", "done", "no_plan");
  control.draft = plan;
  emitContractEvent(core, "plan.draft", { plan });
}

function* committing<R>(core: Core, program: CycleProgram<R>, draft: Plan): CycleWalk<R> {
  const { control } = core;
  let plan = draft;
  const after = yield* fired(core, "after_plan", { plan });
  control.draft = null;
  if (isFailed(after)) return yield* planAborted(core, program);
  if (after !== "pause") {
    plan = yield* changedCyclePlan(core, plan, after.payload);
    if (plan.steps.length === 0) return yield* finish(core, "no_plan", "done", "no_plan");
    if (after.skip) control.skipNext = true;
  }
  control.plan = plan;
  control.step = 0;
  control.resumeAt = "step";
  if (after === "pause") return yield* pauseNow(core, program, "step");
  move(core, "EXECUTING", "plan committed");
  emitContractEvent(core, "plan.commit", { plan, step: 0, kept: false });
}

/** A hook's changed plan, or the old one when what it made of it is no plan. */
function* changedCyclePlan<R>(core: Core, plan: Plan, payload: HookPayload): CycleWalk<R, Plan> {
  if (payload.plan === plan) return plan;
  const changed = parsePlan(payload.plan);
  if (typeof changed !== "string") return changed;
  yield* report(core, `after_plan: ${changed}`, "after_plan");
  return plan;
}

/** The turn is spent and the caller asked: planning again by itself could go on for ever. */
function* planAborted<R>(core: Core, program: CycleProgram<R>): CycleWalk<R> {
  core.control.budget.used.turns++;
  core.control.draft = null;
  core.control.reviewed = [];
  core.control.pauseAsked = "plan_aborted";
  yield* pauseNow(core, program, "plan");
}

function* executing<R>(core: Core, program: CycleProgram<R>): CycleWalk<R> {
  const { control } = core;
  if (control.resumeAt === "reflect") return move(core, "REFLECTING", "no_tool step done");
  if (control.resumeAt === "dispatch") return yield* dispatching(core, program);
  if (!control.begun) yield* beginning(core, program);
  if (!control.begun) return;
  if (control.aborted === null) yield* executeStep(core, program);
  control.begun = false;
  control.resumeAt = control.calls.length > 0 ? "dispatch" : "reflect";
  if (control.calls.length === 0) move(core, "REFLECTING", "no_tool step done");
}

/** Up to `step.start`, unless the loop stops before it. */
function* beginning<R>(core: Core, program: CycleProgram<R>): CycleWalk<R> {
  const { control } = core;
  if (yield* limited(core, program, { turns: 1 }, "step")) return;
  const step = currentStep(control);
  const skipped = control.skipNext;
  control.skipNext = false;
  const before = skipped
    ? undefined
    : yield* fired(core, "before_step", { step, turn: control.budget.used.turns + 1 });
  if (before === "pause") return yield* pauseNow(core, program, "step");
  control.budget.used.turns++;
  control.calls = [];
  control.answers = [];
  control.refusals = [];
  control.announced = 0;
  control.aborted = null;
  if (isFailed(before)) control.aborted = "before_step hook failed";
  else if (skipped || before?.skip === true) control.aborted = "skipped";
  if (!isFailed(before) && before !== undefined) yield* changedStep(core, before.payload);
  control.begun = true;
  emitContractEvent(core, "step.start", {
    step: currentStep(control),
    turn: control.budget.used.turns,
    ...(control.aborted === null ? {} : { aborted: control.aborted }),
  });
}

function* executeStep<R>(core: Core, program: CycleProgram<R>): CycleWalk<R> {
  const { control } = core;
  try {
    const calls = yield* program.execute(currentStep(control), control);
    control.calls = [...calls];
    control.answers = calls.map(() => null);
    control.refusals = calls.map(() => null);
  } catch (thrown) {
    if (program.isFatal?.(thrown) === true) throw thrown;
    control.aborted = yield* report(core, thrown, "step");
  }
}

function* changedStep<R>(core: Core, payload: HookPayload): CycleWalk<R> {
  const { control } = core;
  const plan = control.plan as Plan;
  if (payload.step === plan.steps[control.step]) return;
  const read = parsePlan({ steps: [payload.step] });
  if (typeof read === "string") {
    yield* report(core, `before_step: ${read}`, "before_step");
    return;
  }
  control.plan = { ...plan, steps: plan.steps.with(control.step, read.steps[0] as PlanStep) };
}

/** Asks the hooks about every call of the batch, then hands the batch over. A hook that throws refuses its own call. */
function* dispatching<R>(core: Core, program: CycleProgram<R>): CycleWalk<R> {
  const { control } = core;
  const { refusals } = control;
  const wanted = refusals.filter((refused) => refused === null).length;
  if (yield* limited(core, program, { tool_calls: wanted }, "dispatch")) return;
  for (const [index, call] of control.calls.entries()) {
    if (refusals[index] !== null) continue;
    const before = yield* fired(
      core,
      "before_tool_call",
      { call, turn: control.budget.used.turns },
      `${index}`,
    );
    if (before === "pause") return yield* pauseNow(core, program, "dispatch");
    if (isFailed(before))
      refusals[index] = refusal(call, `a before_tool_call hook failed: ${before.failed}`, "hook");
    else if (before.skip) refusals[index] = refusal(call, "skipped by a before_tool_call hook", "skipped");
    else yield* changedCall(core, index, before.payload);
  }
  move(core, "AWAITING_TOOL", "tool_call needed");
}

function* changedCall<R>(core: Core, index: number, payload: HookPayload): CycleWalk<R> {
  const { control } = core;
  const call = control.calls[index] as ToolRequest;
  const changed = payload.call as Partial<ToolRequest> | null | undefined;
  if (changed === call) return;
  if (typeof changed !== "object" || changed === null || typeof changed.name !== "string") {
    yield* report(
      core,
      "before_tool_call: `call` must stay an object with a string `name`",
      "before_tool_call",
    );
    return;
  }
  // The id is the link to the model's message: a hook may not change it.
  control.calls[index] = { ...call, ...changed, id: call.id };
}

const refusal = ({ id }: ToolRequest, error: string, category: string): RefusedCall => ({
  id,
  ok: false,
  error,
  category,
});

function* awaiting<R>(core: Core): CycleWalk<R> {
  const { control } = core;
  for (const [index, call] of control.calls.entries())
    if (index >= control.announced) yield* announce(core, index, call);
  let open = openCalls(control);
  while (open.length > 0) {
    const answers = yield { kind: "tools", calls: open };
    tick(control.budget, core.now);
    yield* take(core, open, answers);
    open = openCalls(control);
  }
  control.resumeAt = "reflect";
  move(core, "REFLECTING", "result");
}

/** Tells a call that is handed over. One that a hook refused is none: it is answered, and not counted. */
function* announce<R>(core: Core, index: number, { id, name, arguments: args }: ToolRequest): CycleWalk<R> {
  const { control } = core;
  const refused = control.refusals[index] ?? null;
  control.announced++;
  if (refused !== null) return yield* settle(core, index, refused);
  control.budget.used.tool_calls++;
  emitContractEvent(core, "tool.call", { id, name, arguments: args, turn: control.budget.used.turns });
}

/** Takes answers over in emitted order. An answer that fits no open call is dropped; none at all fails the batch. */
function* take<R>(core: Core, open: readonly ToolRequest[], input: unknown): CycleWalk<R> {
  const { control } = core;
  const answers = Array.isArray(input) ? input.filter(isAnswer) : [];
  const fitting = new Map<string, ToolAnswer[]>();
  for (const answer of answers) fitting.set(answer.id, [...(fitting.get(answer.id) ?? []), answer]);
  const none = !open.some((call) => fitting.has(call.id));
  for (const [index, call] of control.calls.entries()) {
    if (control.answers[index] !== null) continue;
    const answer = none
      ? refusal(call, "malformed tool result: no answer for this call", "malformed")
      : fitting.get(call.id)?.shift();
    if (answer !== undefined) yield* settle(core, index, answer);
  }
}

function isAnswer(value: unknown): value is ToolAnswer {
  if (typeof value !== "object" || value === null) return false;
  const { id, ok, error } = value as { id?: unknown; ok?: unknown; error?: unknown };
  return typeof id === "string" && (ok === true || (ok === false && typeof error === "string"));
}

/** Records one answer: hook first (it may change the result), then the event, so that the event tells what counts. */
function* settle<R>(core: Core, index: number, answer: ToolAnswer): CycleWalk<R> {
  const { control } = core;
  const call = control.calls[index] as ToolRequest;
  control.answers[index] = answer;
  const after = yield* fired(core, "after_tool_call", { call, result: answer }, null);
  if (after !== "pause" && !isFailed(after) && after.payload.result !== answer) {
    const changed = { ...(after.payload.result as object), id: call.id };
    if (isAnswer(changed)) control.answers[index] = changed;
    else yield* report(core, "after_tool_call: `result` must stay a tool result", "after_tool_call");
  }
  if (after !== "pause" && !isFailed(after) && after.skip) control.skipNext = true;
  const final = control.answers[index] as ToolAnswer;
  const { id, name } = call;
  if (final.ok) emitContractEvent(core, "tool.result", { id, name, index, value: final.value });
  else
    emitContractEvent(core, "tool.error", {
      id,
      name,
      index,
      error: final.error,
      category: final.category ?? "error",
    });
}

function* reflecting<R>(core: Core, program: CycleProgram<R>): CycleWalk<R> {
  const { control } = core;
  if (control.reflected === null) yield* reflectStep(core, program);
  const { next, status, reason } = control.reflected as unknown as Reflection;
  // Cleared last: a walk that is taken up after `step.end` must not tell it again.
  if (next === "done") yield* finish(core, "goal_met", status ?? "done", reason ?? "goal_met");
  else if (control.pauseAsked !== null) yield* pauseNow(core, program, control.resumeAt);
  else if (!(yield* limited(core, program, {}, control.resumeAt))) {
    if (next === "step") move(core, "EXECUTING", "next step");
    else move(core, "PLANNING", "replan");
  }
  control.reflected = null;
}

/** Up to `step.end`. */
function* reflectStep<R>(core: Core, program: CycleProgram<R>): CycleWalk<R> {
  const { control } = core;
  const step = currentStep(control);
  let reflection: Reflection;
  try {
    reflection = yield* program.reflect(step, control);
  } catch (thrown) {
    if (program.isFatal?.(thrown) === true) throw thrown;
    control.aborted = yield* report(core, thrown, "reflect");
    reflection = { next: "replan" };
  }
  const after = yield* fired(
    core,
    "after_step",
    { step, turn: control.budget.used.turns, ...reflection },
    null,
  );
  if (after !== "pause" && !isFailed(after)) {
    if (after.skip) control.skipNext = true;
    const { next } = after.payload;
    if (next === "step" || next === "replan" || next === "done") reflection = { ...reflection, next };
  }
  const more = control.step + 1 < (control.plan?.steps.length ?? 0);
  const next = reflection.next === "step" && (!more || control.replan) ? "replan" : reflection.next;
  if (next === "step") control.step++;
  if (next === "replan") control.plan = null;
  if (next !== "done") control.resumeAt = next === "step" ? "step" : "plan";
  control.reviewed = [];
  control.reflected = { ...reflection, next };
  const { status, reason } = reflection;
  const skipped = control.aborted === "skipped";
  emitContractEvent(core, "step.end", {
    step,
    turn: control.budget.used.turns,
    next,
    skipped,
    error: skipped ? null : control.aborted,
    ...(next === "done" && status !== undefined ? { status } : {}),
    ...(next === "done" && reason !== undefined ? { reason } : {}),
  });
}

/** A hook threw. */
interface StepFailure {
  readonly failed: string;
}

const isFailed = (said: HookOutcome | "pause" | StepFailure | undefined): said is StepFailure =>
  typeof said === "object" && "failed" in said;

/**
 * Fires a topic; errors are reported. A pause is answered once per `place` (the call's position in its batch): after
 * the review the same hook may say it again without stopping the loop a second time. Place `null`: the loop cannot
 * stop here, the pause is kept for the next place where it can.
 */
function* fired<R>(
  core: Core,
  topic: HookTopic,
  payload: HookPayload,
  place: string | null = "",
): CycleWalk<R, HookOutcome | "pause" | StepFailure> {
  const { control } = core;
  const result = core.hooks.has(topic) ? yield* fire(core.hooks, topic, payload) : untouched(payload);
  if (result.error !== undefined) {
    yield* report(core, result.error.thrown, topic);
    return { failed: textOfThrown(result.error.thrown) };
  }
  const key = `${topic}:${place}`;
  if (result.pause === undefined || control.reviewed.includes(key)) return result;
  control.pauseAsked = result.pause;
  if (place === null) return result;
  control.reviewed.push(key);
  return "pause";
}

/** Tells on_error and counts. An on_error hook that throws is not reported again. Gives the error's text. */
function* report<R>(core: Core, thrown: unknown, where: string): CycleWalk<R, string> {
  const error = textOfThrown(thrown);
  core.control.errors++;
  yield* fire(core.hooks, "on_error", { error, where, turn: core.control.budget.used.turns });
  return error;
}

/** The text of whatever was thrown. */
function textOfThrown(thrown: unknown): string {
  if (typeof thrown === "string") return thrown;
  if (thrown instanceof Error) return thrown.message;
  const message: unknown =
    typeof thrown === "object" && thrown !== null ? (thrown as { message?: unknown }).message : undefined;
  return typeof message === "string" ? message : String(thrown);
}

/** Looks at the budget; pauses and gives true when a limit stands in the way of using `next`. */
function* limited<R>(
  core: Core,
  program: CycleProgram<R>,
  next: Amounts,
  at: CycleResumePoint,
): CycleWalk<R, boolean> {
  const { control } = core;
  tick(control.budget, core.now);
  let kind = reachedLimit(control.budget, next);
  if (kind === undefined) return false;
  const tried = new Set<string>();
  while (kind !== undefined) {
    const { limits, used } = control.budget;
    const detail = { kind, limit: limits[kind] as number, used: used[kind] };
    const asked = yield* fire(core.hooks, "on_budget_exceeded", { ...detail });
    if (asked.error !== undefined) yield* report(core, asked.error.thrown, "on_budget_exceeded");
    emitContractEvent(core, "budget.warn", { ...detail, state: control.state });
    const extended =
      asked.resume?.extend !== undefined && extend(control.budget, asked.resume.extend as Amounts);
    // Once per limit: a hook that extends by too little must not keep the loop here.
    if (!extended || tried.has(kind)) {
      yield* yieldAt(core, program, at, `budget_exceeded:${kind}`, detail);
      return true;
    }
    tried.add(kind);
    kind = reachedLimit(control.budget, next);
  }
  return false;
}

function* pauseNow<R>(core: Core, program: CycleProgram<R>, at: CycleResumePoint): CycleWalk<R> {
  const reason = core.control.pauseAsked ?? "paused";
  core.control.pauseAsked = null;
  yield* yieldAt(core, program, at, reason, null);
}

/** Goes to IDLE. An on_pause hook may resume at once; a budget pause only by extending the budget. */
function* yieldAt<R>(
  core: Core,
  program: CycleProgram<R>,
  at: CycleResumePoint,
  reason: string,
  detail: unknown,
): CycleWalk<R> {
  const { control } = core;
  control.resumeAt = at;
  control.paused = { reason, detail };
  move(core, "IDLE", "pause");
  const result = yield* fire(core.hooks, "on_pause", { reason, detail });
  if (result.error !== undefined) yield* report(core, result.error.thrown, "on_pause");
  const calls = at === "dispatch" ? control.calls : [];
  const { plan, step } = control;
  emitContractEvent(core, "session.pause", {
    reason,
    detail,
    at,
    turns: control.budget.used.turns,
    plan,
    step,
    calls,
  });
  stopClock(control.budget);
  const wanted = result.resume;
  if (wanted === undefined) return;
  const budget = reason.startsWith("budget_exceeded:");
  const grows = wanted.extend !== undefined && extend(control.budget, wanted.extend as Amounts);
  if (budget && !grows && wanted.close === undefined) return;
  const { extend: _done, ...rest } = wanted;
  yield* resumed(core, program, rest);
}

function* finish<R>(core: Core, because: Because, status: string, reason: string): CycleWalk<R> {
  const { control } = core;
  control.completion = { status, reason };
  control.pauseAsked = null;
  move(core, "DONE", because);
  const result = yield* fire(core.hooks, "on_complete", { status, reason });
  if (result.error !== undefined) yield* report(core, result.error.thrown, "on_complete");
  const { turns, tool_calls } = control.budget.used;
  emitContractEvent(core, "session.complete", { status, reason, turns, tool_calls });
  stopClock(control.budget);
}

function move(core: Core, to: StateName, because: Because): void {
  tick(core.control.budget, core.now);
  transition(core.control, to, because);
}

function emitContractEvent<T extends EventType>(core: Core, type: T, data: EventData[T]): void {
  core.events.append(type, data, core.now ?? null);
}

/** A caller's resume payload; what does not fit is left out. */
function resumePayload(value: unknown): ResumePayload {
  if (typeof value !== "object" || value === null) return {};
  const { extend: more, close, input } = value as { extend?: unknown; close?: unknown; input?: unknown };
  const payload: {
    extend?: Record<string, number>;
    close?: { status?: string; reason?: string };
    input?: unknown;
  } = {};
  if (typeof more === "object" && more !== null) payload.extend = more as Record<string, number>;
  if (typeof close === "object" && close !== null)
    payload.close = close as { status?: string; reason?: string };
  else if (close === true) payload.close = {};
  if (input !== undefined) payload.input = input;
  return payload;
}
