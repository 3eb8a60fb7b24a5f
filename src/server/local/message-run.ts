/**
 * One message of a durable conversation, in a process of its own: the agent's script runs once, with what was said as its task,
 * as `harn acp` runs it for a prompt. Begun before, the run goes on; a fork begins as the run that it was forked from.
 *
 * Script form: `argv[0]` is what was said, `argv[1]` the conversation's id.
 */
import type { SaidMessage, StoredConversation } from "../../durable/index.ts";
import { runEvents } from "../../events/index.ts";
import { reportError } from "../../host/command/index.ts";
import { onState, type StateWiring } from "../../interp/index.ts";
import { forkOfRun, resumeRun } from "../../run/index.ts";
import { flagsOver, type RunFlags, type Surroundings } from "../../run/setup/index.ts";
import { runScriptCommand } from "../../run/start.ts";
import { openStore, StoreError } from "../../store/index.ts";
import {
  Conversations,
  RunLog,
  type RunLogPorts,
  type ServedMessage,
  servedArgs,
} from "../../threads/index.ts";
import { attachmentIn } from "../supervise/index.ts";
import { WorkspaceChanges } from "./workspace-changes.ts";

export interface MessageJob {
  readonly conversation: string;
  readonly run: string;
  /** Absolute path of the agent's script. */
  readonly script: string;
  /** Where the store is. */
  readonly stateFolder: string;
}

/** What the server's child does besides: it asks people. */
export type AskPorts = Pick<Surroundings, "began" | "asked" | "over" | "parkLater" | "peopleDecide"> & {
  ended(): Promise<void>;
};

/** A run at work, for whoever hears from the server. */
export interface MessageRun {
  /** Its exit code. */
  readonly ended: Promise<number>;
  /** Something was written that may concern it. */
  look(): void;
}

export function messageRun(
  job: MessageJob,
  flags: RunFlags,
  asking: AskPorts,
  publish: NonNullable<RunLogPorts["publish"]>,
): MessageRun {
  // The run's journal, and what its program keeps, lie where the conversation does.
  process.env.HARN_STATE_DIR = job.stateFolder;
  const store = openStore(job.stateFolder);
  const conversations = new Conversations(store);
  const { conversation, run } = job;
  const record = conversations.mustGet(conversation);
  if (record.work?.run !== run)
    throw new StoreError("taken", `the conversation ${conversation} is not working on the run ${run}`);
  const message =
    record.work.message === null ? undefined : conversations.message({ message: record.work.message });
  const warn = (text: string): void => reportError(`warning: ${text}\n`);
  const log = new RunLog({
    conversations,
    conversation,
    run,
    message: record.work.message,
    attachment: (path) => attachmentIn(record.workspace, path),
    now: Date.now,
    after: afterMs,
    ...(record.workspace === null ? {} : { changes: new WorkspaceChanges(record.workspace, warn) }),
    publish,
    warn,
  });
  const { route, work } = record;
  const { provider, model } = route ?? {};
  const ownFlags = flagsOver(flags, {
    ...(provider == null ? {} : { provider }),
    ...(model == null ? {} : { model }),
  });
  // Of a fork: this process is the run's alone, and whoever resumes it has them again.
  for (const [name, value] of Object.entries(work.fork?.set ?? {})) process.env[name] = value;
  const surroundings = surroundingsOf(log, asking);
  const begin = async (): Promise<number> => {
    try {
      if (store.runs.find(run) !== undefined) {
        const { resumeCommand } = await import("../../run/index.ts");
        return await resumeCommand(run, undefined, [], ownFlags, surroundings);
      }
      const { fork } = record.work ?? {};
      if (fork !== undefined) return await resumeRun({ ...forkedRun(), newName: run, surroundings });
      const served = servedBy(record, message, run);
      return await runScriptCommand(
        job.script,
        servedArgs(served),
        { ...ownFlags, runName: run, served },
        surroundings,
      );
    } finally {
      store.close();
    }
  };
  const forkedRun = () => {
    const { run: from, step, provider, model, set, result } = record.work?.fork ?? noFork();
    return forkOfRun(store, from, {
      at: String(step),
      ...(flags.onDoubt === undefined ? {} : { onDoubt: flags.onDoubt }),
      set,
      ...(provider === null ? {} : { provider }),
      ...(model === null ? {} : { model }),
      ...(result === null ? {} : { result }),
    });
  };
  return { ended: begin(), look: () => log.lookNow() };
}

const noFork = (): never => {
  throw new Error("the run is no fork");
};

/** The log of the run, and who is asked. */
function surroundingsOf(log: RunLog, asking: AskPorts): Surroundings {
  const listen: StateWiring = onState(runEvents, (events) => {
    events.subscribe(log.write);
  });
  return {
    asked: (place, question, journal) => {
      // The question stands in the log after what led to it, which stands after the journal.
      journal.writer.flush();
      log.flushEvents();
      asking.asked(place, question, journal);
    },
    over: (place, journal) => asking.over(place, journal),
    parkLater: (park) => asking.parkLater(park),
    peopleDecide: (kind, inDoubt) => asking.peopleDecide(kind, inDoubt),
    wirings: [listen],
    reader: "server",
    served: log.served,
    began: (runtime, run) => {
      if (run !== undefined) run.onJournalled = log.flush;
      log.began(runtime, () => run?.records ?? 0);
      asking.began(runtime, run);
    },
    ended: async () => {
      log.ended();
      await asking.ended();
    },
  };
}

function servedBy(record: StoredConversation, said: SaidMessage | undefined, run: string): ServedMessage {
  const { id, title, agent, mode, config, workspace, parent, modeChanges } = record;
  return {
    conversation: id,
    title,
    agent,
    mode,
    config,
    workspace,
    parent: parent?.conversation ?? null,
    message: said?.id ?? null,
    text: said?.text ?? "",
    attachments: said?.attachments ?? [],
    by: said?.by ?? null,
    run,
    modeChanges,
  };
}

/** A timer that keeps no process alive. */
function afterMs(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  timer.unref();
  return () => clearTimeout(timer);
}
