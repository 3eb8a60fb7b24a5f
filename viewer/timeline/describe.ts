/** Rows in words: what a screen reader says of one, and the line that stands for a running loop. */
import { headOfText, type LogView, type LoopKey } from "../../src/server/protocol/index.ts";
import { oneLine } from "../parts/text.tsx";
import { duration } from "../text/format.ts";
import type { Row } from "./rows.ts";
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

const leafWords: Readonly<Record<string, string>> = {
  "message.queued": "Message",
  "message.end": "Answer",
  "thought.end": "Thought",
  "context.compacted": "Compaction",
  "mode.changed": "Mode changed",
  "doom.detected": "Repeated calls",
  "question.asked": "Question",
  "file.changed": "File changed",
  "plan.changed": "Plan",
  "paper.changed": "Paper changed",
  retry: "Retry",
  notice: "Notice",
  decision: "Decision",
  "run.resumed": "Resumed",
  "run.interrupted": "Interrupted",
  "run.end": "End of the run",
};

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

/** Rows differ in height before they are drawn: near enough that the scroll bar tells the truth. */
export function estimateRow(row: Row): number {
  if (row.kind === "turn") return 34;
  if (row.kind !== "leaf") return 29;
  const { event } = row.node;
  if (event.type === "message.end" || event.type === "message.queued") {
    const text = headOfText(event.data.text);
    return 20 + Math.min(4_000, Math.ceil(text.length / 90) * 21);
  }
  return event.type === "question.asked" ? 60 : 29;
}
