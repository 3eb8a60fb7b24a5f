/** `progress_tool`: a tool of the runtime with which the model tells how the work is going (agents.md §11.6). */

import type { Task } from "../../interp/index.ts";
import { tellPerson } from "../../interp/index.ts";
import type { ToolEntry } from "../../model/index.ts";
import { conversations, runtimeTool, sessionWatchers } from "../../model/index.ts";
import {
  Dict,
  List,
  type MaybePromise,
  ScriptError,
  thrown,
  uncaughtText,
  type Value,
} from "../../values/index.ts";
import type { LoopOptions } from "../options/loop-options.ts";

const parameters = {
  message: {
    type: "string",
    description: "What has happened or comes next, in one sentence.",
    required: false,
  },
  entries: {
    type: "array",
    required: false,
    description: "The task list.",
    items: {
      type: "object",
      properties: {
        content: { type: "string" },
        status: { type: "string", enum: ["pending", "in_progress", "completed"] },
        priority: { type: "string", enum: ["high", "medium", "low"] },
      },
      required: ["content", "status"],
    },
  },
  replace: {
    type: "boolean",
    description: "The entries replace the list shown so far.",
    required: false,
    default: true,
  },
  metadata: { type: "object", required: false },
};

/** The tool entry. */
export function progressTool(options: NonNullable<LoopOptions["progressTool"]>): ToolEntry {
  return runtimeTool({
    name: options.name,
    description: options.description,
    parameters,
    annotations: Dict.of({ progress: true, kind: "think", side_effect_level: "none" }),
    run: (task, args) => reportProgress(task, args),
  });
}

/** Tells the subscribers of the session that runs now. */
export function reportProgress(task: Task, args: Dict): MaybePromise<Value> {
  const message = args.get("message") ?? null;
  const entries = args.get("entries") ?? null;
  if (message === null && entries === null) throw thrown("agent_progress: message or entries is required");
  const store = task.runtime.state(conversations);
  const id = store.current(task);
  const conversation = id === null ? undefined : store.get(id);
  if (conversation === undefined) throw thrown("agent_progress: no active agent session");
  const event = Dict.of({
    type: "progress_reported",
    session_id: conversation.id,
    message,
    entries: entries ?? new List([]),
    replace: args.get("replace") !== false,
    metadata: args.get("metadata") ?? null,
  });
  for (const watch of task.runtime.state(sessionWatchers)) watch(event);
  return tellAll(task, [...conversation.subscribers], event);
}

async function tellAll(
  task: Task,
  subscribers: { call(task: Task, args: Value[]): MaybePromise<Value> }[],
  event: Dict,
): Promise<null> {
  for (const subscriber of subscribers) {
    try {
      await subscriber.call(task, [event]);
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      tellPerson(
        task.runtime,
        `warning: a subscriber of agent events failed on progress_reported: ${uncaughtText(error)}\n`,
      );
    }
  }
  return null;
}
