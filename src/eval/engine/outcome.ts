/**
 * What a trial left, as a dict that scorers see and the store keeps. It holds no ids of runs and no times but two, so that the
 * same trial makes the same bytes again.
 */
import type { Task } from "../../interp/index.ts";
import { type CallRole, conversations, messageValue } from "../../model/index.ts";
import { Dict, Float, List, textOf, toJson, type Value } from "../../values/index.ts";
import { evalNotes } from "../results.ts";
import type { TrialError } from "./trial-error.ts";
import { jsonValue, type TrialWatch } from "./trial-watch.ts";

export interface OutcomeFacts {
  readonly sample: string;
  readonly variant: string;
  readonly epoch: number;
  /** What the solver gave; null when it did not come to an end. */
  readonly result: Value;
  /** What it was asked, for a solver that is one model call. */
  readonly input: Value;
  readonly world: Value;
  readonly files: Value;
  readonly error: TrialError | null;
  readonly workingMs: number;
  readonly wallMs: number;
}

export function outcomeOf(task: Task, facts: OutcomeFacts, watch: TrialWatch): Dict {
  const { result } = facts;
  const loop = result instanceof Dict && result.get("transcript") instanceof Dict ? result : null;
  const messages = messagesOf(task, facts, loop, watch);
  return Dict.of({
    sample: facts.sample,
    variant: facts.variant,
    epoch: facts.epoch,
    text: result === null && watch.limit !== null ? lastText(messages) : textOfResult(result),
    data: resultData(result, loop),
    messages: new List(messages),
    tools: new List(
      watch.tools.map(({ name, arguments: args, result: gave, ok }) =>
        Dict.of({ name, arguments: args, result: gave, ok }),
      ),
    ),
    status: loop?.get("status") ?? null,
    stop_reason: (result instanceof Dict ? result.get("stop_reason") : null) ?? null,
    world: facts.world,
    dialogue: (result instanceof Dict ? result.get("dialogue") : null) ?? null,
    files: facts.files,
    metrics: outcomeMetrics(task),
    usage: outcomeUsage(watch),
    turns: turnsOf(loop, watch),
    working_ms: facts.workingMs,
    wall_ms: facts.wallMs,
    limit: watch.limit,
    error:
      facts.error === null ? null : Dict.of({ category: facts.error.category, message: facts.error.message }),
  });
}

/** The outcome without what differs from time to time: of it the receipt is made. */
export const withoutTimes = (outcome: Dict): Dict => outcome.without("working_ms").without("wall_ms");

function textOfResult(result: Value): string {
  if (typeof result === "string") return result;
  if (!(result instanceof Dict)) return JSON.stringify(toJson(result));
  for (const key of ["answer", "visible_text", "text", "output"]) {
    const value = result.get(key);
    if (typeof value === "string") return value;
    if (key === "answer" && value !== undefined && value !== null) return JSON.stringify(toJson(value));
  }
  return JSON.stringify(toJson(result));
}

function lastText(messages: readonly Value[]): string {
  const last = messages.findLast((one) => one instanceof Dict && one.get("role") === "assistant");
  const content = last instanceof Dict ? last.get("content") : null;
  return typeof content === "string" ? content : "";
}

/** The structured answer; a dict that is no result of the runtime's own is it whole. */
function resultData(result: Value, loop: Dict | null): Value {
  if (!(result instanceof Dict)) return null;
  const isOwn = loop !== null || (result.has("provider") && result.has("model") && result.has("usage"));
  return isOwn || result.has("data") ? (result.get("data") ?? null) : jsonOnly(result);
}

const jsonOnly = (value: Value): Value => jsonValue(toJson(value));

const kept = ["role", "content", "name", "tool_calls", "tool_call_id", "is_error"];

function plainMessage(message: Value): Value {
  if (!(message instanceof Dict)) return message;
  const fields = kept.flatMap((key): [string, Value][] => {
    const value = message.get(key);
    return value === undefined || value === null ? [] : [[key, value]];
  });
  return jsonOnly(Dict.of(Object.fromEntries(fields)));
}

/** Of the loop that was returned; else of all loops of the agent in order; else of the one call there was. */
function messagesOf(
  task: Task,
  { input, result }: OutcomeFacts,
  loop: Dict | null,
  watch: TrialWatch,
): Value[] {
  const transcript = loop?.get("transcript");
  const own = transcript instanceof Dict ? transcript.get("messages") : null;
  if (own instanceof List) return own.toArray().map(plainMessage);
  const known = task.runtime.state(conversations);
  const said = watch.sessions.flatMap((session) =>
    (known.get(session)?.log ?? []).map(({ message }) => plainMessage(messageValue(message))),
  );
  if (said.length > 0) return said;
  const asked = input instanceof List ? input.toArray() : [Dict.of({ role: "user", content: input })];
  if (result === null) return asked.map(plainMessage);
  return [...asked, Dict.of({ role: "assistant", content: textOfResult(result) })].map(plainMessage);
}

function turnsOf(loop: Dict | null, watch: TrialWatch): number {
  const llm = loop?.get("llm");
  const iterations = llm instanceof Dict ? llm.get("iterations") : null;
  if (typeof iterations === "number") return iterations;
  return Math.max(watch.turns, watch.usage.get("agent")?.calls ?? 0);
}

/** Figures of `eval_metric`; of a name that was noted several times the last. */
function outcomeMetrics(task: Task): Dict {
  const notes = task.runtime.state(evalNotes);
  return Dict.of(
    Object.fromEntries(
      notes.metrics.map((metric) => [textOf(metric.get("name") ?? ""), metric.get("value") ?? null]),
    ),
  );
}

function outcomeUsage(watch: TrialWatch): Dict {
  const figures = (role: CallRole): Dict | undefined => {
    const of = watch.usage.get(role);
    if (of === undefined) return undefined;
    const { inputTokens, outputTokens, costUsd, calls } = of;
    return Dict.of({
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cost_usd: new Float(costUsd),
      calls,
    });
  };
  const roles = (["agent", "user", "judge"] as const).flatMap((role): [string, Value][] => {
    const found = figures(role);
    return found === undefined ? [] : [[role, found]];
  });
  const all = [...watch.usage.values()];
  const sum = (of: (one: (typeof all)[number]) => number): number =>
    all.reduce((total, one) => total + of(one), 0);
  return Dict.of({
    input_tokens: sum((one) => one.inputTokens),
    output_tokens: sum((one) => one.outputTokens),
    cost_usd: new Float(sum((one) => one.costUsd)),
    calls: sum((one) => one.calls),
    by_role: Dict.of(Object.fromEntries(roles)),
  });
}
