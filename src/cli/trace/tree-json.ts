/** A run's tree as JSON: the nodes with the names that the live events use. */
import type { LoopNode, NoteNode, RunTree, ToolNode, TurnNode } from "./run-tree.ts";

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
  total: loop.total,
  steps: loop.steps.map(noteJson),
  turns: loop.turns.map(turnJson),
  loops: loop.loops.map(loopJson),
});

const turnJson = (turn: TurnNode): object => ({
  iteration: turn.iteration,
  text: turn.text,
  usage: turn.usage,
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
