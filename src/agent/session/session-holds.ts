/**
 * One loop at a time on a conversation (decisions, "Two loops on one session at once"). Who comes second waits, fails, or
 * works on a fork, as its option `session_busy` says; turns of two loops never interleave.
 *
 * A loop inside a tool, a hook or a callback of the loop that holds the session would wait for itself: under `wait` it
 * fails at once and names both. Other circles are found by the lock, or by the run when nobody can go on.
 */
import { describeSite, Lock, newId, type Permit, stateKey, type Task } from "../../interp/index.ts";
import { conversations } from "../../model/index.ts";
import { Dict, display, ScriptError, thrown, typeOf } from "../../values/index.ts";
import { forkConversation } from "./session-fork.ts";

export const busyModes = ["wait", "fail", "fork"] as const;
type BusyMode = (typeof busyModes)[number];

/** Who has a session now. */
interface SessionOwner {
  /** The path on which its effects are counted: whatever runs inside the loop counts below it. */
  readonly path: string;
  readonly about: () => string;
  /** The first that comes has it without the lock, which is made for the second. */
  readonly task: Task;
  permit: Permit | null;
}

interface SessionHold {
  lock: Lock | null;
  owner: SessionOwner | null;
}

/** `task.runtime.state(sessionHolds)` */
const sessionHolds = stateKey<Map<string, SessionHold>>("agent.session holds", () => new Map());

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
  const mode = options.has("session_busy") ? busyMode(options) : "wait";
  const sessionId = asked ?? `agent_session_${newId(task)}`;
  const { site } = task;
  const about = (): string => aboutLoop(site, prompt);
  const owner = task.runtime.state(sessionHolds).get(sessionId)?.owner ?? null;
  if (owner === null) return await take(task, sessionId, about, false);
  if (mode === "fork") return await take(task, forkBusySession(task, sessionId), about, true);
  if (mode === "fail")
    throw busy(`session '${sessionId}' is busy: ${owner.about()} runs on it (session_busy: "fail")`);
  if (isAround(task, owner))
    throw busy(
      `session '${sessionId}' is held by ${owner.about()}, and ${about()} works for it: it would wait for itself; ` +
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

async function take(task: Task, sessionId: string, about: () => string, forked: boolean): Promise<Hold> {
  const holds = task.runtime.state(sessionHolds);
  const held: SessionHold = holds.get(sessionId) ?? { lock: null, owner: null };
  holds.set(sessionId, held);
  const owner: SessionOwner = { path: task.scope.path, about, task, permit: null };
  if (held.owner !== null || held.lock !== null)
    owner.permit = (await sessionLock(held, sessionId, task).acquire(task, 1, true)) as Permit;
  held.owner = owner;
  return {
    sessionId,
    forked,
    release: () => {
      if (held.owner === owner) held.owner = null;
      if (owner.permit !== null) held.lock?.release(owner.permit);
      if (held.lock?.idle !== false) holds.delete(sessionId);
    },
  };
}

/** The lock of a session that somebody has: made for the second who comes, and given to the first. */
function sessionLock(held: SessionHold, sessionId: string, { runtime }: Task): Lock {
  const { owner } = held;
  held.lock ??= new Lock(runtime, "session", sessionId, 1);
  if (owner !== null) owner.permit ??= held.lock.acquire(owner.task, 1, true) as Permit;
  return held.lock;
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
function aboutLoop(site: Task["site"], prompt: string): string {
  const line = prompt.trim().split("\n", 1)[0] ?? "";
  const short = line.length > 60 ? `${line.slice(0, 60)}…` : line;
  // The script sees it, and a replay finds the same file under another path.
  const at = site === undefined ? "" : ` (${describeSite(site).replace(/^.*[/\\]/, "")})`;
  return `the loop "${short}"${at}`;
}

function busy(text: string): ScriptError {
  const category = "session_busy";
  return new ScriptError("thrown", Dict.of({ category, message: `agent_loop: ${text}` }), { category });
}
