/**
 * Dispatch: the calls of one turn, decided and run (agents.md §8.1).
 *
 * One call goes through these decisions, and the first that ends it is its outcome:
 *
 *     read arguments ─▶ 1 normalise ─▶ 2 structural tool ─▶ 3 unknown ─▶ 4–7 gates (policy, permissions, approval, hooks)
 *        ─▶ 8 schema ─▶ 9 middleware ─▶ 10 executor ⟲ 11 retries ─▶ 12 after-hooks ─▶ 13 output limit
 *
 * A gate that changes arguments sends the call through all gates again, so that nothing slips past an earlier decision.
 * Each call runs in a child task of its own, numbered by its place in the batch: what it does outside is journalled on
 * its own path, and concurrent calls replay in the same order. Whatever a tool does, the batch ends with one outcome
 * per call in emitted order; only what must end the loop itself (an interruption, a bug of ours) leaves it as a rejection.
 */

import { nearest } from "../../diagnostics/index.ts";
import { backoffMs } from "../../effects/index.ts";
import {
  elapsedMs,
  pauseTask,
  runParallel,
  scriptMonotonicMs,
  type Task,
  withDeadline,
  withinTime,
} from "../../interp/index.ts";
import type {
  DispatchOptions,
  GateDecision,
  PendingCall,
  StructuralTool,
  ToolCall,
  ToolDenial,
  ToolEntry,
  ToolOutcome,
  ToolSet,
} from "../../model/index.ts";
import { argumentProblem, argumentValues, handlerArguments, normaliseArguments } from "../../model/index.ts";
import {
  compareTexts,
  Dict,
  display,
  jsErrorText,
  List,
  type MaybePromise,
  modelText,
  ScriptError,
  thrown,
  uncaughtText,
  type Value,
} from "../../values/index.ts";
import { openChanges } from "./call-changes.ts";
import { BatchEvents } from "./call-events.ts";
import { callHost } from "./host-bridge.ts";
import {
  defaultOutputLimit,
  failedCall,
  invalidArguments,
  refused,
  succeeded,
  unavailable,
  withText,
} from "./outcome.ts";

/** Runs a batch. Outcomes are in call order. */
export async function dispatchBatch(
  task: Task,
  calls: readonly ToolCall[],
  set: ToolSet,
  options: DispatchOptions,
): Promise<ToolOutcome[]> {
  const outcomes: ToolOutcome[] = [];
  const events = new BatchEvents(task, set, options);
  const limit = Math.max(1, options.maxConcurrent ?? 1);
  const run = async (child: Task, _item: Value, index: number): Promise<Value> => {
    outcomes[index] = await dispatchOne(child, calls[index] as ToolCall, index, { set, options, events });
    return null;
  };
  const all = (): MaybePromise<unknown> =>
    runParallel(task, "each", new List(calls.map((_call, index) => index)), run, limit);
  const { time } = options;
  if (time === undefined) await all();
  else await withinTime(task, time.left, all, time.late);
  for (const [index, call] of calls.entries()) {
    if (outcomes[index] !== undefined) continue;
    const outcome = stopped(call, time?.text ?? "", options);
    outcomes[index] = outcome;
    await events.stopped(task, call, index, outcome);
  }
  return outcomes;
}

/** A call that was ended by the limits of its loop, or not begun. */
function stopped(call: ToolCall, why: string, options: DispatchOptions): ToolOutcome {
  const text = `Tool '${call.name}' was stopped or not run: ${why}.`;
  const reached = { executor: null, durationMs: 0, attempts: 0 };
  return failedCall(call, argumentValues(call), text, "timeout", outputLimit(options), reached);
}

/** Runs one call in the task given, which is its own. */
export const dispatchCall = (
  task: Task,
  call: ToolCall,
  set: ToolSet,
  options: DispatchOptions,
): Promise<ToolOutcome> =>
  dispatchOne(task, call, 0, { set, options, events: new BatchEvents(task, set, options) });

/** A call that may be tried again says so. */
function withEntryRetries(
  task: Task,
  call: ToolCall,
  index: number,
  { options, events }: CallBatch,
): DispatchOptions {
  if ((options.retries ?? 0) === 0) return options;
  const retrying: DispatchOptions["retrying"] = (attempt, delay, reason) =>
    events.retrying(task, call, index, { attempt, delay, reason });
  return { ...options, retrying };
}

interface CallBatch {
  readonly set: ToolSet;
  readonly options: DispatchOptions;
  readonly events: BatchEvents;
}

async function dispatchOne(
  task: Task,
  call: ToolCall,
  index: number,
  batch: CallBatch,
): Promise<ToolOutcome> {
  const { set, events } = batch;
  const begun = events.began(task, call, index);
  if (begun instanceof Promise) await begun;
  const outcome = await decide(task, call, index, set, withEntryRetries(task, call, index, batch));
  const finished = events.finished(task, call, index, outcome);
  if (finished instanceof Promise) await finished;
  return outcome;
}

async function decide(
  task: Task,
  call: ToolCall,
  index: number,
  set: ToolSet,
  options: DispatchOptions,
): Promise<ToolOutcome> {
  const entry = set.byName.get(call.name);
  const callArguments = argumentValues(call);
  const args = entry === undefined ? callArguments : normaliseArguments(entry, callArguments);
  const pending: PendingCall = {
    call,
    entry,
    arguments: args,
    sessionId: options.sessionId,
    iteration: options.iteration,
    index,
  };
  const structural = options.structural?.get(call.name);
  if (call.parseError !== null) return malformed(call, args);
  if (structural !== undefined) return await answerStructural(task, pending, structural, options);
  if (entry === undefined) return missing(pending, set, options);
  return await passCallGates(task, pending, entry, options);
}

/** Under a ceiling over names the ceiling speaks. */
function missing(pending: PendingCall, set: ToolSet, options: DispatchOptions): ToolOutcome {
  const { call, arguments: args } = pending;
  for (const gate of options.gates ?? []) {
    const denial = gate.unknown?.(call.name);
    if (denial === undefined) continue;
    options.onDenied?.(pending, denial);
    return refused(call, args, denial);
  }
  return unavailable(call, args, knownHint(call.name, set, options));
}

function malformed(call: ToolCall, args: Dict): ToolOutcome {
  const reason = `The arguments of '${call.name}' could not be read: ${call.parseError}`;
  return invalidArguments(
    call,
    args,
    reason,
    `Send the call again with one complete JSON object as its arguments.`,
  );
}

function knownHint(name: string, set: ToolSet, options: DispatchOptions): string {
  const names = [...(options.visible ?? set.byName.keys())].sort(compareTexts);
  const near = nearest(name, names);
  const hint = near === undefined ? "" : ` Did you mean '${near}'?`;
  return names.length === 0 ? hint : `${hint} Available tools: [${names.join(", ")}]`;
}

async function answerStructural(
  task: Task,
  pending: PendingCall,
  tool: StructuralTool,
  options: DispatchOptions,
): Promise<ToolOutcome> {
  const start = scriptMonotonicMs(task);
  options.reached?.("tool");
  const answer = await tool(task, pending);
  const reached = { executor: "harn" as const, durationMs: elapsedMs(task, start), attempts: 1 };
  const limit = outputLimit(options);
  if (answer.ok)
    return succeeded(
      pending.call,
      pending.arguments,
      answer.result ?? answer.text,
      answer.text,
      limit,
      reached,
    );
  return failedCall(pending.call, pending.arguments, answer.text, "tool_error", limit, reached);
}

// ── 4–7: gates ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Hooks that keep changing arguments are stopped here; two rounds suffice for every sane set of hooks. */
const maxRounds = 16;

async function passCallGates(
  task: Task,
  first: PendingCall,
  entry: ToolEntry,
  options: DispatchOptions,
): Promise<ToolOutcome> {
  options.reached?.("gate");
  const decided = await decideCall(task, first, entry, options);
  if (decided.kind === "ended") return decided.outcome;
  const { pending, approval } = decided;
  options.reached?.("tool");
  const changesOf = openChanges(task, entry);
  const outcome = await wrapped(task, pending, entry, options);
  const settled = approval === undefined ? outcome : { ...outcome, approval };
  const finished = await finish(task, pending, settled, options);
  return { ...finished, changes: changesOf(finished.ok) };
}

type DispatchDecision =
  | { readonly kind: "ended"; readonly outcome: ToolOutcome }
  | { readonly kind: "go"; readonly pending: PendingCall; readonly approval: Value | undefined };

/** Gates until they come to rest, then the schema. */
async function decideCall(
  task: Task,
  first: PendingCall,
  entry: ToolEntry,
  options: DispatchOptions,
): Promise<DispatchDecision> {
  const gates = options.gates ?? [];
  let pending = first;
  for (let round = 0; ; round++) {
    const decision = await askGates(task, pending, gates, round > 0);
    if (decision.kind === "deny") return ended(deniedOutcome(pending, decision.denial, options));
    if (decision.kind === "allow") {
      const problem = argumentProblem(task.runtime, entry, pending.arguments);
      if (problem === undefined) return { kind: "go", pending, approval: decision.approval };
      return ended(invalidArguments(pending.call, pending.arguments, problem.reason, problem.nextStep));
    }
    if (round === maxRounds) {
      const reason = `hooks keep changing the arguments of '${entry.name}'`;
      return ended(deniedOutcome(pending, { gate: "hook", reason, retryable: false }, options));
    }
    pending = { ...pending, arguments: normaliseArguments(entry, decision.arguments) };
  }
}

function deniedOutcome(pending: PendingCall, denial: ToolDenial, options: DispatchOptions): ToolOutcome {
  options.onDenied?.(pending, denial);
  return refused(pending.call, pending.arguments, denial);
}

const ended = (outcome: ToolOutcome): DispatchDecision => ({ kind: "ended", outcome });

/** On a second round a gate that changes nothing more must come to rest: the same change again counts as allowing. */
async function askGates(
  task: Task,
  pending: PendingCall,
  gates: readonly { decide(task: Task, pending: PendingCall): MaybePromise<GateDecision> }[],
  again: boolean,
): Promise<GateDecision> {
  let approval: Value | undefined;
  for (const gate of gates) {
    const decision = await gate.decide(task, pending);
    if (decision.kind === "deny") return decision;
    if (decision.kind === "change") {
      if (again && sameArguments(decision.arguments, pending.arguments)) continue;
      return decision;
    }
    approval = decision.approval ?? approval;
  }
  return approval === undefined ? { kind: "allow" } : { kind: "allow", approval };
}

const sameArguments = (a: Dict, b: Dict): boolean => a === b || display(a) === display(b);

// ── 9–11: middleware, executor, retries ───────────────────────────────────────────────────────────────────────────

function wrapped(
  task: Task,
  pending: PendingCall,
  entry: ToolEntry,
  options: DispatchOptions,
): MaybePromise<ToolOutcome> {
  const { wrap } = options;
  if (wrap === undefined) return execute(task, pending, entry, options);
  return guarded(task, pending, options, () =>
    wrap(task, pending, (inner, args) => proceedWith(inner, pending, args, entry, options)),
  );
}

/** What `next` of middleware does: other arguments than those decided about are decided about again. */
async function proceedWith(
  task: Task,
  pending: PendingCall,
  args: Dict,
  entry: ToolEntry,
  options: DispatchOptions,
): Promise<ToolOutcome> {
  if (sameArguments(args, pending.arguments)) return execute(task, pending, entry, options);
  const changed = { ...pending, arguments: normaliseArguments(entry, args) };
  const decided = await decideCall(task, changed, entry, options);
  return decided.kind === "ended" ? decided.outcome : execute(task, decided.pending, entry, options);
}

/** Middleware that throws is an error of the call, not of the loop. */
async function guarded(
  task: Task,
  pending: PendingCall,
  options: DispatchOptions,
  body: () => MaybePromise<ToolOutcome>,
): Promise<ToolOutcome> {
  const start = scriptMonotonicMs(task);
  try {
    return await body();
  } catch (error) {
    const text = handlerErrorText(error);
    const reached = { executor: null, durationMs: elapsedMs(task, start), attempts: 0 };
    return failedCall(
      pending.call,
      pending.arguments,
      text,
      "tool_middleware_exception",
      outputLimit(options),
      reached,
    );
  }
}

async function execute(
  task: Task,
  pending: PendingCall,
  entry: ToolEntry,
  options: DispatchOptions,
): Promise<ToolOutcome> {
  const retries = Math.max(0, options.retries ?? 0);
  const start = scriptMonotonicMs(task);
  for (let attempt = 0; ; attempt++) {
    const outcome = await attemptOnce(task, pending, entry, options, start, attempt + 1);
    if (outcome.ok || attempt >= retries || outcome.attempts === 0) return outcome;
    const delay = backoffMs({ baseMs: options.backoffMs ?? 1000 }, attempt + 1);
    options.retrying?.(attempt + 1, delay, outcome.error ?? "");
    await pauseTask(task, delay);
  }
}

async function attemptOnce(
  task: Task,
  pending: PendingCall,
  entry: ToolEntry,
  options: DispatchOptions,
  start: number,
  attempts: number,
): Promise<ToolOutcome> {
  const { call, arguments: args } = pending;
  const limit = outputLimit(options);
  const reached = (): { executor: typeof entry.executor; durationMs: number; attempts: number } => ({
    executor: entry.executor,
    durationMs: elapsedMs(task, start),
    attempts,
  });
  const unreachable = notHere(entry);
  if (unreachable !== undefined)
    return { ...failedCall(call, args, unreachable, "tool_error", limit, reached()), attempts: 0 };
  const timeoutMs = entryTimeout(entry) ?? options.timeoutMs;
  try {
    const value = await runHandler(task, entry, call, args, timeoutMs);
    return succeeded(call, args, value, modelText(value), limit, reached());
  } catch (error) {
    const text = isElsewhere(entry) ? serverErrorText(error) : handlerErrorText(error);
    const late = timeoutMs !== undefined && isDeadline(error);
    const said = late ? `Tool '${entry.name}' did not finish within ${timeoutMs} ms and was stopped.` : text;
    return failedCall(call, args, said, late ? "timeout" : handlerErrorCategory(error), limit, reached());
  }
}

/** What keeps an entry from being run in this process. */
function notHere(entry: ToolEntry): string | undefined {
  if (entry.native !== undefined || entry.handler !== undefined) return undefined;
  switch (entry.executor) {
    case "harn":
      return `Tool '${entry.name}' has no handler.`;
    case "mcp_server":
      return `Tool '${entry.name}' runs on the MCP server '${entry.mcpServer ?? "?"}', which is not connected.`;
    // The host is asked, and the provider has run its own tools already.
    case "host_bridge":
    case "provider_native":
      return undefined;
  }
}

function runHandler(
  task: Task,
  entry: ToolEntry,
  call: ToolCall,
  args: Dict,
  timeoutMs: number | undefined,
): MaybePromise<Value> {
  const { native, handler } = entry;
  const body = (): MaybePromise<Value> => {
    if (native !== undefined) return native(task, args, call);
    if (handler === undefined && entry.executor === "host_bridge")
      return callHost(task, entry.hostCapability ?? "", args, call.id) ?? noHost(entry);
    // The provider has run its own tools already; there is nothing to tell.
    return handler === undefined ? "" : handler.call(task, handlerArguments(handler, args));
  };
  return timeoutMs === undefined ? body() : withDeadline(task, timeoutMs, body);
}

/** What went wrong there is said in the words that came from there. */
const isElsewhere = ({ executor, handler }: ToolEntry): boolean =>
  executor === "mcp_server" || (executor === "host_bridge" && handler === undefined);

function noHost({ name, hostCapability }: ToolEntry): never {
  throw thrown(
    `Tool '${name}' runs on the host (capability ${hostCapability ?? "?"}), and no host offers that.`,
  );
}

function entryTimeout(entry: ToolEntry): number | undefined {
  const timeout = entry.raw.get("timeout_ms");
  return typeof timeout === "number" && timeout > 0 ? timeout : undefined;
}

/** What the model is told of a handler's error. Anything but a script's error ends the loop, not the call. */
function handlerErrorText(error: unknown): string {
  if (!(error instanceof ScriptError)) throw error;
  return uncaughtText(error);
}

/** What went wrong elsewhere, in the words from there: nothing of the script threw it. */
export function serverErrorText(error: unknown): string {
  const value = error instanceof ScriptError ? error.value : null;
  return typeof value === "string" ? value : (jsErrorText(value) ?? handlerErrorText(error));
}

function handlerErrorCategory(error: unknown): string {
  if (!(error instanceof ScriptError)) return "tool_error";
  const { value } = error;
  const own = value instanceof Dict ? value.get("category") : undefined;
  return error.category ?? (typeof own === "string" ? own : "tool_error");
}

const isDeadline = (error: unknown): boolean =>
  error instanceof ScriptError && error.kind === "thrown" && error.value === "Deadline exceeded";

// ── 12–13 ─────────────────────────────────────────────────────────────────────────────────────────────────────────

async function finish(
  task: Task,
  pending: PendingCall,
  first: ToolOutcome,
  options: DispatchOptions,
): Promise<ToolOutcome> {
  let outcome = first;
  for (const after of options.after ?? []) {
    const text = await after(task, pending, outcome);
    if (text !== undefined) outcome = withText(outcome, text, outputLimit(options));
  }
  return outcome;
}

const outputLimit = (options: DispatchOptions): number => options.maxOutputChars ?? defaultOutputLimit;
