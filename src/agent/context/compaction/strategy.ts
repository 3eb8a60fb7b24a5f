/**
 * Strategies: functions of the language that are shown the messages of a view and give steps. Those of the runtime are
 * `std/agent/compaction`.
 */
import { tokensOf } from "../../../model/index.ts";
import { at, type Read, row, rows } from "../../../table/index.ts";
import { Dict, type Float, List, Shape, thrown, typeOf, type Value } from "../../../values/index.ts";
import type { TranscriptEntry } from "./entries.ts";

export const stepKinds = ["clear", "externalize", "mask", "summarize", "drop"] as const;
export type StepKind = (typeof stepKinds)[number];

const stepRows = rows(
  () => ({
    by: row.oneOf(stepKinds, "What becomes of some messages.").required(),
    ids: row.list(row.text(), "Which ones.", []).full(),
    keep: row.list(row.text(), "Texts of them that stay word for word.", []).full(),
    text: row.text("Words in their place; nil: the runtime finds some."),
    until: row.number("Tokens of the request at which the step ends; nil: it goes to its own end."),
    reason: row.text("For records, and for the note in the place of a result.", "strategy"),
    same_as: row.text("The message that has the same result."),
    changed_in: row.text("The message in which what was read was changed."),
  }),
  { strict: true },
);

/** What becomes of some messages. */
export type StrategyStep = Read<typeof stepRows>;

/** Whether what a step names leaves the view. */
export const leavesView = ({ by }: StrategyStep): boolean =>
  by === "summarize" || by === "mask" || by === "drop";

/** Steps as a strategy gives them. Throws where they have another form. */
export function stepsIn(value: Value): StrategyStep[] {
  if (!(value instanceof List)) throw thrown(`a strategy gives a list of steps, not ${typeOf(value)}`);
  return value.toArray().map((one, index) => row.dict(stepRows).read(one, at(`step ${index + 1}`)));
}

const summaryHead =
  /^\[auto-compacted (\d+) older messages(?: via (?:truncate strategy|observation masking))?\]\n?/;

const keys = [
  ...["id", "at", "role", "by", "text", "length", "chars", "tokens", "calls", "answers", "tool", "pinned"],
  ...["stands_for", "words"],
];
const shape = Shape.ofLiteral(keys) as Shape;
const moreShape = Shape.ofLiteral([...keys, "kind", "group", "whole", "results", "must_survive"]) as Shape;
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
export function strategyDict(entry: TranscriptEntry, at: number, pinned: boolean, more?: ShownMore): Dict {
  const { id, role, by, text, chars, calls, answers, tool } = entry;
  const head = by === "compaction" ? summaryHead.exec(text) : null;
  const ids = calls.length === 0 ? none : new List([...calls]);
  const words = head === null ? null : text.slice(head[0].length);
  const standsFor = head === null ? null : Number(head[1]);
  const tokens = more?.tokens ?? tokensOf(chars);
  const { length } = text;
  // biome-ignore format: a line for all
  const slots = [id, at, role, by, text, length, chars, tokens, ids, answers, tool, pinned, standsFor, words];
  if (more === undefined) return Dict.shaped(shape, slots);
  slots.push(more.kind, more.group, more.whole, more.results, more.must_survive);
  return Dict.shaped(moreShape, slots);
}

/** The messages of a view as strategies see them, oldest first. */
export function strategyMessages(entries: readonly TranscriptEntry[], task: number | null): List {
  return new List(entries.map((entry, at) => strategyDict(entry, at, entry.pinned || at === task)));
}
