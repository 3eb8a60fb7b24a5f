/** The view as strategies are shown it: each message with its group and results, and what room there is. */
import { Dict, Float, List, Shape, type Value } from "../../../values/index.ts";
import type { Rung } from "../../options/ladder-fields.ts";
import type { LadderSettings } from "../../options/ladder-options.ts";
import type { ResultDurability } from "../../tools/durability.ts";
import { messageWeight } from "../meter.ts";
import type { CallBody, MessageGroup, ReadWritten, ViewMessage } from "./exchanges.ts";
import { entryOfMessage, leavesView, type StrategyStep, strategyDict } from "./strategy.ts";

export type LadderTrigger = "soft" | "hard" | "context_overflow" | "manual" | "idle" | "tool";

/** Nothing may hold it back, and everything may go. */
export const isUrgent = (trigger: LadderTrigger): boolean =>
  trigger === "hard" || trigger === "context_overflow";

/** Tokens of a message of this weight. */
export const sizeOfWeight = (weight: number, factor: number): number => (weight / 4 + 4) * factor;

/** A pass that frees less than this part of the budget is none. */
export const leastFreed = 0.02;

/** Tokens that a summary may have: 12 % of the budget within 1,000 … 8,000, never over a quarter. */
export const summaryCap = (budget: number): number =>
  Math.floor(Math.min(budget / 4, Math.min(8000, Math.max(1000, budget * 0.12))));

export interface LadderInput {
  readonly view: readonly ViewMessage[];
  /** The running loop's prompt. */
  readonly task: string | null;
  readonly trigger: LadderTrigger;
  /** Estimate of the coming request. */
  readonly tokens: number;
  readonly factor: number;
  readonly budget: number;
  readonly settings: LadderSettings;
  /** How far a result can be had again. */
  readonly durability: (body: CallBody) => ResultDurability;
  /** Paths that a successful call wrote; none for a call that writes nothing. */
  readonly written: (body: CallBody) => readonly string[];
  /** Paths that a call names. */
  readonly named: (body: CallBody) => readonly string[];
  /** Whether a call changes files, whatever its paths. */
  readonly isWriting: (body: CallBody) => boolean;
  /** A body that stays: an answer of a person, a pinned result, what was recalled just now. */
  readonly holds: (body: CallBody) => boolean;
  /** Texts that must stay literally, found in what leaves of a message. */
  readonly survivors?: (message: string, text: string) => readonly string[];
  readonly readWritten?: ReadWritten;
  /** The route wants calls back with their reasoning: such a message stays whole, or leaves with its exchange. */
  readonly reasoningStays?: boolean;
  /** Tokens that the entries so far take where they are shown. */
  readonly priorTokens?: number;
  /** What a strategy of the script said; the library's ladder without it. */
  readonly steps?: readonly StrategyStep[];
  /** After a roll back: rungs that are out, and groups that the span may have at most. */
  readonly without?: ReadonlySet<Rung>;
  readonly maxGroups?: number;
}

/** Results shorter than this are shown without their arguments and paths: nothing is taken out of them. */
const shortResult = 200;
const usualKeepLast = 10;
const usualResultChars = 16_000;
const none = new List([]);
const names = (list: readonly string[]): List => (list.length === 0 ? none : new List([...list]));

/** The messages of a view, oldest first. */
export function ladderMessages(input: LadderInput, groups: readonly MessageGroup[]): List {
  const pinned = pinnedGroups(groups, input.holds);
  const messages: Value[] = [];
  for (const [index, group] of groups.entries()) {
    let next = 0;
    for (let at = group.from; at < group.to; at++) {
      const results: Value[] = [];
      for (let body = group.bodies[next]; body?.at === at; body = group.bodies[++next])
        results.push(resultValue(input, body, group));
      const { id, message, original, origin } = input.view[at] as ViewMessage;
      const isPinned = pinned.has(index);
      const entry = entryOfMessage(id, message, () => new Dict(), isPinned, origin);
      const must = input.survivors?.(id, entry.text) ?? [];
      messages.push(
        strategyDict(entry, at, isPinned, {
          kind: group.kind,
          group: index,
          tokens: new Float(sizeOfWeight(messageWeight(message), input.factor)),
          whole: message === original,
          results: results.length === 0 ? none : new List(results),
          must_survive: names(must),
        }),
      );
    }
  }
  return new List(messages);
}

// biome-ignore format: a line for all
const resultShape = Shape.ofLiteral(["id", "message", "tool", "ok", "text", "length", "shown", "whole", "class", "args", "writes", "written", "named"]) as Shape;

function resultValue(input: LadderInput, body: CallBody, { bodies }: MessageGroup): Dict {
  const { said, text, args } = body;
  const message = (input.view[body.at] as ViewMessage).id;
  const alone = body.index === 0 && !bodies.some((other) => other !== body && other.at === body.at);
  const long = said === text && said.length >= shortResult;
  const writes = input.isWriting(body);
  const durability = input.durability(body).class;
  return Dict.shaped(resultShape, [
    alone ? message : `${message}/${body.index}`,
    message,
    body.tool,
    body.ok,
    said,
    said.length,
    text.length,
    said === text,
    durability,
    long && args !== null ? JSON.stringify(args) : "",
    writes,
    writes ? names(input.written(body)) : none,
    long && !writes && durability === "replayable" ? names(input.named(body)) : none,
  ]);
}

/** What no strategy may take: the task, a person's newest words, the last exchange, what is held, and what waits for an answer. */
export function pinnedGroups(
  groups: readonly MessageGroup[],
  holds: (body: CallBody) => boolean,
): ReadonlySet<number> {
  const pinned = new Set<number>();
  const last = groups.findLastIndex(({ kind }) => kind === "exchange" || kind === "text");
  for (const [index, { kind, bodies }] of groups.entries())
    if (kind === "task" || bodies.some(holds) || (index > last && kind !== "summary")) pinned.add(index);
  pinned.add(groups.findLastIndex(({ kind }) => kind === "exchange"));
  pinned.add(groups.findLastIndex(({ kind }) => kind === "person" || kind === "task"));
  return pinned;
}

/** What room there is, and what the options say. */
export function ladderRoom({ settings, budget, tokens, trigger, view, task }: LadderInput): Dict {
  const { soft, hard, target, keepExchanges, keepMessages, userTokens, rungs } = settings;
  return Dict.of({
    tokens,
    budget,
    soft: new Float(soft * budget),
    hard: new Float(hard * budget),
    target: new Float(target * budget),
    keep_first: 0,
    keep_last: keepMessages === 0 ? usualKeepLast : keepMessages,
    keep_exchanges: Math.max(1, keepExchanges),
    keep_messages: keepMessages,
    user_tokens: userTokens,
    rungs: new List([...rungs]),
    urgent: isUrgent(trigger),
    task: task === null ? -1 : view.findIndex(({ id }) => id === task),
    result_chars: usualResultChars,
  });
}

/**
 * Why steps of a script's own strategy are not carried out: they name what is pinned, half a pair, or what is not there. `null`:
 * nothing speaks against them. `pinned`: groups by position.
 */
export function whyRefused(
  steps: readonly StrategyStep[],
  view: readonly ViewMessage[],
  groups: readonly MessageGroup[],
  pinned: ReadonlySet<number>,
): string | null {
  const groupAt = new Map<string, number>();
  for (const [index, { from, to, bodies }] of groups.entries()) {
    for (const { id } of view.slice(from, to)) groupAt.set(id, index);
    for (const { at, index: nth } of bodies) groupAt.set(`${(view[at] as ViewMessage).id}/${nth}`, index);
  }
  const taken = new Set(steps.filter(leavesView).flatMap(({ ids }) => ids));
  for (const [index, step] of steps.entries()) {
    const where = `step ${index + 1} (${step.by})`;
    const unknown = step.ids.find((id) => !groupAt.has(id));
    if (unknown !== undefined) return `${where} names ${unknown}, which is not in view`;
    // Long words of people may be shown as head and tail, whoever said them.
    const held = step.ids.find((id) => {
      const at = groupAt.get(id) as number;
      const isWords = groups[at]?.kind === "person" || groups[at]?.kind === "task";
      return pinned.has(at) && !(step.by === "externalize" && isWords);
    });
    if (held !== undefined) return `${where} names ${held}, which is pinned`;
    const half = leavesView(step) ? halfOf(step.ids, taken, view, groups, groupAt) : null;
    if (half !== null) return `${where} takes ${half}: a call and its results go together`;
  }
  return null;
}

/** `msg_4 without msg_5`; `taken`: by all steps together. */
function halfOf(
  ids: readonly string[],
  taken: ReadonlySet<string>,
  view: readonly ViewMessage[],
  groups: readonly MessageGroup[],
  groupAt: ReadonlyMap<string, number>,
): string | null {
  for (const id of ids) {
    const { from, to } = groups[groupAt.get(id) as number] as MessageGroup;
    const left = view.slice(from, to).find((one) => !taken.has(one.id));
    if (left !== undefined) return `${id} without ${left.id}`;
  }
  return null;
}
