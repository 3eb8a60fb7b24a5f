/**
 * Live events that scripts make (agents.md §4.2): middleware tells those who watch a session what it did. The same
 * event is listed by `agent_trace()`.
 */

import type { Task } from "../../interp/index.ts";
import { callableOnChild, TaskLocal, tellPerson } from "../../interp/index.ts";
import { type Callable, Dict, ScriptError, uncaughtText, type Value } from "../../values/index.ts";
import { sessionWatchers } from "../observe.ts";
import { addTrace, failedCheckpoint } from "../trace-log.ts";
import { conversations } from "./conversation.ts";

/** Tells the subscribers of a session, in order. A session that does not exist has none. */
export async function tellSession(task: Task, id: string, type: string, fields: Dict): Promise<void> {
  const event = fields.merge(Dict.of({ type, session_id: id }));
  if (type === "typed_checkpoint") countCheckpoint(task, event);
  addTrace(task, Object.fromEntries([...fields.entries()].concat([["type", type]])));
  for (const watch of task.runtime.state(sessionWatchers)) watch(event);
  const found = task.runtime.state(conversations).get(id);
  for (const subscriber of [...(found?.subscribers ?? [])]) await tellOne(task, subscriber, event, type);
}

/** Typed checkpoints of a running loop, counted for its result. */
export interface CheckpointCounts {
  checkpoints: number;
  checkpointFailures: number;
}

/** Those of the innermost loop around a task. */
export const checkpointCounts = new TaskLocal<CheckpointCounts>("checkpoint counts");

/** It belongs to the loop that it was made in. */
function countCheckpoint(task: Task, event: Dict): void {
  const traced = checkpointCounts.current(task);
  if (traced === undefined) return;
  traced.checkpoints++;
  if (failedCheckpoint(event)) traced.checkpointFailures++;
}

/** An exception in a subscriber is logged, not propagated. */
export async function tellOne(task: Task, subscriber: Callable, event: Value, type: string): Promise<void> {
  try {
    await callableOnChild(task, subscriber, [event]);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    tellPerson(
      task.runtime,
      `warning: a subscriber of agent events failed on ${type}: ${uncaughtText(error)}\n`,
    );
  }
}
