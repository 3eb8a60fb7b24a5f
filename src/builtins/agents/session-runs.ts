/**
 * Durable sessions (docs/sessions.md): mailbox, wakes and state that outlive the run, and one bounded run of a session. The
 * conversations of one run (`agent_session_*`) are another thing: sessions.ts.
 */

import { agentOfScript, BadWake, resolveWake } from "../../durable/index.ts";
import { type Json, shape } from "../../effects/index.ts";
import type { Task } from "../../interp/index.ts";
import { newId } from "../../interp/index.ts";
import { variable } from "../../process/environment.ts";
import { defineBuiltins } from "../../table/index.ts";
import { display, fromJson, thrown, toJson, type Value } from "../../values/index.ts";
import {
  eventView,
  listedView,
  loadSessions,
  type SessionStore,
  sessionView,
} from "../../work/session/index.ts";
import { type Argument, hostPath, optionsOf } from "../arguments.ts";
import { observe } from "../observe/observed.ts";
import { stateDirectory } from "../process/environment.ts";
import {
  sessionCreateFields,
  sessionEventsFields,
  sessionResultFields,
  sessionRunFields,
  wakeFields,
} from "../rows/session-runs.ts";
import { wallClock } from "../time/clock-state.ts";

const load = (task: Task) => task.runtime.effects.turns.hold(loadSessions());

/** The session that `harn session run` started this process for. */
const assignedSession = (task: Task): string | null =>
  observe(
    task,
    "session.assigned",
    shape.orNull(shape.text),
    () => variable(task.runtime.host.env, "HARN_SESSION") || null,
  );

interface DirectiveCall {
  readonly name: string;
  readonly args: Json;
}
type SessionAction = (sessions: SessionStore, now: number) => unknown;

/** A recorded look at the sessions of the project; what it gives is plain JSON. */
async function lookAtSession(task: Task, { name, args }: DirectiveCall, work: SessionAction): Promise<Value> {
  const { inRunSessions } = await load(task);
  const now = wallClock(task);
  const call = {
    kind: name,
    caller: name,
    effect: "read",
    folder: () => stateDirectory(task),
    args,
    result: shape.json,
  } as const;
  return fromJson(await inRunSessions<Json>(task, call, ({ sessions }) => work(sessions, now) as Json));
}

/** A recorded change of one session, which happens once however often it is repeated. */
async function change(
  task: Task,
  session: string,
  { name, args }: DirectiveCall,
  work: SessionAction,
): Promise<Value> {
  const { inRunSessions } = await load(task);
  const now = wallClock(task);
  const token = newId(task);
  const call = {
    kind: name,
    caller: name,
    effect: "write",
    folder: () => stateDirectory(task),
    args,
    result: shape.json,
  } as const;
  const result = await inRunSessions<Json>(
    task,
    call,
    ({ sessions }) => (work(sessions.once(`${session}/${token}`), now) ?? null) as Json,
  );
  return fromJson(result);
}

function create(task: Task, session: string, options: Argument): Promise<Value> {
  const caller = "session_create";
  const read = optionsOf(caller, options, sessionCreateFields);
  const { script, message, environment, resources } = read;
  const agent = read.agent ?? agentOfScript(script ?? task.runtime.program);
  const args = { session, agent, script, environment, resources, message };
  return change(task, session, { name: caller, args }, (sessions, now) => {
    const full = (path: string): string => hostPath(task, path);
    const made = { agent, cwd: task.runtime.host.cwd, environment, resources: resources.map(full) };
    const path = script === null ? null : full(script);
    sessions.create({ name: session, made: { ...made, script: path }, now, message });
    return sessionView(sessions, sessions.mustFind(session), now);
  });
}

function wake(task: Task, session: string, wish: Argument): Promise<Value> {
  const caller = "session_wake";
  const asked = toJson(wish ?? null);
  return change(task, session, { name: caller, args: { session, wish: asked } }, (sessions, now) => {
    try {
      const found = resolveWake(asked, now, `script-${now}`);
      sessions.wake({ name: session, wake: { ...found, queued: now, by: "user" }, now });
      return { key: found.key, due: new Date(found.due).toISOString(), reason: found.reason };
    } catch (error) {
      if (error instanceof BadWake) throw thrown(`${caller}: ${error.message}`);
      throw error;
    }
  });
}

function result(
  task: Task,
  session: string,
  use: string,
  content: Argument,
  options: Argument,
): Promise<Value> {
  const caller = "session_result";
  const { failed } = optionsOf(caller, options, sessionResultFields);
  const answer = { content: toJson(content ?? null), isError: failed };
  return change(task, session, { name: caller, args: { session, use, ...answer } }, (sessions, now) =>
    sessions.result({ name: session, use, ...answer, now }),
  );
}

function sessionEvents(task: Task, session: string, options: Argument): Promise<Value> {
  const caller = "session_events";
  const read = optionsOf(caller, options, sessionEventsFields);
  const { after } = read;
  const limit = Math.min(Math.max(read.limit, 0), 10_000);
  return lookAtSession(task, { name: caller, args: { session, after, limit } }, (sessions) => {
    sessions.mustFind(session);
    return sessions.events({ name: session, after: Math.max(after, 0), limit }).map(eventView);
  });
}

const acting = {
  effect: "write",
  performs: true,
  suspends: "may",
  capability: "fs.read fs.write",
} as const;
const looking = { effect: "read", performs: true, suspends: "may", capability: "fs.read fs.write" } as const;

export const sessionRuns = defineBuiltins("session runs", {
  session_run: {
    ...acting,
    capability: "fs.read fs.write model",
    doc: "One bounded run of a durable session: handles what is pending, with the options of `agent_loop` and `session`, `custom_tools`, `max_events`, `directive_retries`, `promote_after`, `max_continues`. Gives `{ran, session, run, status, text, summary, next, events, wakes, learnings, promoted, custom_tool_uses, due, error, problems, loop}`. See docs/sessions.md.",
    sig: "(options: dict? = nil) -> dict",
    fields: { options: () => sessionRunFields },
    readsFields: true,
    run: async (task, options: Argument) => {
      const { runSession } = await load(task);
      const folder = () => stateDirectory(task);
      const ports = { folder, assigned: assignedSession(task), now: () => wallClock(task) };
      return await runSession(task, options ?? null, ports);
    },
  },
  session_create: {
    ...acting,
    doc: "Makes a durable session. Options: `agent` (whose learnings and `MEMORY.md` it shares; default: the name of the script), `script` (what `harn session run` runs), `environment`, `resources` (paths), `message` (the first one). Gives what `session_info` gives.",
    sig: '(name: string != "", options: dict? = nil) -> dict',
    fields: { options: () => sessionCreateFields },
    run: create,
  },
  session_send: {
    ...acting,
    doc: "Adds a message to the mailbox of a durable session; a later run handles it. Gives the number of the event.",
    sig: '(name: string != "", text!: string) -> int',
    run: (task, session: string, text: string) =>
      change(task, session, { name: "session_send", args: { session, text } }, (sessions, now) =>
        sessions.send({ name: session, text, now }),
      ),
  },
  session_result: {
    ...acting,
    doc: "Gives a durable session the result of a custom tool that it waits for. Option `failed: true`: it did not work. Gives the number of the event.",
    sig: '(name: string != "", use!: string, content: any, options: dict? = nil) -> int',
    fields: { options: () => sessionResultFields },
    run: result,
  },
  session_wake: {
    ...acting,
    doc: 'Queues a wake of a durable session: `{after: "2h"}` or `{at: "2026-01-31T09:00:00Z"}`, `reason`, and a `key`: a waiting wake of the same key is replaced. Gives `{key, due, reason}`.',
    sig: '(name: string != "", wake: dict) -> dict',
    fields: { wake: () => wakeFields },
    run: wake,
  },
  session_cancel_wake: {
    ...acting,
    doc: "Takes a waiting wake of a durable session back.",
    sig: '(name: string != "", key: string) -> nil',
    run: (task, session: string, key: Argument) => {
      const wanted = typeof key === "string" ? key : display(key ?? null);
      const call = { name: "session_cancel_wake", args: { session, key: wanted } };
      return change(task, session, call, (sessions, now) => {
        sessions.cancelWake({ name: session, key: wanted, now });
        return null;
      });
    },
  },
  session_info: {
    ...looking,
    doc: "What is known of a durable session (without a name: of the one that `harn session run` started the script for); nil when there is none of that name. `{name, agent, status, script, environment, resources, runs, events, pending, due, wakes, open_tool_calls, failures, problem, route, …}`.",
    sig: '(name: string? != "" = nil) -> dict?',
    run: (task, name?: string | null) => {
      const wanted = name ?? assignedSession(task);
      if (wanted === null) return null;
      const call = { name: "session_info", args: wanted };
      return lookAtSession(task, call, (sessions, now) => {
        const record = sessions.find({ name: wanted });
        return record === undefined ? null : sessionView(sessions, record, now);
      });
    },
  },
  session_list: {
    ...looking,
    doc: "The durable sessions of the project, sorted by name; of each what `session_info` gives.",
    sig: "() -> list<dict>",
    run: (task) =>
      lookAtSession(task, { name: "session_list", args: null }, (sessions, now) =>
        sessions.names().map((name) => listedView(sessions, name, now)),
      ),
  },
  session_events: {
    ...looking,
    doc: "What happened in a durable session, oldest first: events `{n, type, at, …}` after number `after` (0), at most `limit` (1000).",
    sig: '(name: string != "", options: dict? = nil) -> list<dict>',
    fields: { options: () => sessionEventsFields },
    run: sessionEvents,
  },
  session_close: {
    ...acting,
    doc: "Closes a durable session: nothing runs it any more, its wakes are gone, its events stay readable.",
    sig: '(name: string != "") -> nil',
    run: (task, session: string) =>
      change(task, session, { name: "session_close", args: session }, (sessions, now) => {
        sessions.close({ name: session, now });
        return null;
      }),
  },
});
