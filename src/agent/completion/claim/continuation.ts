/**
 * What a silent turn is answered with while a claim is awaited: first continuation prompts, then the demand for the claim
 * itself. With `completion` on they stand where nudges stand without it.
 */
import { giveFeedback } from "../../context/feedback.ts";
import { promptText } from "../../context/prompts/overrides.ts";
import { openItems } from "../../session/ledger.ts";
import { intervene } from "../../state/interventions.ts";
import type { Loop } from "../../state/loop-state.ts";
import { emitNamed, type Turn } from "../../state/requests.ts";
import { turnFields } from "../../state/turn-fields.ts";
import type { Lacking } from "../unfinished.ts";

/** Continuation prompts of a whole loop, however often its silence is broken. */
const maxPromptsOfLoop = 20;

/**
 * Whether a text without calls ends the turn of a conversation: `plain_answers`, and nothing that somebody asked for is open: a
 * contract, a plan that was approved in this loop, work items.
 */
export function isPlainAnswer(loop: Loop): boolean {
  const { options, conversation, state } = loop;
  if (options.completion?.plainAnswers !== true || conversation.contract !== null) return false;
  const isCarryingOut = state.slots.mode.changes > 0 && loop.agentMode() === "execute";
  const { workItems } = conversation;
  return !isCarryingOut && (workItems === null || openItems(workItems).length === 0);
}

/** Whether a silent turn still gets a continuation prompt. */
export function hasPrompts({ options, state }: Loop): boolean {
  const { streak, prompts } = state.slots.completion;
  return streak < (options.completion?.maxContinuationPrompts ?? 0) && prompts < maxPromptsOfLoop;
}

/** Whether a silent turn is answered with the demand for a claim. */
export function hasDemands({ options, state }: Loop): boolean {
  const { completion } = options;
  return (
    completion?.requireWorkComplete === true &&
    state.slots.completion.demands < completion.workCompleteMaxRetries
  );
}

/** Why nothing happened in a turn, where it was not simply talk. */
export type Silence = Exclude<Lacking, "declined"> | "garbled" | null;

const whySilent: Readonly<Record<NonNullable<Silence>, string>> = {
  empty: "Your last answer was empty.\n",
  cut: "Your last answer was cut off at the token limit.\n",
  garbled: "Your last message asked for tools in a form that can't be read.\n",
};

export function* givePrompt(loop: Loop, silence: Silence): Turn<void> {
  const { completion } = loop.state.slots;
  completion.streak++;
  completion.prompts++;
  const max = loop.options.completion?.maxContinuationPrompts ?? 0;
  const why = silence === null ? "" : whySilent[silence];
  const text = yield* promptText(loop, "agent.continuation_prompt", { why, count: completion.streak, max });
  const reason = "the turn called nothing and claimed nothing";
  yield* emitContinuation(loop, "silent", text, reason, { count: completion.streak, max, silence });
  if (loop.listens())
    yield* emitNamed("continuation_prompt", { count: completion.streak, max, ...turnFields(loop) });
}

export function* giveDemand(loop: Loop): Turn<void> {
  const { completion } = loop.state.slots;
  completion.demands++;
  completion.refusals.set("unclaimed", completion.demands);
  const max = loop.options.completion?.workCompleteMaxRetries ?? 0;
  const text = yield* promptText(loop, "agent.work_complete_missing", { n: completion.demands, max });
  yield* emitContinuation(loop, "unclaimed", text, "nobody claimed that the work is done", {
    count: completion.demands,
    max,
  });
  if (loop.listens())
    yield* emitNamed("completion_refused", {
      gate: "unclaimed",
      reason: "no claim",
      attempt: completion.demands,
    });
}

function* emitContinuation(
  loop: Loop,
  rule: string,
  text: string,
  reason: string,
  facts: Readonly<Record<string, string | number | null>>,
): Turn<void> {
  const { conversation, work } = loop;
  // There is nothing in an empty answer that a model should read again, and some vendors refuse one.
  if (facts.silence === "empty" && work.assistant !== null) conversation.hide(work.assistant, "unfinished");
  const before = conversation.log.length;
  yield* giveFeedback(loop, rule === "silent" ? "continuation" : "completion_refused", text);
  const messages = conversation.log.slice(before).map(({ id }) => id);
  yield* intervene(loop, { kind: "continuation", rule, reason, facts, messages, call: null });
}
