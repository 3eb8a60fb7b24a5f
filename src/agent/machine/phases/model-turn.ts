/** EXECUTING: one model call and what it means. */

import { failedCallText } from "../../../events/wire/index.ts";
import type { ModelError, ToolSet } from "../../../model/index.ts";
import { isResultText, modelTools, refusesHistory } from "../../../model/index.ts";
import { assembleContext } from "../../context/assemble.ts";
import { checkpoint } from "../../context/checkpoint.ts";
import { noteRequest, noteUsage } from "../../context/metering.ts";
import { compactAfterOverflow, overflowRetriesOf } from "../../context/passes/occasions.ts";
import { mendSent, repairRefused, repairView } from "../../context/repair/in-loop.ts";
import { emitContextUsage } from "../../context/usage.ts";
import { wasInterrupted } from "../../context/user-messages.ts";
import { hiddenTools } from "../../context/visible-tools.ts";
import type { FailureTolerance } from "../../policy/bound-fields.ts";
import { type Loop, usedTokens } from "../../state/loop-state.ts";
import { askModel, emit, emitNamed, type ModelAnswer, type Turn, wait } from "../../state/requests.ts";
import { turnLimit } from "../../state/turn-fields.ts";
import { interpretAnswer } from "./interpret.ts";

/** Calls the model with the assembled context; fills the turn's workspace. */
export function* modelTurn(loop: Loop): Turn<void> {
  const { work, route, core } = loop;
  if (loop.listens()) {
    const { provider, model } = route;
    const messages = work.context?.messages.length ?? 0;
    yield* emit("turn.start", { provider, model, messages, ...turnLimit(loop) });
    yield* emitContextUsage(loop);
  }
  yield* checkpoint(loop, "iteration_start", work.drained);
  const answer = yield* askWithin(loop);
  if (!answer.ok && (work.late || wasInterrupted(loop, answer.error))) return;
  // There is nothing left to take out: the loop has ended by that.
  if (!answer.ok && work.ending !== null) return;
  if (!answer.ok) return yield* modelFailed(loop, answer);
  const { response } = answer;
  const { usage } = loop.state;
  loop.state.iterations++;
  loop.state.modelFailures = 0;
  loop.state.slots.emptyRetries.count += answer.emptyRetries;
  if (loop.state.slots.ladder.sent !== null) noteUsage(loop, response.usage);
  usage.input += response.usage.input_tokens;
  usage.output += response.usage.output_tokens;
  usage.modelMs += answer.durationMs;
  const costUsd = response.cost_usd ?? 0;
  usage.costUsd += costUsd;
  Object.assign(work.call, {
    inputTokens: response.usage.input_tokens,
    outputTokens: response.usage.output_tokens,
    costUsd,
    durationMs: answer.durationMs,
    thinkingChars: response.thinking?.length ?? 0,
  });
  core.control.budget.used.tokens = usedTokens(loop.state);
  core.control.budget.used.cost_usd = usage.costUsd;
  loop.reached("read");
  yield* interpretAnswer(loop, response);
  if (loop.listens()) yield* emitAnswer(loop, response.thinking);
}

/** Whole, and once it is read: pieces of an answer may turn out to be a tool call. */
function* emitAnswer({ work }: Loop, thinking: string | null): Turn<void> {
  if (thinking !== null && thinking !== "") yield* emit("thought.end", { text: thinking });
  const message = work.assistant?.id ?? null;
  if (message !== null || work.visible !== "")
    yield* emit("message.end", { message, role: "assistant", text: work.visible });
}

/**
 * Asks, all within one iteration: a conversation that is too long for the model is made shorter and sent again, one that a
 * vendor calls broken is repaired strictly and sent once more.
 */
function* askWithin(loop: Loop): Turn<ModelAnswer> {
  let refused = false;
  for (let cuts = 0; ; ) {
    const answer = yield* askForTurn(loop);
    if (answer.ok) return answer;
    if (answer.error.reason === "context_overflow") {
      if (cuts === overflowRetriesOf(loop) || !(yield* compactAfterOverflow(loop, cuts))) return answer;
      cuts++;
    } else if (refusesHistory(answer.error) && !refused) {
      refused = true;
      yield* repairRefused(loop);
    } else return answer;
    yield* assembleContext(loop);
  }
}

function* askForTurn(loop: Loop): Turn<ModelAnswer> {
  const { work, conversation } = loop;
  const context = work.context ?? bareContext(loop);
  const own = context.messages === conversation.view;
  yield* repairView(loop);
  const messages = own ? conversation.view : yield* mendSent(loop, context.messages);
  work.seenLength = conversation.log.length;
  conversation.seen.call({
    loop: loop.identity.id,
    turn: work.iteration + 1,
    log: conversation.log.length,
    plan: conversation.plan,
    system: context.parts,
    sent: context.sent,
    tools: namesOf(loop.visible),
    hidden: conversation.seen.watched ? hiddenTools(loop) : [],
    interventions: conversation.interventions.count,
  });
  const reading = loop.options.ladder === null ? null : noteRequest(loop);
  loop.reached("model");
  return yield* askModel({
    reading,
    system: context.system,
    messages,
    tools: loop.channel === "native" ? modelTools(loop.visible) : [],
    providerTools: loop.disclosure?.mode === "native" ? loop.disclosure.providerTools : [],
    overrides: loop.overrides,
    iteration: work.iteration + 1,
  });
}

/** Nothing was assembled: the caller's text and the view. */
const bareContext = ({ system, conversation }: Loop): NonNullable<Loop["work"]["context"]> => ({
  system,
  parts: system === null ? [] : [{ id: "caller", text: system }],
  messages: conversation.view,
  sent: null,
});

const toolNames = new WeakMap<ToolSet, readonly string[]>();

/** The names of the tools that the model is told of: one list for as long as they stay the same. */
function namesOf(tools: ToolSet): readonly string[] {
  const names = toolNames.get(tools) ?? tools.entries.map(({ name }) => name);
  toolNames.set(tools, names);
  return names;
}

/** A call that failed ends the loop, unless failures in a row are allowed (`consecutive_failures`). */
function* modelFailed(loop: Loop, answer: Extract<ModelAnswer, { ok: false }>): Turn<void> {
  const { state, work, options } = loop;
  const { error } = answer;
  const afterToolResult = isToolResult(loop);
  const own = answer.status === undefined ? null : { status: answer.status, value: answer.value ?? null };
  state.failure = { error, afterToolResult, budget: answer.budget ?? null, own };
  state.modelFailures++;
  loop.conversation.seen.failed({
    loop: loop.identity.id,
    turn: work.iteration + 1,
    text: failedCallText(error),
  });
  if (answer.status !== undefined) {
    work.ending = { status: answer.status, reason: answer.status };
  } else if (error.category === "budget_exceeded") {
    const total =
      answer.budget?.limit === "total_budget_usd" && options.iterationBudget.totalCostUsd !== null;
    const reason = answer.budget?.limit === "tokens" ? "tokens" : "budget_exhausted";
    work.ending = { status: "budget_exhausted", reason: total ? "total_cost_usd" : reason };
  } else {
    const tolerance = options.iterationBudget.consecutiveFailures;
    if (tolerance === null || !livesWith(tolerance, error))
      work.ending = { status: "provider_error", reason: "provider_error" };
    else if (state.modelFailures < tolerance.max) yield* wait(tolerance.pausedForMs);
    else {
      if (loop.listens())
        yield* emitNamed("budget_circuit_breaker", {
          reason: "consecutive_failures",
          limit: tolerance.max,
          used: state.modelFailures,
        });
      work.ending = { status: "budget_exhausted", reason: "circuit_breaker" };
    }
  }
}

const livesWith = ({ kinds }: FailureTolerance, { category, kind, reason }: ModelError): boolean =>
  kinds === null || kinds.has(category) || kinds.has(kind) || kinds.has(reason);

/** Whether the request that failed ended in what tools had said. */
function isToolResult(loop: Loop): boolean {
  const last = loop.conversation.shown.at(-1)?.message;
  if (last === undefined) return false;
  if (last.role === "tool" || last.role === "tool_result") return true;
  return typeof last.content === "string" && isResultText(last.content);
}
