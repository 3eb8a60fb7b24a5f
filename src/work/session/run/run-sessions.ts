/**
 * Where a run reaches its session: the store and the folders of the project's state. Opened at the first live effect, so a
 * replay opens nothing; every use is inside an effect.
 */

import { runLedger } from "../../../durable/index.ts";
import type { Json, ResultShape } from "../../../effects/index.ts";
import { type Files, type Host, HostError } from "../../../host/index.ts";
import { keptFiles, type Runtime, stateKey, type Task } from "../../../interp/index.ts";
import { type Lease, StoreError } from "../../../store/index.ts";
import { thrown } from "../../../values/index.ts";
import { SessionStore } from "../durable/session-store.ts";
import { type Memory, noMemory } from "../memory/memory-files.ts";

/**
 * How long another machine has to wait for a session whose run was begun by a script and never ended. Here, an owner that
 * has ended loses it at once, and one that works keeps it.
 */
const scriptLeaseMs = 3_600_000;

interface RunSessionsState {
  home: RunSessions | undefined;
  /** Sessions that this Runtime runs now. */
  readonly running: Set<string>;
}

const runSessions = stateKey<RunSessionsState>("session.home", () => ({
  home: undefined,
  running: new Set(),
}));

export class RunSessions {
  readonly sessions: SessionStore;
  readonly host: Host;
  private readonly folder: string;
  private readonly leases = new Map<string, Lease>();

  constructor(runtime: Runtime, folder: string, files: Files) {
    const { host } = runtime;
    this.sessions = new SessionStore(runLedger(runtime, folder).store);
    this.host = Object.create(host, { files: { value: files } }) as Host;
    this.folder = folder;
  }

  sessionFolder = (session: string): string => `${this.folder}/sessions/${session}`;
  agentFolder = (agent: string): string => `${this.folder}/agents/${agent}`;

  memory(session: string): Memory {
    const kept = this.sessions.memory({ name: session });
    return kept === null ? noMemory : (kept as unknown as Memory);
  }

  /** Nobody else runs it from here on; a run that goes on in another process takes it again. */
  hold(session: string): void {
    const lease = this.sessions.hold(session, scriptLeaseMs);
    if (lease !== undefined) this.leases.set(session, lease);
  }

  /** Gives back what `hold` took. */
  release(session: string): void {
    const lease = this.leases.get(session);
    if (lease !== undefined) this.sessions.store.leases.release(lease);
    this.leases.delete(session);
  }
}

/** The home of the task's run. Call it inside an effect. */
export function runSessionsOf(task: Task, folder: string): RunSessions {
  const state = task.runtime.state(runSessions);
  if (state.home === undefined) {
    state.home = new RunSessions(task.runtime, folder, keptFiles(task.runtime));
  }
  return state.home;
}

/** Runs `body` as the only run of the session in this Runtime. */
export async function alone<T>(task: Task, session: string, body: () => Promise<T>): Promise<T> {
  const state = task.runtime.state(runSessions);
  if (state.running.has(session))
    throw thrown(`session_run: the session ${session} is being run by this script`);
  state.running.add(session);
  try {
    return await body();
  } finally {
    state.running.delete(session);
    state.home?.release(session);
  }
}

export interface SessionCall<T> {
  /** `session.commit` */
  readonly kind: string;
  /** Begins messages. */
  readonly caller: string;
  readonly effect: "read" | "write";
  /** The state folder; asked for only where it is used. */
  readonly folder: () => string;
  readonly args: Json;
  readonly result: ResultShape<T>;
}

/** One recorded look at, or change of, what is durable. Every one can be repeated: see `begin-run.ts`, `end-run.ts`. */
export async function inRunSessions<T>(
  task: Task,
  call: SessionCall<T>,
  run: (home: RunSessions) => T,
): Promise<T> {
  return await task.perform<T>({
    effect: call.effect,
    kind: call.kind,
    inDoubt: "repeat",
    args: () => call.args,
    run: () => explained(call, () => run(runSessionsOf(task, call.folder()))),
    result: call.result,
  });
}

function explained<T>({ caller, folder }: SessionCall<T>, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreError)
      throw thrown([`${caller}: ${error.message}`, ...error.advice].join("; "));
    if (error instanceof HostError)
      throw thrown(`${caller}: the sessions in ${folder()} can't be used: ${error.message}`);
    throw error;
  }
}
