/** Rows in words: what a screen reader says of one, and the line that stands for a running loop. */
import { headOfText, type LogView, type LoopKey } from "../../src/server/protocol/index.ts";
import { oneLine } from "../parts/text.tsx";
import { duration } from "../text/format.ts";
import { leafWords, type Row } from "./rows.ts";
import type { LoopNode, TimelineTree } from "./tree.ts";

export function describeRow(row: Row): string {
  switch (row.kind) {
    case "turn":
      return `Turn ${row.node.turn}`;
    case "call": {
      const name = row.node.start?.data.name ?? row.node.end?.data.name ?? "tool";
      return `Call ${name}, ${row.node.end?.data.status ?? "running"}`;
    }
    case "loop":
      return `Agent ${loopName(row.node)}, ${row.node.end?.data.status ?? "running"}`;
    case "end":
      return `End of ${loopName(row.node)}: ${row.node.end?.data.status ?? ""}`;
    case "live":
      return "An answer that arrives";
    case "leaf":
      return leafWords[row.node.event.type] ?? row.node.event.type;
  }
}

export const loopName = (node: LoopNode): string => node.start?.data.name ?? "agent";

/** What a loop does right now: what it says, or the call that it waits for. */
export function latestLine(view: LogView, tree: TimelineTree, key: LoopKey): string {
  const live = view.live[key];
  if (live !== undefined && live.text !== "") return oneLine(live.text.slice(-200), 120);
  const node = tree.loop(key);
  const item = [...(node?.turns.values() ?? [])].at(-1)?.items.at(-1);
  if (item === undefined) return "thinking …";
  if (item.kind === "call") {
    const name = item.start?.data.name ?? item.end?.data.name ?? "tool";
    return item.end === null ? `${name} …` : `${name}, ${duration(item.end.data.duration_ms)}`;
  }
  return item.event.type === "message.end" ? oneLine(headOfText(item.event.data.text), 120) : "thinking …";
}

/**
 * Pixels of a row before it is drawn, from the sheet `3-timeline.css`. Where they are what it then measures, the list stays as it is;
 * where they aren't, all that stands below is placed anew.
 */
export function estimateRow(row: Row): number {
  if (row.kind === "turn") return 40;
  if (row.kind !== "leaf") return 29;
  const { event } = row.node;
  if (event.type === "message.end") return 11 + lineHeight * linesOf(headOfText(event.data.text));
  if (event.type === "message.queued") return 56 + lineHeight * linesOf(headOfText(event.data.text));
  return event.type === "question.asked" ? 60 : 29;
}

const lineHeight = 21;
const charactersOfLine = 110;
/** Lines of a text as far as somebody reads at once: an estimate needs no more. */
const maxLines = 200;

function linesOf(text: string): number {
  let lines = 0;
  for (let at = 0; at < text.length && lines < maxLines; lines++) {
    const end = text.indexOf("\n", at);
    const next = end < 0 ? text.length : end + 1;
    lines += Math.max(0, Math.ceil((next - at) / charactersOfLine) - 1);
    at = next;
  }
  return Math.min(maxLines, Math.max(1, lines));
}
