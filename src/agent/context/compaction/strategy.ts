/**
 * Strategies: functions of the language that are shown the messages of a view and give steps. Those of the runtime are
 * `std/agent/compaction`.
 */
import { tokensOf } from "../../../model/index.ts";
import { Dict, List, Shape, type Value } from "../../../values/index.ts";
import type { Entry } from "./entries.ts";

export const stepKinds = ["clear", "externalize", "mask", "summarize", "drop"] as const;
export type StepKind = (typeof stepKinds)[number];

/** What becomes of some messages. */
export interface StrategyStep {
  readonly by: StepKind;
  readonly ids: readonly string[];
  /** Words in their place; `null`: the runtime finds some. */
  readonly text: string | null;
}

/** Steps of the library's own strategies, which are right. */
export function stepsIn(value: Value): StrategyStep[] {
  if (!(value instanceof List)) return [];
  return value.toArray().flatMap((one): StrategyStep[] => {
    if (!(one instanceof Dict)) return [];
    const text = one.get("text") ?? null;
    const ids = one.get("ids");
    return [
      {
        by: one.get("by") as StepKind,
        ids: ids instanceof List ? (ids.toArray() as string[]) : [],
        text: typeof text === "string" ? text : null,
      },
    ];
  });
}

const summaryHead =
  /^\[auto-compacted (\d+) older messages(?: via (?:truncate strategy|observation masking))?\]\n?/;

const keys = [
  ...["id", "at", "role", "by", "text", "length", "chars", "tokens", "calls", "answers", "tool", "pinned"],
  ...["stands_for", "words"],
];
const none = new List([]);

/** The messages of a view as strategies see them, oldest first. */
export function strategyMessages(entries: readonly Entry[], task: number | null): List {
  const shape = Shape.ofLiteral(keys) as Shape;
  const messages: Dict[] = [];
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at] as Entry;
    const { id, role, by, text, chars, calls, answers, tool } = entry;
    const head = by === "compaction" ? summaryHead.exec(text) : null;
    const ids = calls.length === 0 ? none : new List([...calls]);
    const words = head === null ? null : text.slice(head[0].length);
    const standsFor = head === null ? null : Number(head[1]);
    const pinned = entry.pinned || at === task;
    const { length } = text;
    messages.push(
      // biome-ignore format: a line per dict
      Dict.shaped(shape, [id, at, role, by, text, length, chars, tokensOf(chars), ids, answers, tool, pinned, standsFor, words]),
    );
  }
  return new List(messages);
}
