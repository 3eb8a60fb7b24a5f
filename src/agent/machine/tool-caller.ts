/**
 * `tool_caller` (agents.md §13.2): a function of the script around the executor of each call that passed its gates.
 *
 *     pending ─▶ callInput ─▶ tool_caller(call, next) ─▶ result dict ─▶ outcomeOf
 *                                          └ next(call) ─▶ execute ─▶ outcomeDict
 *
 * What the script gives back counts: status, text and arguments may be its own. Invariants: one outcome per call;
 * anything that is no result is an error of the call with category `tool_middleware_exception`, not of the loop.
 */

import { NativeCallable } from "../../interp/index.ts";
import type { PendingCall, ToolEntry, ToolOutcome, ToolWrapper } from "../../model/index.ts";
import { at, refusal } from "../../table/index.ts";
import {
  Callable,
  Dict,
  display,
  fromJson,
  List,
  type MaybePromise,
  proceed,
  thrown,
  typeOf,
  type Value,
} from "../../values/index.ts";
import type { LaidOn } from "../state/below/laid-on.ts";
import type { Loop } from "../state/loop-state.ts";
import { errorFrame, outcomeDict, resultFrame } from "../tools/outcome.ts";

/** What dispatch puts around the executor: the callers of the loops around the call, the outermost without. */
export function toolWrapper(loop: Loop, laid: readonly LaidOn[]): ToolWrapper | undefined {
  const callers = laid.flatMap(({ toolCaller }) => (toolCaller === null ? [] : [toolCaller]));
  return callers.reduceRight<ToolWrapper | undefined>((inner, caller) => {
    const wrap = wrapperOf(loop, caller);
    if (inner === undefined) return wrap;
    return (task, pending, next) =>
      wrap(task, pending, (at, args) => inner(at, { ...pending, arguments: args }, next));
  }, undefined);
}

function wrapperOf(loop: Loop, caller: Callable): ToolWrapper {
  return (task, pending, next) => {
    // What ran last: where the dict that comes back says nothing else, it is the outcome.
    let inner: ToolOutcome | undefined;
    const nextCall = new NativeCallable("next", ["call"], (at, args) =>
      proceed(next(at, nextArguments(pending, args[0])), (outcome) => {
        inner = outcome;
        return outcomeDict(outcome);
      }),
    );
    const answer: MaybePromise<Value> = caller.call(task, [callInput(loop, pending), nextCall]);
    return proceed(answer, (value) => outcomeOf(pending, value, inner));
  };
}

function nextArguments(pending: PendingCall, call: Value | undefined): Dict {
  if (!(call instanceof Dict)) throw thrown("tool_caller: next requires the call dict");
  const name = call.get("tool_name");
  if (name !== pending.call.name)
    throw thrown(`tool_caller: next runs '${pending.call.name}', not '${display(name ?? null)}'`);
  const args = call.get("tool_args") ?? new Dict();
  if (!(args instanceof Dict)) throw refusal(at("tool_caller", "tool_args"), "dict", args);
  return args;
}

/** What the script sees of a call. */
export function callInput(loop: Loop, pending: PendingCall): Dict {
  const entry = pending.entry as ToolEntry;
  const { state, options, route } = loop;
  return Dict.of({
    tool_name: entry.name,
    tool_args: pending.arguments,
    call_id: pending.call.id,
    description: entry.description,
    annotations: entry.annotations ?? null,
    declared_executor: entry.executor,
    schema: fromJson(entry.inputSchema),
    turn: Dict.of({
      iteration: pending.iteration + 1,
      session_id: state.sessionId,
      run_id: state.sessionId,
      tool_call_index: pending.index,
      model: route.model,
      provider: route.provider,
      max_concurrent_tools: options.maxConcurrentTools,
      prefetch_next_turn: options.prefetchNextTurn,
    }),
  });
}

function outcomeOf(pending: PendingCall, answer: Value, inner: ToolOutcome | undefined): ToolOutcome {
  if (!(answer instanceof Dict))
    throw thrown(`agent_loop: tool_caller must return a dict; got ${typeOf(answer)}`);
  if (typeof answer.get("tool_name") !== "string")
    throw thrown("agent_loop: tool_caller result missing `tool_name`");
  const ok = isOkResult(answer);
  if (ok === undefined) throw thrown("agent_loop: tool_caller result missing `ok`/`success`/`status`");
  const result = answer.get("result") ?? null;
  const rendered = textOrUndefined(answer.get("rendered_result")) ?? (ok ? shown(result) : "");
  const error = ok
    ? null
    : (textOrUndefined(answer.get("error")) ?? (rendered === "" ? "the tool call failed" : rendered));
  const args = answer.get("arguments");
  const status = answer.get("status");
  const denial = status === "rejected" ? (inner?.denial ?? null) : null;
  const name = pending.call.name;
  const text = rendered === "" ? (error ?? "") : rendered;
  const frame = ok || denial !== null ? resultFrame : errorFrame;
  const audit = answer.get("audit") ?? null;
  const flushes = flushesOf(answer.get("_audit_flush"));
  return {
    callId: pending.call.id,
    name,
    ok,
    status: denial !== null ? "rejected" : ok ? "ok" : "error",
    arguments: args instanceof Dict ? args : (inner?.arguments ?? pending.arguments),
    result,
    rendered: text,
    observation: textOrUndefined(answer.get("observation")) ?? frame(name, text),
    error,
    errorCategory: ok ? null : (textOrUndefined(answer.get("error_category")) ?? "tool_error"),
    executor: inner?.executor ?? null,
    durationMs: inner?.durationMs ?? 0,
    attempts: inner?.attempts ?? 0,
    denial,
    own: answer,
    ...(audit === null ? {} : { audit }),
    ...(flushes.length === 0 ? {} : { flushes }),
  };
}

function isOkResult(answer: Dict): boolean | undefined {
  for (const key of ["ok", "success"]) {
    const value = answer.get(key);
    if (typeof value === "boolean") return value;
  }
  const status = answer.get("status");
  return typeof status === "string" ? status === "ok" || status === "success" : undefined;
}

const shown = (value: Value): string => (value === null ? "" : display(value));
const textOrUndefined = (value: Value | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

function flushesOf(value: Value | undefined): Callable[] {
  if (value instanceof Callable) return [value];
  return value instanceof List ? [...value].filter((item) => item instanceof Callable) : [];
}
