/** The view as strategies are shown it: each message with its group and results, and what room there is. */
import { Dict, Float, List, Shape, type Value } from "../../../values/index.ts";
import type { LadderSettings } from "../../options/ladder-options.ts";
import type { ResultDurability } from "../../tools/durability.ts";
import { messageWeight } from "../meter.ts";
import {
  type CallBody,
  groupExchanges,
  type MessageGroup,
  type ReadWritten,
  singleMessages,
  type ViewMessage,
} from "./exchanges.ts";
import { messageLineOf, strategyDict } from "./strategy.ts";

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

/** What steps are carried out on. */
export interface StepsInput {
  readonly view: readonly ViewMessage[];
  /** Each message goes by itself; else calls and their results go together. */
  readonly isSingle?: boolean;
  /** The running loop's prompt. */
  readonly task: string | null;
  /** Estimate of the coming request. */
  readonly tokens: number;
  readonly factor: number;
  readonly budget: number;
  /** How far a result can be had again. */
  readonly durability: (body: CallBody) => ResultDurability;
  /** Whether a call changes files, whatever its paths. */
  readonly isWriting: (body: CallBody) => boolean;
  /** Texts that must stay literally, found in what leaves of a message. */
  readonly survivors?: (message: string, text: string) => readonly string[];
  readonly readWritten?: ReadWritten;
  /** The route wants calls back with their reasoning: such a message stays whole, or leaves with its exchange. */
  readonly reasoningStays?: boolean;
  /** Tokens that the entries so far take where they are shown. */
  readonly priorTokens?: number;
  /** After a roll back: whether a summary may be made, and the groups that the span may have at most. */
  readonly summarizes?: boolean;
  readonly maxGroups?: number | null;
  /** Tokens of the summary, where it is known already. */
  readonly summaryTokens?: number | null;
}

export interface LadderInput extends StepsInput {
  readonly trigger: LadderTrigger;
  readonly settings: LadderSettings;
  /** Paths that a successful call wrote; none for a call that writes nothing. */
  readonly written: (body: CallBody) => readonly string[];
  /** Paths that a call names. */
  readonly named: (body: CallBody) => readonly string[];
  /** A body that stays: an answer of a person, a pinned result, what was recalled just now. */
  readonly holds: (body: CallBody) => boolean;
}

const grouped = new WeakMap<readonly ViewMessage[], readonly MessageGroup[]>();

/** The groups of the view, made once. */
export function groupsOfView({ view, task, readWritten, isSingle }: StepsInput): readonly MessageGroup[] {
  let groups = grouped.get(view);
  if (groups === undefined) {
    groups = isSingle === true ? singleMessages(view) : groupExchanges(view, task, readWritten);
    grouped.set(view, groups);
  }
  return groups;
}

/** Results shorter than this are shown without their arguments and paths: nothing is taken out of them. */
const shortResult = 200;
const usualKeepLast = 10;
const usualResultChars = 16_000;
const none = new List([]);
const names = (list: readonly string[]): List => (list.length === 0 ? none : new List([...list]));

/** The messages of a view, oldest first. */
export function ladderMessages(input: LadderInput): List {
  const groups = groupsOfView(input);
  const pinned = pinnedGroups(groups, input.holds);
  const messages: Value[] = [];
  for (const [index, group] of groups.entries()) {
    let next = 0;
    for (let at = group.from; at < group.to; at++) {
      const results: Value[] = [];
      for (let body = group.bodies[next]; body?.at === at; body = group.bodies[++next])
        results.push(resultValue(input, body, group));
      const one = input.view[at] as ViewMessage;
      const { id, message, original } = one;
      const must = input.survivors?.(id, messageLineOf(message)) ?? [];
      messages.push(
        strategyDict(one, at, pinned.has(index), {
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
function pinnedGroups(
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
export function ladderRoom({ settings, budget, tokens, trigger, view, task, factor }: LadderInput): Dict {
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
    trigger,
    factor: new Float(factor),
    task: task === null ? -1 : view.findIndex(({ id }) => id === task),
    result_chars: usualResultChars,
  });
}
