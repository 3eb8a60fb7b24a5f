/** A run's tree as JSON: the nodes with the names that the live events use. */
import type { LoopNode, NoteNode, RunTotals, RunTree, ToolNode, TurnNode } from "../../events/index.ts";

/** `full`: with the results of tools. */
export function treeJson(tree: RunTree, full: boolean): object {
  return { loops: tree.roots.map((loop) => loopJson(loop, full)) };
}

const loopJson = (loop: LoopNode, full: boolean): object => ({
  session_id: loop.sessionId,
  task: loop.task,
  name: loop.name,
  provider: loop.provider,
  model: loop.model,
  status: loop.status,
  stop_reason: loop.stopReason,
  error: loop.error,
  duration_ms: loop.durationMs,
  total: totalsJson(loop.total),
  steps: loop.steps.map(noteJson),
  turns: loop.turns.map((turn) => turnJson(turn, full)),
  loops: loop.loops.map((child) => loopJson(child, full)),
});

const turnJson = (turn: TurnNode, full: boolean): object => ({
  iteration: turn.iteration,
  text: turn.text,
  usage: totalsJson(turn.usage),
  steps: turn.steps.map((step) => (step.kind === "tool" ? toolJson(step, full) : noteJson(step))),
});

const toolJson = (tool: ToolNode, full: boolean): object => ({
  tool_name: tool.name,
  arguments: tool.arguments,
  status: tool.status,
  duration_ms: tool.durationMs,
  error: tool.error,
  ...(full ? { result: tool.result } : {}),
  loops: tool.loops.map((loop) => loopJson(loop, full)),
});

const noteJson = (note: NoteNode): object => ({ type: note.type, ...note.fields });

const totalsJson = (total: RunTotals | null): object | null =>
  total === null
    ? null
    : { input_tokens: total.input, output_tokens: total.output, cost_usd: total.cost_usd };
