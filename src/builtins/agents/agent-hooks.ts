/** Hooks of agents that scripts register (agents.md §8.5). */

import {
  laterSessionEvents,
  parseHookPattern,
  reminderProviders,
  type SessionHookEvent,
  sessionEventName,
  sessionEventNames,
  sessionEvents,
  sessionHooks,
  toolHooks,
} from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import { at, defineBuiltins, readRows, refusal, row, rows } from "../../table/index.ts";
import { Callable, type Dict, display, thrown } from "../../values/index.ts";
import type { Argument } from "../arguments.ts";

const toolHookFields = rows(
  () => ({
    pattern: row.text("The tools that it holds for.", "*"),
    deny: row.either([row.bool(), row.text()], "Refuse their calls, with this reason."),
    max_output: row.int("Characters of a result.", null, { min: 0 }),
    pre: row.closure("Called before a call."),
    post: row.closure("Called after it."),
  }),
  { strict: true },
);

function registerToolHook(task: Task, config: Dict): null {
  const caller = "register_tool_hook";
  const { pattern, deny, ...hook } = readRows(config, toolHookFields, at(caller));
  task.runtime.state(toolHooks).push({
    ...hook,
    pattern: parseHookPattern(pattern, caller),
    deny: deny === null ? null : display(deny),
  });
  return null;
}

function registerSessionHook(task: Task, event: Argument, second: Argument, third: Argument): null {
  const eventName = display(event ?? null);
  const name = sessionEventName(eventName);
  if (laterSessionEvents.includes(name))
    throw thrown(
      `register_session_hook: session hook event \`${eventName}\` is not available yet in this version`,
    );
  if (!(sessionEvents as readonly string[]).includes(name))
    throw thrown(`register_session_hook: unknown session hook event \`${eventName}\``);
  const handler = third ?? second ?? null;
  if (!(handler instanceof Callable))
    throw refusal(at("register_session_hook", "handler"), "closure", handler);
  const pattern = third === undefined || third === null ? null : (second ?? null);
  if (pattern !== null && typeof pattern !== "string")
    throw refusal(at("register_session_hook", "pattern"), "string", pattern);
  task.runtime.state(sessionHooks).push({ event: name as SessionHookEvent, pattern, handler });
  return null;
}

export const agentHooks = defineBuiltins("agent_loop", {
  register_reminder_provider: {
    doc: "Registers a function that is asked before every model call of every loop what the model should be told: `fn({session_id, iteration, provider, model})` gives nil, a text, a reminder `{body, ttl_turns, …}` or a list of them. What it gives lives for a turn unless it says otherwise. The same name replaces.",
    sig: '(name: string != "", provider!: fn(dict) -> any) -> nil',
    effect: "state",
    example: 'register_reminder_provider("budget", { turn -> "turn ${turn.iteration}" })  // nil',
    run: (task, name: string, provider: Callable) => {
      task.runtime.state(reminderProviders).set(name, provider);
      return null;
    },
  },
  clear_reminder_providers: {
    doc: "Forgets a reminder provider, or all of them.",
    sig: "(name?!: string) -> nil",
    effect: "state",
    example: "clear_reminder_providers()  // nil",
    run: (task, name?: string) => {
      const providers = task.runtime.state(reminderProviders);
      if (name === undefined) providers.clear();
      else providers.delete(name);
      return null;
    },
  },
  register_tool_hook: {
    doc: "Registers a hook around the tools of all loops: `{pattern, deny, max_output, pre, post}`. `pre(event)` may deny a call or change its arguments, `post(event)` its text.",
    sig: "(config!: dict) -> nil",
    effect: "state",
    example: 'register_tool_hook({pattern: "rm*", deny: "not here"})  // nil',
    fields: { config: () => toolHookFields },
    run: registerToolHook,
  },
  clear_tool_hooks: {
    doc: "Forgets all tool hooks.",
    sig: "() -> nil",
    effect: "state",
    example: "clear_tool_hooks()  // nil",
    run: (task) => {
      task.runtime.state(toolHooks).length = 0;
      return null;
    },
  },
  register_session_hook: {
    doc: "Registers a hook on what happens to conversations: `SessionStart`, `UserPromptSubmit` (may block), `PostTurn`, `PermissionAsked` (may decide), `PermissionReplied`, `PreFinish` (may block), `PostFinish`, `SessionError`, `SessionEnd`, `PreCompact` (may block), `PostCompact`, `FileEdited`, `LoopCheckpoint`, `PreSuspend` and `PreResume` (may block), `PostSuspend`, `PostResume`, and what happens to workers: `WorkerSpawned`, `WorkerProgressed`, `WorkerWaitingForInput`, `WorkerSuspended`, `WorkerResumed`, `WorkerCompleted`, `WorkerFailed`, `WorkerCancelled`, `WorkerStopped` (patterns match the worker's name).",
    sig: "(event: string, pattern: any, handler: any = nil) -> nil",
    effect: "state",
    texts: { event: () => sessionEventNames },
    run: registerSessionHook,
  },
  clear_session_hooks: {
    doc: "Forgets all session hooks.",
    sig: "() -> nil",
    effect: "state",
    example: "clear_session_hooks()  // nil",
    run: (task) => {
      task.runtime.state(sessionHooks).length = 0;
      return null;
    },
  },
});
