/** `progress_tool`: a tool of the runtime with which the model tells how the work is going (agents.md §11.6). */

import { typedEvent } from "../../events/index.ts";
import type { Task } from "../../interp/index.ts";
import type { ToolEntry } from "../../model/index.ts";
import {
  conversations,
  listens,
  namedEvent,
  placeInSession,
  publish,
  runtimeTool,
} from "../../model/index.ts";
import { Dict, List, type MaybePromise, thrown, type Value } from "../../values/index.ts";
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
export function progressTool(
  options: NonNullable<LoopOptions["progressTool"]>,
  hasLedger: boolean,
): ToolEntry {
  return runtimeTool({
    name: options.name,
    description: options.description,
    // Where a ledger is kept there is one list of the work, and this is not it.
    parameters: hasLedger ? { message: { ...parameters.message, required: true } } : parameters,
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
  const fields = Dict.of({
    message,
    entries: entries ?? new List([]),
    replace: args.get("replace") !== false,
    metadata: args.get("metadata") ?? null,
  });
  if (!listens(task.runtime, conversation.id)) return null;
  const [type, data] = typedEvent(namedEvent("progress_reported", fields, null));
  const published = publish(task, placeInSession(task, conversation.id), type, data);
  return published instanceof Promise ? published.then(() => null) : null;
}
