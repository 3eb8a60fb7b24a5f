/**
 * The meter: how many tokens the coming request takes of the model's window.
 *
 *     raw(request) = ceil(weights / 4) + 4 × messages         system text, tool schemas and messages as they are sent
 *     estimate     = A + (raw − R) × factor                   the request extends one whose count the vendor told: A for R
 *                  = raw × factor                             any other
 *
 * Letters of different scripts take different parts of a token: a UTF-16 unit weighs 1 below U+0080, 2 below U+0800,
 * else 4. Each message is weighed once, the sum of a view is carried on from turn to turn.
 */
import type { ModelMessage } from "../../model/index.ts";
import { argumentText } from "../../model/index.ts";
import type { UsageAnchor, ViewWeight } from "../state/ladder-slot.ts";

/** A request, as far as its size goes. */
export interface RequestSize {
  /** Summed weights of everything that is sent. */
  readonly weight: number;
  readonly messages: number;
}

/** What a picture weighs. */
const pictureWeight = 4800;
/** What a message takes besides its text. */
const perMessage = 4;
const perToken = 4;

/** Tokens before anybody has said how the model counts. */
export const rawTokens = ({ weight, messages }: RequestSize): number =>
  Math.ceil(weight / perToken) + perMessage * messages;

/** The weight of a text. */
export function textWeight(text: string): number {
  let weight = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x80) weight += unit < 0x800 ? 1 : 3;
  }
  return weight;
}

const weighed = new WeakMap<ModelMessage, number>();

/** The weight of a message: content, calls and reasoning. Messages never change, so each is weighed once. */
export function messageWeight(message: ModelMessage): number {
  let weight = weighed.get(message);
  if (weight === undefined) {
    weight = weigh(message);
    weighed.set(message, weight);
  }
  return weight;
}

function weigh({ content, tool_calls: calls, reasoning }: ModelMessage): number {
  let weight = 0;
  if (typeof content === "string") weight += textWeight(content);
  else for (const block of content ?? []) weight += "text" in block ? textWeight(block.text) : pictureWeight;
  for (const call of calls ?? []) weight += textWeight(call.name) + textWeight(argumentText(call.arguments));
  for (const part of reasoning ?? []) weight += textWeight(JSON.stringify(part.item));
  return weight;
}

/** Brings the sum up to the view; `revision` changes whenever something went out of it. */
export function viewWeight(sum: ViewWeight, view: readonly ModelMessage[], revision: number): number {
  if (sum.revision !== revision || sum.length > view.length) {
    sum.revision = revision;
    sum.length = 0;
    sum.weight = 0;
  }
  for (; sum.length < view.length; sum.length++)
    sum.weight += messageWeight(view[sum.length] as ModelMessage);
  return sum.weight;
}

const leastFactor = 0.5;
const maxFactor = 3;

/** How the model counts, against our arithmetic; 1 before it has said so. */
export const factorOf = (anchor: UsageAnchor | null): number =>
  anchor === null || anchor.raw === 0
    ? 1
    : Math.min(maxFactor, Math.max(leastFactor, anchor.actual / anchor.raw));

/**
 * Whether a count measures the prompt. A request that goes on from the one before has more tokens than that one; a count that
 * did not grow with it leaves out what the vendor had in its cache, or is a constant of a script.
 */
export const measures = (counted: UsageAnchor, before: UsageAnchor | null): boolean =>
  before === null ||
  before.revision !== counted.revision ||
  counted.raw <= before.raw ||
  counted.actual > before.actual;

/** The estimate for a request that is sent with the view of this revision. */
export function estimateTokens(anchor: UsageAnchor | null, raw: number, revision: number): number {
  const factor = factorOf(anchor);
  if (anchor !== null && anchor.revision === revision && raw >= anchor.raw)
    return Math.round(anchor.actual + (raw - anchor.raw) * factor);
  return Math.round(raw * factor);
}

/** What is known of the window of a route. */
export interface WindowFacts {
  /** Tokens that the model takes in; `null` when nobody knows. */
  readonly window: number | null;
  /** `max_tokens` of the coming call; `null` where nobody named it. */
  readonly maxTokens: number | null;
  /** The budget itself, where somebody named it (`max_input_tokens`). */
  readonly maxInputTokens: number | null;
}

/** The window of a model that nobody knows. */
export const usualWindow = 60_000;
/** What an answer is left where nobody says how long it may be. */
const usualAnswer = 4096;
/** Of the window: the error of everybody's arithmetic. */
const margin = 0.02;

/** Tokens that a request may have: the window without room for the answer and a margin. */
export function inputBudget({ window, maxTokens, maxInputTokens }: WindowFacts): number {
  if (maxInputTokens !== null) return maxInputTokens;
  const whole = window ?? usualWindow;
  const answer = Math.min(maxTokens ?? usualAnswer, Math.floor(whole / 4));
  return Math.max(1, Math.floor(whole - answer - whole * margin));
}
