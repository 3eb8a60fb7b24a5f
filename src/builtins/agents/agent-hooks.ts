/** Hooks of agents that scripts register (agents.md §8.5). */

import {
  laterSessionEvents,
  readHookPattern,
  reminderProviders,
  type SessionHookEvent,
  sessionEventName,
  sessionEventNames,
  sessionEvents,
  sessionHooks,
  toolHooks,
} from "../../agent/index.ts";
import type { Task } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { Callable, Dict, display, thrown, typeOf, type Value } from "../../values/index.ts";
import type { Argument } from "../arguments.ts";
import { toolHookFields } from "../rows/agents.ts";

function hookClosure(config: Dict, key: string): Callable | null {
  const value = config.get(key) ?? null;
  if (value === null || value instanceof Callable) return value;
  throw thrown(`register_tool_hook: ${key} must be a closure, got ${typeOf(value)}`);
}

function registerToolHook(task: Task, config: Argument): null {
  if (!(config instanceof Dict)) throw thrown("register_tool_hook: requires a config dict");
  const pattern = config.get("pattern") ?? "*";
  if (typeof pattern !== "string")
    throw thrown(`register_tool_hook: pattern must be a string, got ${typeOf(pattern)}`);
  const max = config.get("max_output") ?? null;
  if (max !== null && typeof max !== "number")
    throw thrown(`register_tool_hook: max_output must be an int, got ${typeOf(max)}`);
  if (max !== null && max < 0) throw thrown("register_tool_hook: max_output must be >= 0");
  const deny = config.get("deny") ?? null;
  task.runtime.state(toolHooks).push({
    pattern: readHookPattern(pattern, "register_tool_hook"),
    deny: deny === null ? null : display(deny),
    maxOutput: max,
    pre: hookClosure(config, "pre"),
    post: hookClosure(config, "post"),
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
    throw thrown(`register_session_hook: handler must be a closure, got ${typeOf(handler as Value)}`);
  const pattern = third === undefined || third === null ? null : (second ?? null);
  if (pattern !== null && typeof pattern !== "string")
    throw thrown(`register_session_hook: pattern must be a string, got ${typeOf(pattern)}`);
  task.runtime.state(sessionHooks).push({ event: name as SessionHookEvent, pattern, handler });
  return null;
}

function registerReminderProvider(task: Task, name: Argument, provider: Argument): null {
  if (typeof name !== "string" || name === "")
    throw thrown("register_reminder_provider: name must be a non-empty string");
  if (!(provider instanceof Callable))
    throw thrown(
      `register_reminder_provider: provider must be a closure, got ${typeOf((provider ?? null) as Value)}`,
    );
  task.runtime.state(reminderProviders).set(name, provider);
  return null;
}

export const agentHooks = defineBuiltins("agent_loop", {
  register_reminder_provider: {
    doc: "Registers a function that is asked before every model call of every loop what the model should be told: `fn({session_id, iteration, provider, model})` gives nil, a text, a reminder `{body, ttl_turns, …}` or a list of them. What it gives lives for a turn unless it says otherwise. The same name replaces.",
    sig: "(name: string, provider: any) -> nil",
    effect: "state",
    example: 'register_reminder_provider("budget", { turn -> "turn ${turn.iteration}" })  // nil',
    run: registerReminderProvider,
  },
  clear_reminder_providers: {
    doc: "Forgets a reminder provider, or all of them.",
    sig: "(name?: string) -> nil",
    effect: "state",
    example: "clear_reminder_providers()  // nil",
    run: (task, name: Argument) => {
      const providers = task.runtime.state(reminderProviders);
      if ((name ?? null) === null) providers.clear();
      else if (typeof name === "string") providers.delete(name);
      else
        throw thrown(`clear_reminder_providers: name must be a string or nil, got ${typeOf(name as Value)}`);
      return null;
    },
  },
  register_tool_hook: {
    doc: "Registers a hook around the tools of all loops: `{pattern, deny, max_output, pre, post}`. `pre(event)` may deny a call or change its arguments, `post(event)` its text.",
    sig: "(config: dict) -> nil",
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
