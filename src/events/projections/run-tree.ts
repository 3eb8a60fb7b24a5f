/**
 * What the agents of a run did, as a tree: loops, their turns, and in each turn what happened in order. A loop that a tool
 * call started hangs below that call.
 */
import { type Dict, Float, firstLine, type Value } from "../../values/index.ts";
import type { EmittedEvent, RunTotals } from "../run-event.ts";
import { failedCallText } from "../wire/index.ts";

export interface ToolNode {
  readonly kind: "tool";
  readonly name: string;
  readonly arguments: unknown;
  status: "running" | "ok" | "error" | "rejected";
  durationMs: number | null;
  error: string | null;
  /** What the model was told; `null` while it runs. */
  result: string | null;
  /** The loops of sub-agents that it started. */
  readonly loops: LoopNode[];
}

/** A judge's decision, a compaction, a skill that was activated … */
export interface NoteNode {
  readonly kind: "note";
  readonly type: string;
  readonly fields: Readonly<Record<string, PlainValue>>;
}

export interface TurnNode {
  readonly iteration: number;
  text: string;
  usage: RunTotals | null;
  readonly steps: (ToolNode | NoteNode)[];
}

export interface LoopNode {
  readonly kind: "loop";
  readonly sessionId: string;
  readonly task: string;
  /** What it is called; null without a name. */
  readonly name: string | null;
  readonly provider: string;
  readonly model: string;
  status: string;
  stopReason: string;
  /** The model call that ended it, in a line. */
  error: string | null;
  durationMs: number | null;
  total: RunTotals | null;
  readonly turns: TurnNode[];
  /** What happened before the first turn, and loops below it that no tool call is known for. */
  readonly steps: NoteNode[];
  readonly loops: LoopNode[];
}

type PlainValue = string | number | boolean | null;

/** Names of events that are drawn; the others are told by turns and tool calls already. */
const shownTypes: ReadonlySet<string> = new Set([
  "judge_decision",
  "step_judge_decision",
  "loop_control_decision",
  "agent_loop_stall_warning",
  "transcript_compacted",
  "agent_scratchpad_reorganization",
  "skill_activated",
  "skill_deactivated",
  "tool_search_query",
  "tool_format_override",
  "capability_gap",
  "feedback_injected",
  "budget_exhausted",
  "budget_circuit_breaker",
  "loop_stuck",
  "plan",
  "progress_reported",
  "llm_fallback_attempt",
  "llm_routing_decision",
  "cache_hit",
  "permission_denied",
  "daemon_watchdog_tripped",
  "worker_update",
  "handoff",
  "control_intervention",
]);

function noteRetry(turn: TurnNode | undefined, data: EmittedEvent<"retry">["data"]): void {
  const { what, of, attempt, delay_ms, reason } = data;
  if (of === "turn")
    turn?.steps.push({ kind: "note", type: `${what}_retry`, fields: { attempt, delay_ms, reason } });
}

function endLoopNode(loop: LoopNode, data: EmittedEvent<"loop.end">["data"]): void {
  loop.status = data.status;
  loop.stopReason = data.stop_reason;
  loop.error = data.error == null ? null : failedCallText(data.error);
  loop.durationMs = data.duration_ms;
  loop.total = data.total;
}

/** The outermost loops of these events. */
export function runTree(events: Iterable<EmittedEvent>): readonly LoopNode[] {
  const tree = new RunTree();
  for (const event of events) tree.add(event);
  return tree.roots;
}

/** The same, event by event. */
export class RunTree {
  readonly roots: LoopNode[] = [];
  private readonly loops = new Map<string, LoopNode>();
  private readonly calls = new Map<string, ToolNode>();
  /** The loop in which something happened last. */
  private latest: LoopNode | undefined = undefined;

  /** The run went on here that had ended, or whose process had died. `ended`: how. */
  resumed(ended: string): void {
    const note: NoteNode = { kind: "note", type: "resumed", fields: { after: ended } };
    (this.latest?.turns.at(-1)?.steps ?? this.latest?.steps)?.push(note);
  }

  readonly add = (event: EmittedEvent): void => {
    if (event.type === "loop.start") this.begin(event);
    else {
      const loop = event.loop === null ? undefined : this.loops.get(event.loop);
      if (loop === undefined) return;
      this.latest = loop;
      this.inLoop(loop, event);
    }
  };

  private begin({ session, loop: id, parent, data }: EmittedEvent<"loop.start">): void {
    const loop: LoopNode = {
      kind: "loop",
      sessionId: session,
      task: data.task,
      name: data.name,
      provider: data.provider,
      model: data.model,
      status: "interrupted",
      stopReason: "",
      error: null,
      durationMs: null,
      total: null,
      turns: [],
      steps: [],
      loops: [],
    };
    this.loops.set(id ?? "", loop);
    this.latest = loop;
    const above = parent === null ? undefined : this.loops.get(parent.loop);
    const call = parent?.call === null || parent === null ? undefined : this.calls.get(parent.call);
    (call?.loops ?? above?.loops ?? this.roots).push(loop);
  }

  private inLoop(loop: LoopNode, event: EmittedEvent): void {
    const turn = loop.turns.at(-1);
    switch (event.type) {
      case "turn.start":
        loop.turns.push({ iteration: event.turn, text: "", usage: null, steps: [] });
        break;
      case "message.delta":
        if (turn !== undefined) turn.text += event.data.text;
        break;
      case "usage":
        if (turn !== undefined && event.data.of === "turn") turn.usage = event.data.answer;
        break;
      case "tool.start":
        this.startTool(turn, event);
        break;
      case "tool.end":
        this.endTool(event);
        break;
      case "retry":
        noteRetry(turn, event.data);
        break;
      case "loop.end":
        endLoopNode(loop, event.data);
        break;
      case "context.compacted":
      case "decision":
      case "plan.changed":
      case "trace":
        if (event.data.live && shownTypes.has(event.data.name))
          (turn?.steps ?? loop.steps).push({
            kind: "note",
            type: event.data.name,
            fields: plainFields(event.data.fields),
          });
        break;
      default:
        break;
    }
  }

  private startTool(turn: TurnNode | undefined, { call, data }: EmittedEvent<"tool.start">): void {
    const node: ToolNode = {
      kind: "tool",
      name: data.name,
      // What could not be read is said by the error.
      arguments: typeof data.arguments === "string" ? null : data.arguments,
      status: "running",
      durationMs: null,
      error: null,
      result: null,
      loops: [],
    };
    this.calls.set(call ?? "", node);
    turn?.steps.push(node);
  }

  /** A call that was not begun is not drawn, and one that was broken off has not finished. */
  private endTool({ call, data }: EmittedEvent<"tool.end">): void {
    const node = this.calls.get(call ?? "");
    if (node === undefined || data.status === "interrupted") return;
    node.status = data.status;
    node.durationMs = data.duration_ms;
    node.error = data.error === null ? null : firstLine(data.error);
    node.result = data.result;
  }
}

/** The fields that fit on a line. */
function plainFields(fields: Dict): Record<string, PlainValue> {
  const plain: [string, PlainValue][] = [];
  for (const [key, value] of fields.entries()) {
    const shown = treeValue(value);
    if (key !== "type" && key !== "session_id" && shown !== undefined) plain.push([key, shown]);
  }
  return Object.fromEntries(plain);
}

function treeValue(value: Value): PlainValue | undefined {
  if (value instanceof Float) return value.value;
  if (typeof value === "bigint") return value.toString();
  return value === null ||
    typeof value === "string" ||
    typeof value === "number" ||
    typeof value === "boolean"
    ? value
    : undefined;
}
