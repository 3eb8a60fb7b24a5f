/**
 * What the agents of a run did, as a tree: loops, their turns, and in each turn what happened in order. Built from live
 * events while a recorded run is replayed; a loop that a tool call started hangs below that call.
 */
import type { LiveEvent, LiveTotals } from "../../model/index.ts";
import type { Dict, Value } from "../../values/index.ts";
import { Float } from "../../values/index.ts";

export interface ToolNode {
  readonly kind: "tool";
  readonly name: string;
  readonly arguments: unknown;
  status: "running" | "ok" | "error" | "rejected";
  durationMs: number | null;
  error: string | null;
  /** The loops of sub-agents that it started. */
  readonly loops: LoopNode[];
}

/** A judge's decision, a compaction, a skill that was activated … */
export interface NoteNode {
  readonly kind: "note";
  readonly type: string;
  readonly fields: Readonly<Record<string, Plain>>;
}

export interface TurnNode {
  readonly iteration: number;
  text: string;
  usage: LiveTotals | null;
  readonly steps: (ToolNode | NoteNode)[];
}

export interface LoopNode {
  readonly kind: "loop";
  readonly sessionId: string;
  readonly task: string;
  readonly provider: string;
  readonly model: string;
  status: string;
  stopReason: string;
  durationMs: number | null;
  total: LiveTotals | null;
  readonly turns: TurnNode[];
  /** What happened before the first turn, and loops below it that no tool call is known for. */
  readonly steps: NoteNode[];
  readonly loops: LoopNode[];
}

type Plain = string | number | boolean | null;

/** Events that are drawn; the others are told by turns and tool calls already. */
const noted: ReadonlySet<string> = new Set([
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
]);

export class RunTree {
  readonly roots: LoopNode[] = [];
  private readonly latest = new Map<string, LoopNode>();
  private readonly calls = new Map<string, ToolNode>();

  /** For `runtime.state(agentObservers)`. */
  readonly observe = (event: LiveEvent): void => {
    if (event.type === "loop_start") this.begin(event);
    else {
      const loop = this.latest.get(event.session_id);
      if (loop !== undefined) this.inLoop(loop, event);
    }
  };

  /** For `runtime.state(sessionWatchers)`. */
  readonly note = (event: Dict): void => {
    const type = String(event.get("type"));
    const loop = this.latest.get(String(event.get("session_id")));
    if (loop === undefined || !noted.has(type)) return;
    const node: NoteNode = { kind: "note", type, fields: plainFields(event) };
    const turn = loop.turns.at(-1);
    if (turn === undefined) loop.steps.push(node);
    else turn.steps.push(node);
  };

  private begin(event: Extract<LiveEvent, { type: "loop_start" }>): void {
    const loop: LoopNode = {
      kind: "loop",
      sessionId: event.session_id,
      task: event.task,
      provider: event.provider,
      model: event.model,
      status: "interrupted",
      stopReason: "",
      durationMs: null,
      total: null,
      turns: [],
      steps: [],
      loops: [],
    };
    this.latest.set(event.session_id, loop);
    const parent =
      event.parent_session_id === undefined ? undefined : this.latest.get(event.parent_session_id);
    if (parent === undefined) this.roots.push(loop);
    else (runningTool(parent)?.loops ?? parent.loops).push(loop);
  }

  private inLoop(loop: LoopNode, event: LiveEvent): void {
    const turn = loop.turns.at(-1);
    switch (event.type) {
      case "turn_start":
        loop.turns.push({ iteration: event.iteration, text: "", usage: null, steps: [] });
        break;
      case "text":
        if (turn !== undefined) turn.text += event.delta;
        break;
      case "usage":
        if (turn !== undefined) turn.usage = event.turn;
        break;
      case "tool_start":
        this.startTool(turn, event);
        break;
      case "tool_end":
        this.endTool(turn, event);
        break;
      case "retry":
        turn?.steps.push({
          kind: "note",
          type: `${event.what}_retry`,
          fields: { attempt: event.attempt, delay_ms: event.delay_ms, reason: event.reason },
        });
        break;
      case "loop_end":
        loop.status = event.status;
        loop.stopReason = event.stop_reason;
        loop.durationMs = event.duration_ms;
        loop.total = event.total;
        break;
    }
  }

  private startTool(turn: TurnNode | undefined, event: Extract<LiveEvent, { type: "tool_start" }>): void {
    const node: ToolNode = {
      kind: "tool",
      name: event.tool_name,
      arguments: event.arguments,
      status: "running",
      durationMs: null,
      error: null,
      loops: [],
    };
    this.calls.set(callKey(event), node);
    turn?.steps.push(node);
  }

  /** A refused call ends without having started. */
  private endTool(turn: TurnNode | undefined, event: Extract<LiveEvent, { type: "tool_end" }>): void {
    let node = this.calls.get(callKey(event));
    if (node === undefined) {
      node = {
        kind: "tool",
        name: event.tool_name,
        arguments: null,
        status: event.status,
        durationMs: null,
        error: null,
        loops: [],
      };
      turn?.steps.push(node);
    }
    node.status = event.status;
    node.durationMs = event.duration_ms;
    node.error = event.error ?? null;
  }
}

const callKey = (event: { session_id: string; iteration: number; tool_call_id: string }): string =>
  `${event.session_id}\0${event.iteration}\0${event.tool_call_id}`;

/** The call of a loop that is out: what begins now was started by it. */
function runningTool(loop: LoopNode): ToolNode | undefined {
  return loop.turns
    .at(-1)
    ?.steps.findLast((step): step is ToolNode => step.kind === "tool" && step.status === "running");
}

/** The fields that fit on a line. */
function plainFields(event: Dict): Record<string, Plain> {
  const fields: [string, Plain][] = [];
  for (const [key, value] of event.entries()) {
    const plain = plainValue(value);
    if (key !== "type" && key !== "session_id" && plain !== undefined) fields.push([key, plain]);
  }
  return Object.fromEntries(fields);
}

function plainValue(value: Value): Plain | undefined {
  if (value instanceof Float) return value.value;
  if (typeof value === "bigint") return value.toString();
  return value === null ||
    typeof value === "string" ||
    typeof value === "number" ||
    typeof value === "boolean"
    ? value
    : undefined;
}
