/** A run's tree as JSON: the nodes with the names that the live events use. */
import type { LoopNode, NoteNode, RunTotals, RunTree, ToolNode, TurnNode } from "../../events/index.ts";

export function treeJson(tree: RunTree): object {
  return { loops: tree.roots.map(loopJson) };
}

const loopJson = (loop: LoopNode): object => ({
  session_id: loop.sessionId,
  task: loop.task,
  provider: loop.provider,
  model: loop.model,
  status: loop.status,
  stop_reason: loop.stopReason,
  duration_ms: loop.durationMs,
  total: totals(loop.total),
  steps: loop.steps.map(noteJson),
  turns: loop.turns.map(turnJson),
  loops: loop.loops.map(loopJson),
});

const turnJson = (turn: TurnNode): object => ({
  iteration: turn.iteration,
  text: turn.text,
  usage: totals(turn.usage),
  steps: turn.steps.map((step) => (step.kind === "tool" ? toolJson(step) : noteJson(step))),
});

const toolJson = (tool: ToolNode): object => ({
  tool_name: tool.name,
  arguments: tool.arguments,
  status: tool.status,
  duration_ms: tool.durationMs,
  error: tool.error,
  loops: tool.loops.map(loopJson),
});

const noteJson = (note: NoteNode): object => ({ type: note.type, ...note.fields });

const totals = (total: RunTotals | null): object | null =>
  total === null
    ? null
    : { input_tokens: total.input, output_tokens: total.output, cost_usd: total.cost_usd };
