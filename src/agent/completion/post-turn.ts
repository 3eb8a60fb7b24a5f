/** `post_turn_callback`: the script's own word after every turn (agents.md §10.3, point 4). */

import { type ToolOutcome, userMessageKind } from "../../model/index.ts";
import { at, refusal } from "../../table/index.ts";
import { type Callable, Dict, List, thrown, typeOf, type Value } from "../../values/index.ts";
import { giveFeedback } from "../context/feedback.ts";
import { loopFields, ownOptions } from "../options/loop-fields.ts";
import { loopOptionsOf } from "../options/loop-options.ts";
import type { Loop } from "../state/loop-state.ts";
import { callBack, type Turn } from "../state/requests.ts";
import { outcomeDict } from "../tools/outcome.ts";

export type PostTurn =
  | { readonly kind: "nothing" }
  | { readonly kind: "continue" }
  | { readonly kind: "stop"; readonly reason: string };

const nothing: PostTurn = { kind: "nothing" };

/** Calls the callback, and does what it says. */
export function* postTurn(loop: Loop, callback: Callable): Turn<PostTurn> {
  const answer = yield* callBack(callback, postTurnPayload(loop));
  if (answer === null || answer === "" || answer === false) return nothing;
  if (answer === true) return { kind: "stop", reason: "post_turn_stop" };
  if (isOldNews(loop, answer)) return nothing;
  if (typeof answer === "string") {
    yield* giveFeedback(loop, "terminal_callback", answer);
    return { kind: "continue" };
  }
  if (!(answer instanceof Dict)) {
    throw thrown(
      `agent_loop: post_turn_callback must return nil, a string, a bool, or a dict; got ${typeOf(answer)}`,
    );
  }
  return yield* obey(loop, answer);
}

/**
 * Whether a callback says to a text answer word for word what it said to the tool calls before: it has not looked at the
 * answer, and the loop must not go on for it (agents.md §10.3).
 */
function isOldNews(loop: Loop, answer: Value): boolean {
  const { postTurn: slot } = loop.state.slots;
  const message =
    answer instanceof Dict ? (answer.get("message") ?? answer.get("user_message") ?? null) : answer;
  const said = typeof message === "string" ? message : null;
  if (loop.work.calls.length > 0) {
    slot.saidToTools = said;
    return false;
  }
  const stops = answer instanceof Dict && answer.get("stop") === true;
  return said !== null && said === slot.saidToTools && !stops;
}

function* obey(loop: Loop, answer: Dict): Turn<PostTurn> {
  const message = answer.get("message") ?? null;
  if (typeof message === "string" && message !== "") yield* giveFeedback(loop, "terminal_callback", message);
  const said = answer.get("user_message") ?? null;
  if (said !== null && typeof said !== "string")
    throw refusal(at("agent_loop", "post_turn_callback.user_message"), "string", said);
  if (said !== null && said !== "") yield* giveFeedback(loop, userMessageKind, said);
  if (answer.get("stop") === true) {
    const reason = answer.get("stop_reason");
    return { kind: "stop", reason: typeof reason === "string" && reason !== "" ? reason : "post_turn_stop" };
  }
  const next = mergedPayload(answer, "next_options");
  const llm = mergedPayload(answer, "llm_options");
  if (next !== null) changeOptions(loop, next);
  if (llm !== null) loop.overrides = (loop.overrides ?? new Dict()).merge(llm);
  return message !== null || (said ?? "") !== "" || next !== null || llm !== null
    ? { kind: "continue" }
    : nothing;
}

function mergedPayload(answer: Dict, name: string): Dict | null {
  const value = answer.get(name) ?? null;
  if (value === null) return null;
  if (!(value instanceof Dict)) throw refusal(at("agent_loop", `post_turn_callback.${name}`), "dict", value);
  let kept = value;
  for (const key of value.keys()) if (key.startsWith("_")) kept = kept.without(key);
  return kept;
}

function postTurnPayload(loop: Loop): Dict {
  const { work, state } = loop;
  const outcomes = work.outcomes.filter((outcome) => outcome !== null);
  const hasCalls = outcomes.length > 0;
  const names = (ok: boolean): List =>
    new List([...new Set(outcomes.filter((o) => o.ok === ok).map((o) => o.name))]);
  return Dict.of({
    session_id: state.sessionId,
    session: Dict.of({ id: state.sessionId }),
    iteration: work.iteration,
    has_tool_calls: hasCalls,
    dispatch: hasCalls ? Dict.of({ results: new List(outcomes.map(outcomeDict)) }) : null,
    tool_results: new List(outcomes.map(toolResult)),
    tool_count: outcomes.length,
    successful_tool_names: names(true),
    rejected_tool_names: names(false),
    session_successful_tools: new List([...state.tools.successful]),
    session_rejected_tools: new List([...state.tools.rejected]),
    text: work.text,
    visible_text: work.visible,
  });
}

function toolResult(outcome: ToolOutcome): Value {
  return Dict.of({
    tool_name: outcome.name,
    ok: outcome.ok,
    status: outcome.status,
    rendered_result: outcome.rendered,
    error: outcome.error ?? undefined,
  });
}

/** Lays `next` over the options; names that are not the loop's own go to the model calls. */
function changeOptions(loop: Loop, next: Dict): void {
  let model = loop.overrides ?? new Dict();
  let { input: raw } = loop.options;
  for (const [name, value] of next.entries()) {
    if (loopFields.get(name)?.fixed === true) {
      throw thrown(
        `agent_loop: post_turn_callback \`next_options\` can't change \`${name}\` while the loop runs`,
      );
    }
    if (name === "llm_options" && value instanceof Dict) model = model.merge(value);
    else if (ownOptions().has(name)) raw = raw.with(name, value);
    else model = model.with(name, value);
  }
  loop.overrides = model.size > 0 ? model : null;
  if (raw === loop.options.input) return;
  const before = loop.options.iterationBudget.max;
  loop.options = loopOptionsOf(raw);
  const { max } = loop.options.iterationBudget;
  if (max !== before) loop.core.control.budget.limits.turns = max;
}
