/**
 * One loop at a time on a conversation (decisions, "Two loops on one session at once"). Who comes second waits, fails, or
 * works on a fork, as its option `session_busy` says; turns of two loops never interleave.
 *
 * A loop inside a tool, a hook or a callback of the loop that holds the session would wait for itself: under `wait` it
 * fails at once and names both. Other circles are found by the lock, or by the run when nobody can go on.
 */
import { describeSite, Lock, newId, type Permit, type StateKey, type Task } from "../../interp/index.ts";
import { conversations } from "../../model/index.ts";
import { Dict, display, ScriptError, thrown, typeOf } from "../../values/index.ts";
import { forkConversation } from "./session-fork.ts";

export const busyModes = ["wait", "fail", "fork"] as const;
type BusyMode = (typeof busyModes)[number];

/** Who has a session now. */
interface SessionOwner {
  /** The path on which its effects are counted: whatever runs inside the loop counts below it. */
  readonly path: string;
  readonly about: string;
}

interface Held {
  readonly lock: Lock;
  owner: SessionOwner | null;
}

/** `task.runtime.state(sessionHolds)` */
const sessionHolds: StateKey<Map<string, Held>> = {
  name: "agent.session holds",
  create: () => new Map(),
};

/** A session that a loop has. */
export interface Hold {
  readonly sessionId: string;
  /** Made for this loop, because the one it asked for was busy. */
  readonly forked: boolean;
  release(): void;
}

/** Gets the session that the options name, or a new one; waits for it where it must. */
export async function holdSession(task: Task, prompt: string, options: Dict): Promise<Hold> {
  const asked = options.get("session_id") ?? null;
  if (asked !== null && typeof asked !== "string")
    throw thrown(`agent_loop: \`session_id\` must be a string or nil; got ${typeOf(asked)}`);
  const mode = busyMode(options);
  const sessionId = asked ?? `agent_session_${newId(task)}`;
  const about = aboutLoop(task, prompt);
  const { owner } = heldOf(task, sessionId);
  if (owner === null) return await take(task, sessionId, about, false);
  if (mode === "fork") return await take(task, forkBusySession(task, sessionId), about, true);
  if (mode === "fail")
    throw busy(`session '${sessionId}' is busy: ${owner.about} runs on it (session_busy: "fail")`);
  if (isAround(task, owner))
    throw busy(
      `session '${sessionId}' is held by ${owner.about}, and ${about} works for it: it would wait for itself; ` +
        `give it a session of its own, or a copy with session_busy: "fork"`,
    );
  return await take(task, sessionId, about, false);
}

function busyMode(options: Dict): BusyMode {
  const value = options.get("session_busy") ?? "wait";
  const mode = busyModes.find((name) => name === value);
  if (mode === undefined)
    throw thrown(
      `agent_loop: \`session_busy\` must be one of ${busyModes.join(", ")} (or omitted); got \`${display(value)}\``,
    );
  return mode;
}

function heldOf(task: Task, sessionId: string): Held {
  const holds = task.runtime.state(sessionHolds);
  let held = holds.get(sessionId);
  if (held === undefined) {
    held = { lock: new Lock(task.runtime, "session", sessionId, 1), owner: null };
    holds.set(sessionId, held);
  }
  return held;
}

async function take(task: Task, sessionId: string, about: string, forked: boolean): Promise<Hold> {
  const held = heldOf(task, sessionId);
  const got = held.lock.acquire(task, 1, true);
  const permit = (got instanceof Promise ? await got : got) as Permit;
  const owner: SessionOwner = { path: task.scope.path, about };
  held.owner = owner;
  return {
    sessionId,
    forked,
    release: () => {
      if (held.owner === owner) held.owner = null;
      held.lock.release(permit);
      if (held.lock.idle) task.runtime.state(sessionHolds).delete(sessionId);
    },
  };
}

function forkBusySession(task: Task, sessionId: string): string {
  const store = task.runtime.state(conversations);
  const copy = forkConversation(task, store.open(sessionId), `agent_session_${newId(task)}`, null);
  copy.disposable = true;
  return copy.id;
}

/** Whether the task runs inside the loop of `holder`: in a tool, a hook, a callback, or in a task that one of them began. */
const isAround = (task: Task, { path }: SessionOwner): boolean => task.scope.path.startsWith(`${path}.`);

/** Whether a loop around the task has this session. */
export function heldAround(task: Task, sessionId: string): boolean {
  const owner = task.runtime.state(sessionHolds).get(sessionId)?.owner ?? null;
  return owner !== null && isAround(task, owner);
}

/** `the loop "Find the bug" (main.harn:3:9)` */
function aboutLoop(task: Task, prompt: string): string {
  const line = prompt.trim().split("\n", 1)[0] ?? "";
  const short = line.length > 60 ? `${line.slice(0, 60)}…` : line;
  // The script sees it, and a replay finds the same file under another path.
  const at = task.site === undefined ? "" : ` (${describeSite(task.site).replace(/^.*[/\\]/, "")})`;
  return `the loop "${short}"${at}`;
}

function busy(text: string): ScriptError {
  const category = "session_busy";
  return new ScriptError("thrown", Dict.of({ category, message: `agent_loop: ${text}` }), { category });
}
