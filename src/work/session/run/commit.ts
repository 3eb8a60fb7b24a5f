/** The end of a run, as one recorded step: everything into the store at once, then the files that show it. */

import type { NewLearning, Receipt, SessionOutcome } from "../../../durable/index.ts";
import { type Json, type ResultShape, shape } from "../../../effects/index.ts";
import { HostError } from "../../../host/index.ts";
import type { Task } from "../../../interp/index.ts";
import { sha256Hex } from "../../../values/index.ts";
import { writeLearnings } from "../memory/agent-files.ts";
import { type Memory, saveMemory } from "../memory/memory-files.ts";
import { addPromotions, type RunPlace } from "./load.ts";
import { inRunSessions, type RunSessions } from "./run-sessions.ts";

export interface RunCommit {
  readonly agent: string;
  readonly outcome: Omit<SessionOutcome, "digest">;
  readonly memory: Omit<Memory, "run">;
  readonly learnings: readonly NewLearning[];
  readonly promoteAfter: number;
}

export interface CommitResult {
  readonly receipt: Receipt;
  /** About files that could not be written: the store has what they would say. */
  readonly notes: readonly string[];
}

const committedShape = shape.record<CommitResult>({
  receipt: shape.someFields<Receipt>({
    run: shape.count,
    status: shape.text as ResultShape<Receipt["status"]>,
    uses: shape.listOf(shape.someFields<Receipt["uses"][number]>({ id: shape.text, name: shape.text })),
    promoted: shape.listOf(shape.text),
    due: shape.orNull(shape.number),
    problems: shape.listOf(shape.text),
  }),
  notes: shape.listOf(shape.text),
});

export async function commitSessionRun(task: Task, place: RunPlace, done: RunCommit): Promise<CommitResult> {
  const { folder, session, token, now } = place;
  const { agent, outcome, learnings, promoteAfter } = done;
  const args = { session, token, now, ...done } as unknown as Json;
  return await inRunSessions(
    task,
    { kind: "session.commit", caller: "session_run", effect: "write", folder, args, result: committedShape },
    (home) => {
      home.hold(session);
      const digest = sha256Hex(home.host.crypto, JSON.stringify(done));
      const receipt = home.sessions.commit({
        name: session,
        token,
        outcome: { ...outcome, digest },
        now,
        memory: { ...done.memory },
        learned: { agent, found: learnings, promoteAfter },
      });
      const notes = writeFiles(home, { session, agent, learned: learnings.length > 0 });
      home.release(session);
      return { receipt, notes };
    },
  );
}

/** The model failed: nothing was handled. */
export async function noteFailure(task: Task, place: RunPlace, message: string): Promise<void> {
  const { folder, session, token, now } = place;
  const args = { session, token, message };
  await inRunSessions(
    task,
    { kind: "session.fail", caller: "session_run", effect: "write", folder, args, result: shape.nothing },
    (home) => {
      home.hold(session);
      home.sessions.fail({ name: session, token, message, now });
      home.release(session);
      return null;
    },
  );
}

/** A disk that takes no files costs the files: the next run writes them. */
function writeFiles(
  home: RunSessions,
  {
    session,
    agent,
    learned,
  }: { readonly session: string; readonly agent: string; readonly learned: boolean },
): string[] {
  try {
    saveMemory(home.host, home.sessionFolder(session), home.memory(session), checkpointFacts(home, session));
    addPromotions(home, agent);
    if (learned) writeLearnings(home.host, home.agentFolder(agent), home.sessions.learnings({ agent }));
    return [];
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return [`the files of the session can't be written (${error.message}); the store has everything`];
  }
}

/** What `checkpoint.json` says besides run and digests. */
function checkpointFacts(home: RunSessions, session: string): { [name: string]: Json } {
  const record = home.sessions.mustFind(session);
  return {
    session,
    agent: record.agent,
    status: record.status,
    events: record.events,
    handled: record.handled,
    pending: record.pending,
    open_tool_calls: record.awaiting
      .filter(({ answered }) => answered === null)
      .map(({ id, name, input }) => ({ id, name, input })),
    wakes: home.sessions
      .wakes({ name: session })
      .map(({ key, due, reason }) => ({ key, due: new Date(due).toISOString(), reason })),
    route: record.route === null ? null : { ...record.route },
  };
}
