/**
 * Session hooks (agents.md §8.5): functions that are called for, and may stop, what happens to a conversation.
 *
 *     SessionStart ─▶ UserPromptSubmit (block, modify) ─▶ turns: PostTurn, PermissionAsked (decide) ─▶ PermissionReplied
 *       ─▶ PreFinish (block) ─▶ PostFinish · SessionError ─▶ SessionEnd
 *
 * A hook that throws is reported on standard error and counts as having said nothing, except where it guards
 * something (`UserPromptSubmit`, `PreFinish`, `PermissionAsked`, `PreCompact`, `PreSuspend`, `PreResume`): there it
 * blocks.
 */

import { callableOnChild, stateKey, type Task } from "../../interp/index.ts";
import { conversations, warn } from "../../model/index.ts";
import {
  type Callable,
  Dict,
  List,
  nameMatches,
  ScriptError,
  uncaughtText,
  type Value,
} from "../../values/index.ts";
import { checkedReminder } from "../session/reminder-value.ts";
import { remindSession } from "../session/reminders.ts";

/** Events that are emitted: when, and what a hook may answer. */
export const sessionEventTimes = {
  SessionStart: "A session begins.",
  SessionEnd: "It was closed; `reason` says why.",
  UserPromptSubmit:
    "A prompt is given to a loop. May block it (`blocked`, no model call) or `{modify: {prompt}}`.",
  PostTurn: "A turn is over.",
  PermissionAsked: 'A person would be asked. May answer: `{decision: "allow" | "deny" | "ask"}`.',
  PermissionReplied: "The question has its answer.",
  SessionError: "A loop failed. Also `error`.",
  SessionIdle: "A daemon waits.",
  PreFinish: "A loop would end as done. May block it; the model is told the reason.",
  PostFinish: "It has ended.",
  PreCompact: "A conversation would be compacted. May block it.",
  PostCompact: "It was compacted.",
  FileEdited:
    "A tool that says that it writes succeeded: once for each path of its declared arguments and of its annotation `writes`. Patterns match the path.",
  LoopCheckpoint:
    "`iteration_start`, `pre_compact`, `post_compact`, `pre_tool_dispatch`, `post_tool_dispatch`, `loop_exit`. Patterns match that word.",
  PreSuspend: "A loop would be parked. May block it.",
  PostSuspend: "It is parked.",
  PreResume: "A parked loop would go on. May block it.",
  PostResume: "It goes on.",
  WorkerSpawned:
    "A worker was started. Patterns of all events of workers match its name; what they return changes nothing.",
  WorkerProgressed: "It begins another cycle.",
  WorkerWaitingForInput: "It awaits its next task.",
  WorkerSuspended: "The worker is parked.",
  WorkerResumed: "The parked worker goes on.",
  WorkerCompleted: "It is done.",
  WorkerFailed: "It failed.",
  WorkerCancelled: "It was closed.",
  WorkerStopped: "It was stopped after its turn.",
} as const;
export type SessionHookEvent = keyof typeof sessionEventTimes;
export const sessionEvents = Object.keys(sessionEventTimes) as readonly SessionHookEvent[];

/** Events whose subsystem is not there yet: nothing would ever call the hook. */
export const laterSessionEvents: readonly string[] = [
  "OnUnsettledDetected",
  "PreDrain",
  "PostDrain",
  "OnDrainDecision",
];

export interface SessionHook {
  readonly event: SessionHookEvent;
  readonly pattern: string | null;
  readonly handler: Callable;
}

/** Hooks that a loop brings for its own end (`hooks.agent_stop`): they come before those of the run. */
export const loopSessionHooks = (agentStop: readonly Callable[]): readonly SessionHook[] =>
  agentStop.map((handler) => ({ event: "PreFinish", pattern: null, handler }));

/** The hooks of a run, in the order of registration. */
export const sessionHooks = stateKey<SessionHook[]>("agent.session hooks", () => []);

/** `session_start`, `SessionStart`, `error` → the event's name. */
export function sessionEventName(text: string): string {
  if (text === "error") return "SessionError";
  return text.includes("_") || /^[a-z]/.test(text)
    ? text
        .split("_")
        .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
        .join("")
    : text;
}

/** Every way to write the name of an event: `PreCompact`, `pre_compact`, `error`. */
export const sessionEventNames: readonly string[] = [
  ...sessionEvents,
  ...sessionEvents.map((name) => name.replace(/(?<!^)([A-Z])/g, "_$1").toLowerCase()),
  "error",
];

export interface HookSaid {
  /** Which hook of those that were asked blocked, from 0; the loop's own come first. */
  readonly by: number;
  readonly blocked: string | null;
  readonly decision: "allow" | "deny" | "ask" | null;
  readonly reason: string | null;
  readonly payload: Dict;
}

const guarding: readonly SessionHookEvent[] = [
  "UserPromptSubmit",
  "PreFinish",
  "PermissionAsked",
  "PreCompact",
  "PreSuspend",
  "PreResume",
];

/** Calls the hooks of an event, in order, each with what the one before made of it. `subject` is what patterns match. */
export async function runSessionHooks(
  task: Task,
  event: SessionHookEvent,
  sessionId: string,
  fields: Dict,
  subject: string,
  own: readonly SessionHook[] = [],
): Promise<HookSaid> {
  let payload = fields;
  for (const [by, hook] of [...own, ...task.runtime.state(sessionHooks)].entries()) {
    if (hook.event !== event || (hook.pattern !== null && !nameMatches(hook.pattern, subject))) continue;
    const hookPayload = ownBlocks(payload, by).merge(Dict.of({ event, session: Dict.of({ id: sessionId }) }));
    const answer = await answerOf(task, hook, hookPayload);
    if (!(answer instanceof Dict)) continue;
    await remindOrReport(task, sessionId, answer.get("reminder") ?? null, hook);
    const reason = answer.get("reason");
    const text = typeof reason === "string" ? reason : null;
    const decision = answer.get("decision");
    const blocks = decision === "block" || (event === "PreFinish" && decision === "deny");
    if (answer.get("block") === true || blocks)
      return { by, blocked: text ?? `blocked by a ${event} hook`, decision: "deny", reason: text, payload };
    // One hook that has nothing against the end does not speak for those after it.
    if (event === "PreFinish" && own.includes(hook) && decision === "allow") continue;
    if (decision === "allow" || decision === "deny" || decision === "ask")
      return { by, blocked: null, decision, reason: text, payload };
    const changed = answer.get("modify");
    if (changed instanceof Dict) payload = payload.merge(changed);
  }
  return { by: -1, blocked: null, decision: null, reason: null, payload };
}

/** `blocks` of a payload is about every hook; each is told of its own: `attempt` and `previous_reason`. */
function ownBlocks(payload: Dict, by: number): Dict {
  const blocks = payload.get("blocks");
  if (!(blocks instanceof List)) return payload;
  const own = blocks.toArray()[by] ?? null;
  const known = own instanceof Dict ? own : Dict.of({ attempt: 0, previous_reason: null });
  return payload.without("blocks").merge(known);
}

/** The end of a conversation: hooks are called, then it is forgotten. */
export async function endConversation(
  task: Task,
  { id }: { readonly id: string },
  reason: string,
): Promise<void> {
  const fields = Dict.of({ status: "closed", stop_reason: reason });
  await runSessionHooks(task, "SessionEnd", id, fields, id);
  task.runtime.state(conversations).remove(id);
}

async function answerOf(task: Task, hook: SessionHook, payload: Dict): Promise<Value> {
  try {
    return await callableOnChild(task, hook.handler, [payload]);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    const text = uncaughtText(error);
    warn(task, `a ${hook.event} hook failed: ${text}`);
    return guarding.includes(hook.event) ? Dict.of({ block: true, reason: `a hook failed: ${text}` }) : null;
  }
}

/** A reminder that is none is reported like a hook that failed. */
async function remindOrReport(
  task: Task,
  sessionId: string,
  reminder: Value,
  hook: SessionHook,
): Promise<void> {
  if (reminder === null) return;
  try {
    await remind(task, sessionId, reminder, hook.event);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    warn(task, `a ${hook.event} hook failed: ${uncaughtText(error)}`);
  }
}

/**
 * `reminder` (or a list of them): a text is told to the model before its next turn, `{body, ttl_turns, …}` is a system
 * reminder of the session.
 */
async function remind(task: Task, sessionId: string, reminder: Value, event: string): Promise<void> {
  const conversation = task.runtime.state(conversations).open(sessionId);
  for (const item of reminder instanceof List ? reminder : [reminder]) {
    if (item instanceof Dict && !item.has("text")) {
      const made = checkedReminder(task, item, `${event} hook`, { source: "hook", turn: conversation.turn });
      await remindSession(task, conversation, made);
      continue;
    }
    const text = item instanceof Dict ? item.get("text") : item;
    if (typeof text === "string" && text !== "") conversation.feedback.push({ kind: "hook_reminder", text });
  }
}
