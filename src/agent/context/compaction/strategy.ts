/**
 * Strategies: functions of the language that are shown the messages of a view and give steps. Those of the runtime are
 * `std/agent/compaction`.
 */
import { tokensOf } from "../../../model/index.ts";
import { Dict, Float, List, Shape, typeOf, type Value } from "../../../values/index.ts";
import type { Entry } from "./entries.ts";

export const stepKinds = ["clear", "externalize", "mask", "summarize", "drop"] as const;
export type StepKind = (typeof stepKinds)[number];

/** What becomes of some messages. */
export interface StrategyStep {
  readonly by: StepKind;
  readonly ids: readonly string[];
  /** Words in their place; `null`: the runtime finds some. */
  readonly text: string | null;
  /** Texts of them that stay word for word. */
  readonly keep: readonly string[];
  /** Tokens of the request at which the step ends; `null`: it goes to its own end. */
  readonly until: number | null;
  /** For records, and for the note in the place of a result. */
  readonly reason: string;
  readonly sameAs: string | null;
  readonly changedIn: string | null;
}

/** Steps as a strategy gives them. Throws a text where they have another form. */
export function stepsIn(value: Value): StrategyStep[] {
  if (!(value instanceof List))
    throw new WrongSteps(`a strategy gives a list of steps, not ${typeOf(value)}`);
  return value.toArray().map((one, index) => {
    if (!(one instanceof Dict)) throw new WrongSteps(`step ${index + 1} must be a dict, got ${typeOf(one)}`);
    return stepIn(one, `step ${index + 1}`);
  });
}

/** What a strategy gave is no list of steps. */
export class WrongSteps extends Error {}

function stepIn(step: Dict, where: string): StrategyStep {
  const by = stepKinds.find((kind) => kind === step.get("by"));
  if (by === undefined) throw new WrongSteps(`${where}: \`by\` must be one of ${stepKinds.join(", ")}`);
  const until = step.get("until") ?? null;
  return {
    by,
    ids: textsIn(step, "ids", where),
    keep: textsIn(step, "keep", where),
    text: textOrNull(step, "text", where),
    until: until instanceof Float ? until.value : typeof until === "number" ? until : null,
    reason: textOrNull(step, "reason", where) ?? "strategy",
    sameAs: textOrNull(step, "same_as", where),
    changedIn: textOrNull(step, "changed_in", where),
  };
}

function textOrNull(step: Dict, key: string, where: string): string | null {
  const value = step.get(key) ?? null;
  if (value === null || typeof value === "string") return value;
  throw new WrongSteps(`${where}: \`${key}\` must be a text, got ${typeOf(value)}`);
}

const noTexts: readonly string[] = [];

function textsIn(step: Dict, key: string, where: string): readonly string[] {
  const value = step.get(key) ?? null;
  if (value === null) return noTexts;
  const texts = value instanceof List ? value.toArray() : [null];
  if (texts.every((text) => typeof text === "string")) return texts as string[];
  throw new WrongSteps(`${where}: \`${key}\` must be a list of texts`);
}

const summaryHead =
  /^\[auto-compacted (\d+) older messages(?: via (?:truncate strategy|observation masking))?\]\n?/;

const keys = [
  ...["id", "at", "role", "by", "text", "length", "chars", "tokens", "calls", "answers", "tool", "pinned"],
  ...["stands_for", "words"],
];
const moreKeys = [...keys, "kind", "group", "whole", "results", "must_survive"];
const none = new List([]);

/** What is known of a message of a conversation besides. */
export interface ShownMore {
  readonly tokens: Float;
  readonly kind: string;
  /** Messages of one group belong together: calls and their results. */
  readonly group: number;
  /** Nothing was taken out of it yet. */
  readonly whole: boolean;
  readonly results: List;
  readonly must_survive: List;
}

/** A message as strategies see it. */
export function strategyDict(entry: Entry, at: number, pinned: boolean, more?: ShownMore): Dict {
  const { id, role, by, text, chars, calls, answers, tool } = entry;
  const head = by === "compaction" ? summaryHead.exec(text) : null;
  const ids = calls.length === 0 ? none : new List([...calls]);
  const words = head === null ? null : text.slice(head[0].length);
  const standsFor = head === null ? null : Number(head[1]);
  const tokens = more?.tokens ?? tokensOf(chars);
  const { length } = text;
  // biome-ignore format: a line for all
  const slots = [id, at, role, by, text, length, chars, tokens, ids, answers, tool, pinned, standsFor, words];
  if (more === undefined) return Dict.shaped(Shape.ofLiteral(keys) as Shape, slots);
  slots.push(more.kind, more.group, more.whole, more.results, more.must_survive);
  return Dict.shaped(Shape.ofLiteral(moreKeys) as Shape, slots);
}

/** The messages of a view as strategies see them, oldest first. */
export function strategyMessages(entries: readonly Entry[], task: number | null): List {
  return new List(entries.map((entry, at) => strategyDict(entry, at, entry.pinned || at === task)));
}
