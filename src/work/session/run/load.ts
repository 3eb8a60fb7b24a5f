/**
 * The beginning of a run: what is pending, and everything that outlives runs, as two recorded looks (the second needs what
 * the first and the project's manifest say).
 */

import type { RunBeginning, SessionRecord } from "../../../durable/index.ts";
import { shape } from "../../../effects/index.ts";
import type { Task } from "../../../interp/index.ts";
import { promoteAgentFile, readMemoryFile } from "../memory/agent-files.ts";
import { loadMemory } from "../memory/memory-files.ts";
import { type Environment, environmentOf } from "./environment.ts";
import { type Resource, readResources, resourceShape } from "./resources.ts";
import { inRunSessions, type RunSessions } from "./run-sessions.ts";

/** Characters of events that one run handles; one event is always taken. */
const charsAtOnce = 64_000;
/** Learnings that the model is told. */
const maxListed = 30;

/** Where and when, and whose. */
export interface RunPlace {
  readonly folder: () => string;
  readonly session: string;
  readonly token: string;
  readonly now: number;
}

/** Records of sessions come from the store, which checks them: what a run reads of them at once is looked at. */
const recordOfSession = shape.someFields<SessionRecord>({
  name: shape.text,
  agent: shape.text,
  environment: shape.orNull(shape.text),
  resources: shape.listOf(shape.text),
});
const beginningShape = shape.either(
  shape.record<Extract<RunBeginning, { ran: false }>>({
    ran: shape.only(false),
    reason: shape.text,
    record: recordOfSession,
  }),
  shape.someFields<Extract<RunBeginning, { ran: true }> & SessionContents>({
    ran: shape.only(true),
    record: recordOfSession,
    run: shape.count,
    memoryFile: shape.text,
    learnings: shape.listOf(shape.text),
    notes: shape.listOf(shape.text),
  }),
);

export type LoadedRun =
  | Extract<RunBeginning, { ran: false }>
  | (Extract<RunBeginning, { ran: true }> &
      SessionContents & {
        readonly environment: Environment | null;
        readonly resources: readonly Resource[];
      });

export async function loadRun(task: Task, place: RunPlace, maxEvents: number): Promise<LoadedRun> {
  const { folder, session, token, now } = place;
  const caller = "session_run";
  const begun = await inRunSessions(
    task,
    {
      kind: "session.begin",
      caller,
      effect: "write",
      folder,
      args: { session, token },
      result: beginningShape,
    },
    (home) => {
      home.hold(session);
      const found = home.sessions.begin({
        name: session,
        token,
        batch: { events: maxEvents, chars: charsAtOnce },
        now,
      });
      return found.ran ? { ...found, ...insideOf(home, found) } : found;
    },
  );
  if (!begun.ran) return begun;
  const environment = environmentOf(task, begun.record.environment);
  const paths = [...begun.record.resources, ...(environment?.resources ?? [])];
  const resources = await inRunSessions(
    task,
    {
      kind: "session.resources",
      caller,
      effect: "read",
      folder,
      args: paths,
      result: shape.listOf(resourceShape),
    },
    (home) => readResources(home.host.files, paths),
  );
  return { ...begun, environment, resources };
}

function insideOf(home: RunSessions, { record }: Extract<RunBeginning, { ran: true }>) {
  const agentFolder = home.agentFolder(record.agent);
  const loaded = loadMemory(home.host, home.sessionFolder(record.name), home.memory(record.name));
  addPromotions(home, record.agent);
  const { text, note } = readMemoryFile(home.host, agentFolder);
  const learnings = home.sessions.learnings({ agent: record.agent }).filter(({ promoted }) => !promoted);
  return {
    memory: loaded.memory,
    memoryFile: text,
    learnings: learnings.slice(0, maxListed).map((learning) => learning.text),
    wakes: home.sessions.wakes({ name: record.name }),
    /** About files, for people. */
    notes: note === null ? loaded.notes : [...loaded.notes, note],
  };
}

type SessionContents = Readonly<ReturnType<typeof insideOf>>;

/** Brings what was promoted into `MEMORY.md`, also what a process that died did not come to. */
export function addPromotions(home: RunSessions, agent: string): void {
  const texts = home.sessions.promotions({ agent });
  if (texts.length > 0 && promoteAgentFile(home.host, home.agentFolder(agent), texts))
    home.sessions.promoted({ agent, texts });
}
