/** The tree as rows, one below the other: what is folded is left out. */
import type { DurableType, LogView, LoopKey } from "../../src/server/protocol/index.ts";
import type { CallNode, LeafNode, LoopNode, TimelineTree, TurnNode } from "./tree.ts";

interface Placed {
  /** Stable while the log grows: keys of the list, of what is open and of what is folded. */
  readonly id: string;
  /** Nesting of loops: 0 for the outermost. */
  readonly depth: number;
  /** Whether it has rows of its own below it, and whether they are shown. */
  readonly folds: "none" | "open" | "shut";
}

export type Row = Placed &
  (
    | { readonly kind: "leaf"; readonly node: LeafNode }
    | { readonly kind: "call"; readonly node: CallNode }
    | { readonly kind: "turn"; readonly node: TurnNode }
    | { readonly kind: "loop"; readonly node: LoopNode }
    | { readonly kind: "end"; readonly node: LoopNode }
    | { readonly kind: "live"; readonly loop: LoopKey }
  );

/** What somebody folded or unfolded: by row. Everything else is as `isShutAtFirst` says. */
export type Folds = ReadonlyMap<string, boolean>;

export interface RowOptions {
  readonly folds: Folds;
  /** Loops that were over when the page was opened: those of sub-agents start folded. */
  readonly wasOver: (loop: LoopKey) => boolean;
  /** Events of the runtime that people seldom want. */
  readonly withTraces: boolean;
}

export function rowsOf(tree: TimelineTree, view: LogView, options: RowOptions): Row[] {
  const rows: Row[] = [];
  const outermostOfRun = new Map<string, number>();
  for (const item of tree.items) {
    if (item.kind !== "loop") continue;
    const run = item.key.slice(0, item.key.lastIndexOf("/"));
    outermostOfRun.set(run, (outermostOfRun.get(run) ?? 0) + 1);
  }
  for (const item of tree.items) {
    if (item.kind === "leaf") pushLeaf(rows, tree, item, 0, options);
    else {
      const run = item.key.slice(0, item.key.lastIndexOf("/"));
      const isAlone = outermostOfRun.get(run) === 1 && view.runs[run]?.message != null;
      pushLoop(rows, tree, view, item, 0, !isAlone, options);
    }
  }
  return rows;
}

function pushLoop(
  rows: Row[],
  tree: TimelineTree,
  view: LogView,
  node: LoopNode,
  depth: number,
  hasHeading: boolean,
  options: RowOptions,
): void {
  const isShut = options.folds.get(node.id) ?? (depth > 0 && options.wasOver(node.key));
  if (hasHeading) rows.push({ kind: "loop", id: node.id, depth, folds: isShut ? "shut" : "open", node });
  if (hasHeading && isShut) return;
  for (const item of node.items) {
    if (item.kind === "leaf") pushLeaf(rows, tree, item, depth, options);
    else pushTurn(rows, tree, view, item, depth, options);
  }
  const live = view.live[node.key];
  if (live !== undefined && (live.text !== "" || live.thought !== ""))
    rows.push({ kind: "live", id: `live${node.key}`, depth, folds: "none", loop: node.key });
  // The heading of a sub-agent says that it is done.
  if (node.end !== null && !(hasHeading && depth > 0 && node.end.data.status === "done"))
    rows.push({ kind: "end", id: `end${node.key}`, depth, folds: "none", node });
}

function pushTurn(
  rows: Row[],
  tree: TimelineTree,
  view: LogView,
  node: TurnNode,
  depth: number,
  options: RowOptions,
): void {
  const isShut = options.folds.get(node.id) ?? false;
  rows.push({ kind: "turn", id: node.id, depth, folds: isShut ? "shut" : "open", node });
  if (isShut) return;
  for (const item of node.items) {
    if (item.kind === "leaf") {
      pushLeaf(rows, tree, item, depth, options);
      continue;
    }
    rows.push({ kind: "call", id: item.id, depth, folds: "none", node: item });
    for (const leaf of item.items) pushLeaf(rows, tree, leaf, depth, options);
    for (const loop of item.loops) pushLoop(rows, tree, view, loop, depth + 1, true, options);
  }
}

function pushLeaf(rows: Row[], tree: TimelineTree, node: LeafNode, depth: number, options: RowOptions): void {
  const { event } = node;
  if (event.type === "message.queued" && tree.isWithdrawn(event.data.message)) return;
  if (!options.withTraces && isQuiet(node)) return;
  rows.push({ kind: "leaf", id: node.id, depth, folds: "none", node });
}

/** Shown only with everything else: the Why tab has the decisions, Details the rest. */
function isQuiet({ event }: LeafNode): boolean {
  switch (event.type) {
    case "trace":
    case "interrupt.requested":
      return true;
    case "decision":
      return event.data.about === "stop" || event.data.about === "budget";
    case "run.end":
      return event.data.status === "done" || event.data.status === "interrupted";
    default:
      return (leafWords[event.type] ?? null) === null;
  }
}

/**
 * Leaves that are rows of the timeline, in the words of a screen reader; null for those that are no row of their own. A type that
 * this page does not know is a quiet one.
 */
export const leafWords: Readonly<Record<DurableType, string | null>> = {
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
  // Of loops, turns and calls, which are rows themselves.
  "loop.start": null,
  "loop.end": null,
  "turn.start": null,
  "turn.end": null,
  "tool.start": null,
  "tool.end": null,
  usage: null,
  // In the head of the page, or in another row.
  "conversation.created": null,
  "conversation.changed": null,
  "conversation.state": null,
  "message.withdrawn": null,
  "message.taken": null,
  "run.start": null,
  "context.usage": null,
  "question.answered": null,
  "question.expired": null,
  "question.withdrawn": null,
  "interrupt.requested": null,
  trace: null,
};

/** Places of the rows that `test` finds, from `from` on in the direction of `step`; null without one. */
export function nextRow(
  rows: readonly Row[],
  from: number,
  step: 1 | -1,
  test: (row: Row) => boolean = () => true,
): number | null {
  for (let at = from + step; at >= 0 && at < rows.length; at += step) if (test(rows[at] as Row)) return at;
  return null;
}
