/**
 * Strategies: functions of the language that are shown the messages of a view and give steps. Those of the runtime are
 * `std/agent/compaction`.
 */
import { type ModelMessage, messageChars, messageValue, tokensOf } from "../../../model/index.ts";
import { at, inside, type Read, refusal, row, rows } from "../../../table/index.ts";
import { Dict, type Float, List, Shape, thrown, typeOf, type Value } from "../../../values/index.ts";
import { messageLine } from "../../session/transcript-value.ts";
import { answeredCall } from "../projection/tool-results.ts";
import type { ViewMessage } from "./exchanges.ts";

const stepKinds = ["clear", "externalize", "mask", "summarize", "drop"] as const;

const stepRows = rows(
  () => ({
    by: row.oneOf(stepKinds, "What becomes of some messages.").required(),
    ids: row.list(row.text(), "Which ones.", []).full(),
    keep: row.list(row.text(), "Texts of them that stay word for word.", []).full(),
    text: row.text("Words in their place; nil: the runtime finds some."),
    ends: row.int("Characters of head and of tail that stay of a result, in place of a note.", null, {
      min: 1,
    }),
    until: row.number("Tokens of the request at which the step ends; nil: it goes to its own end."),
    reason: row.text("For records, and for the note in the place of a result.", "strategy"),
    same_as: row.text("The message that has the same result."),
    changed_in: row.text("The message in which what was read was changed."),
  }),
  { strict: true },
);

/** What becomes of some messages. */
export type StrategyStep = Read<typeof stepRows>;

/** Steps as a strategy gives them. Throws where they have another form. */
export function stepsIn(value: Value): StrategyStep[] {
  if (!(value instanceof List)) throw thrown(`a strategy gives a list of steps, not ${typeOf(value)}`);
  return value.toArray().map((one, index) => {
    const place = at(`step ${index + 1}`);
    const step = row.dict(stepRows).read(one, place);
    const { by, text, ends } = step;
    const beside =
      text !== null ? "`text`" : by === "clear" || by === "externalize" ? null : `\`by: "${by}"\``;
    if (ends !== null && beside !== null) throw refusal(inside(place, "ends"), `nil beside ${beside}`, ends);
    return step;
  });
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
interface ShownMore {
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
export function strategyDict(
  { id, message, origin: { by } }: Pick<ViewMessage, "id" | "message" | "origin">,
  at: number,
  pinned: boolean,
  more?: ShownMore,
): Dict {
  const { role, tool_calls: made, name: tool = "" } = message;
  const text = messageLineOf(message);
  const chars = messageChars(message);
  const head = by === "compaction" ? summaryHead.exec(text) : null;
  const ids = made === undefined || made.length === 0 ? none : new List(made.map((call) => call.id));
  const answers = answeredCall(message) ?? null;
  const words = head === null ? null : text.slice(head[0].length);
  const standsFor = head === null ? null : Number(head[1]);
  const tokens = more?.tokens ?? tokensOf(chars);
  const { length } = text;
  // Two literals: an array that grows takes twice the room, for every message.
  // biome-ignore format: a line for all
  if (more === undefined)
    return Dict.shaped(shape, [id, at, role, by, text, length, chars, tokens, ids, answers, tool, pinned, standsFor, words]);
  const { kind, group, whole, results, must_survive } = more;
  // biome-ignore format: a line for all
  return Dict.shaped(moreShape, [id, at, role, by, text, length, chars, tokens, ids, answers, tool, pinned, standsFor, words, kind, group, whole, results, must_survive]);
}

/** Content, then calls by name. */
export function messageLineOf(message: ModelMessage): string {
  const { content, tool_calls: calls } = message;
  if (typeof content !== "string") return messageLine(messageValue(message));
  if (calls === undefined || calls.length === 0) return content;
  const names = calls.map(({ name }) => `<tool_call:${name}>`).join(" ");
  return content === "" ? names : `${content} ${names}`;
}
