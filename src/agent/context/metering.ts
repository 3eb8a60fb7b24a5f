/** The meter of a running loop: what the coming request takes, against what it may have. */
import type { ModelUsage } from "../../model/index.ts";
import { modelTools, type ToolSet } from "../../model/index.ts";
import type { LadderSettings } from "../options/ladder-options.ts";
import type { Loop } from "../state/loop-state.ts";
import {
  estimateTokens,
  factorOf,
  inputBudget,
  measures,
  messageWeight,
  type RequestSize,
  rawTokens,
  textWeight,
  usualWindow,
  viewWeight,
} from "./meter.ts";

const toolWeights = new WeakMap<ToolSet, number>();

function toolsWeight({ channel, visible }: Loop): number {
  if (channel !== "native") return 0;
  let weight = toolWeights.get(visible);
  if (weight === undefined) {
    weight = textWeight(JSON.stringify(modelTools(visible)));
    toolWeights.set(visible, weight);
  }
  return weight;
}

/** Before the context is put together: the view with the system text of the last request. */
function comingRequest(loop: Loop): RequestSize {
  const { conversation, state } = loop;
  const { sum, system } = state.slots.ladder;
  const weight = viewWeight(sum, conversation.view, conversation.revision);
  const fixed = (system?.weight ?? textWeight(loop.system ?? "")) + toolsWeight(loop);
  return { weight: weight + fixed, messages: conversation.view.length };
}

/** The assembled request, exactly. */
function sentRequest(loop: Loop): RequestSize {
  const { conversation, state, work } = loop;
  const messages = work.context?.messages ?? conversation.view;
  const weight =
    messages === conversation.view
      ? viewWeight(state.slots.ladder.sum, conversation.view, conversation.revision)
      : messages.reduce((all, message) => all + messageWeight(message), 0);
  const slot = state.slots.ladder;
  const text = work.context?.system ?? loop.system ?? "";
  // System texts seldom change.
  if (slot.system?.text !== text) slot.system = { text, weight: textWeight(text) };
  return { weight: weight + slot.system.weight + toolsWeight(loop), messages: messages.length };
}

/** What is known of the coming request before it is assembled. */
export function meterOf(loop: Loop) {
  const { slots } = loop.state;
  const { anchor, system } = slots.ladder;
  const raw = rawTokens(comingRequest(loop));
  const factor = factorOf(anchor);
  const fixed = ((system?.weight ?? textWeight(loop.system ?? "")) + toolsWeight(loop)) / 4;
  return {
    tokens: estimateTokens(anchor, raw, loop.conversation.revision),
    budget: loopBudget(loop),
    factor,
    /** Tokens of what no compaction can make shorter: system text and tool schemas. */
    fixed: Math.ceil(fixed * factor),
  };
}

export type MeterReading = Readonly<ReturnType<typeof meterOf>>;

/** Tokens that a request of this loop may have. */
export function loopBudget(loop: Loop): number {
  const { options, state, contextWindow } = loop;
  const { window } = state.slots.ladder;
  const named = options.ladder?.maxInputTokens ?? null;
  if (window !== null) {
    const shown = inputBudget({ window, maxTokens: 0, maxInputTokens: null });
    return named === null ? shown : Math.min(named, shown);
  }
  const maxTokens = options.llmOptions?.get("max_tokens") ?? options.raw.get("max_tokens") ?? null;
  return inputBudget({
    window: contextWindow,
    maxTokens: typeof maxTokens === "number" ? maxTokens : null,
    maxInputTokens: named,
  });
}

/** The request that goes out now; gives what events say of it. */
export function noteRequest(loop: Loop): { readonly tokens: number; readonly budget: number } {
  const slot = loop.state.slots.ladder;
  const raw = rawTokens(sentRequest(loop));
  const { revision } = loop.conversation;
  const tokens = estimateTokens(slot.anchor, raw, revision);
  slot.sent = { raw, tokens, revision };
  return { tokens, budget: loopBudget(loop) };
}

/** The assembled request as a gauge shows it. `anchored`: the vendor has counted one that this one goes on from. */
export function gaugeOf(loop: Loop): {
  readonly tokens: number;
  readonly anchored: boolean;
  readonly parts: { readonly system: number; readonly tools: number; readonly messages: number };
} {
  const { anchor } = loop.state.slots.ladder;
  const request = sentRequest(loop);
  const tokens = estimateTokens(anchor, rawTokens(request), loop.conversation.revision);
  const system = Math.ceil((loop.state.slots.ladder.system?.weight ?? 0) / 4);
  const tools = Math.ceil(toolsWeight(loop) / 4);
  const parts = { system, tools, messages: Math.max(0, tokens - system - tools) };
  return { tokens, anchored: anchor !== null, parts };
}

/** Tokens from which a pass is made: a part of the budget, or of the window as far as the budget allows it. */
export function softTokens(loop: Loop, { soft, hard, ratio }: LadderSettings): number {
  const budget = loopBudget(loop);
  if (ratio === null) return soft * budget;
  const window = loop.state.slots.ladder.window ?? loop.contextWindow ?? usualWindow;
  return Math.min(ratio * window, hard * budget);
}

/** How the vendor counted what was sent. Counts that nobody made are no anchor, nor are those that contradict each other. */
export function noteUsage(loop: Loop, { input_tokens: actual, estimated, assumed }: ModelUsage): void {
  const slot = loop.state.slots.ladder;
  if (slot.sent === null || actual <= 0 || estimated === true || assumed === true) return;
  const counted = { actual, raw: slot.sent.raw, revision: slot.sent.revision };
  slot.anchor = measures(counted, slot.counted) ? counted : null;
  slot.counted = counted;
}

/** A refused window is smaller than was thought: nine tenths of what was sent. */
export function noteRefusal(loop: Loop): void {
  const slot = loop.state.slots.ladder;
  const sent = slot.sent?.tokens ?? meterOf(loop).tokens;
  slot.window = Math.max(1, Math.floor(sent * 0.9));
}
