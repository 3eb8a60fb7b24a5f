/**
 * Conversations as work of a service (`service/work-service.ts`): whoever has the message in `conversation:ID` runs its message in
 * a child, and keeps the message until the run has ended.
 *
 *     message ─▶ end what is left of a former owner ─▶ take: start │ go on │ nothing ─▶ child ─▶ how did it end?
 *                                                        ▲                                │ died: again, three times
 *                                                        └────────────────────────────────┘ else: end, acked
 *
 * On a full disk everything stands still where it is (`service/full-disk.ts`): a process that ended because its journal could not be
 * written has not died, and Stop stops what it can't note yet.
 *
 * What becomes of a conversation is decided by the operations of the store alone (`take`, `end`), in one transaction with the
 * message: a server that dies anywhere leaves a message that another one finds.
 */
import { mkdirSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  type ClaimResult,
  idOfBox,
  type MailboxMessage,
  type StoredConversation,
} from "../../durable/index.ts";
import type { AgentFailure } from "../../effects/index.ts";
import { type ChildEnd, newRunId } from "../../host/index.ts";
import { isDiskFull, type StoredRunSummary, StoreError } from "../../store/index.ts";
import type { Conversations } from "../../threads/index.ts";
import type { ChildOutput } from "../service/child-output.ts";
import { jobEndText } from "../service/job-end.ts";
import { type MessageSettlement, type WorkKindOptions, WorkKindService } from "../service/work-kind.ts";
import type { ConversationJob, FromChild } from "./child-task.ts";
import { RunningChild } from "./running.ts";
import type { ServedAgent } from "./supervisor.ts";

export interface ConversationWorkOptions extends Omit<WorkKindOptions, "store"> {
  readonly conversations: Conversations;
  readonly agents: ReadonlyMap<string, ServedAgent>;
  /** What the pool's child is told to do. */
  readonly task: (job: ConversationJob) => unknown;
  readonly patienceMs: number;
  readonly now: () => number;
  /** A child says something. */
  readonly onMessage: (conversation: string, message: FromChild) => void;
  readonly onLine: (conversation: string, line: string) => void;
  /** The store knows more about a conversation. */
  readonly onChange: (conversation: string) => void;
}

/** Between a death and the next attempt. */
const afterDeathMs = 250;

/** A run that is to begin or to go on. */
type WorkOrder = Extract<ClaimResult, { kind: "start" | "resume" }>;

export class ConversationWork extends WorkKindService {
  readonly running = new Map<string, RunningChild>();
  private readonly options: ConversationWorkOptions;
  /** Conversations that are handled here, with and without a process; true: somebody stopped one, and it could not be noted. */
  private readonly handled = new Map<string, boolean>();

  constructor(options: ConversationWorkOptions) {
    super("conversation", "*", { ...options, store: options.conversations.store });
    this.options = options;
  }

  override loseMessage(message: MailboxMessage): void {
    this.running.get(idOfBox(message.mailbox))?.lose();
  }

  /** Stops a run although nobody can write that down; one without a process at this moment before it has another. */
  interruptUnnoted(id: string): void {
    const child = this.running.get(id);
    if (child !== undefined) child.interrupt();
    else if (this.handled.has(id)) this.handled.set(id, true);
  }

  /** A message whose owner is gone, although this server has its hands full: only to end what was interrupted. */
  async standIn(message: MailboxMessage): Promise<void> {
    const { conversations } = this.options;
    const id = idOfBox(message.mailbox);
    const { mailboxes } = conversations.store;
    try {
      await this.clear(id);
      if (conversations.get({ id })?.state === "processing") this.take(id, false);
      else conversations.store.mailboxes.defer(message);
      if (conversations.get({ id })?.state !== "processing") mailboxes.ack(message);
      else mailboxes.defer(message);
    } finally {
      this.options.onChange(id);
    }
  }

  /** The service's `signal` does not end runs: `RunningChild.rest` does, and the message is settled as always. */
  async handle(message: MailboxMessage): Promise<MessageSettlement> {
    const id = idOfBox(message.mailbox);
    const { conversations, onChange } = this.options;
    this.handled.set(id, false);
    try {
      await this.room.of(() => this.clear(id));
      for (let died = false; ; ) {
        const taken = await this.room.of(() => this.take(id, died));
        onChange(id);
        if (taken.kind === "none" || taken.kind === "failed") return { kind: "ack" };
        const ended = this.handled.get(id) === true ? interruptedEnd("unwound") : await this.perform(taken);
        if (ended === "died" || ended === "no room") {
          await pause(afterDeathMs);
          died = ended === "died";
          if (!died) await this.waitForRoom(id, taken.run);
          continue;
        }
        if (ended !== "lost") {
          const end = (): unknown =>
            conversations.end({ id, run: taken.run, now: this.options.now(), ...ended }, { message });
          await this.room.of(end);
          onChange(id);
        }
        return { kind: "settled" };
      }
    } catch (error) {
      // Another server has it by now, or the conversation was removed: neither is ours any more.
      if (!(error instanceof StoreError) || (error.fault !== "taken" && error.fault !== "missing"))
        throw error;
      this.report(`${id}: ${error.message}`);
      return { kind: "settled" };
    } finally {
      this.handled.delete(id);
    }
  }

  /** Nothing is tried before there is some room; the log says for how long the run stood still. */
  private async waitForRoom(id: string, run: string): Promise<void> {
    const { conversations, now, onChange } = this.options;
    const since = now();
    await this.room.of(async () => {
      if (!(await hasDiskRoom(conversations.store.folder))) throw noRoom(conversations.store.folder);
      const text = `the disk was full: the run stood still for ${Math.round((now() - since) / 1000)} s`;
      const body = { run, data: { level: "warning", text } };
      conversations.appendEvents({
        stream: id,
        owner: null,
        events: [{ at: now(), type: "notice", origin: `${run}:full:${since}`, body }],
      });
    });
    onChange(id);
  }

  private take(id: string, died: boolean): ClaimResult {
    return this.options.conversations.takeNext(id, newRunId(), this.options.now(), died);
  }

  private async perform(taken: WorkOrder): Promise<ProcessEnd | CutEnd> {
    const { record, run } = taken;
    const { store } = this.options.conversations;
    const agent = this.options.agents.get(record.agent);
    const found = store.runs.find(run);
    // It had ended, and its server died before it could say so.
    if (taken.kind === "resume" && (found?.state === "done" || found?.state === "failed"))
      return endedAs(found, undefined);
    if (agent === undefined)
      return failed(`this server has no agent ${record.agent}; those it has: ${this.agentNames()}`);
    return await this.child(agent, record, run);
  }

  private agentNames(): string {
    const names = [...this.options.agents.keys()];
    return names.length === 0 ? "none" : names.join(", ");
  }

  private async child(
    agent: ServedAgent,
    record: StoredConversation,
    run: string,
  ): Promise<ProcessEnd | CutEnd> {
    const { id } = record;
    const { conversations, task, patienceMs, onMessage, onLine } = this.options;
    const { store } = conversations;
    const cwd = conversationWorkspace(record, agent);
    const job: ConversationJob = {
      conversation: id,
      run,
      script: agent.script,
      stateFolder: store.folder,
      patienceMs,
    };
    let child: RunningChild | undefined;
    let end: ChildEnd;
    let output: ChildOutput;
    try {
      [end, output] = await this.inChild(
        id,
        { cwd, task: task(job) },
        {
          onStart: (started) => {
            child = new RunningChild(id, run, started);
            this.running.set(id, child);
            if (this.handled.get(id) === true) child.interrupt();
          },
          onMessage: (fromChild) => onMessage(id, fromChild as FromChild),
          onLine: (line) => onLine(id, line),
        },
      );
    } catch (error) {
      if (isDiskFull(error)) return "no room";
      throw error;
    } finally {
      this.running.delete(id);
    }
    const ended = this.judged(run, end, child, output);
    if (ended === "lost") return ended;
    // Died, or ended before anything of it was recorded.
    const isUnrecorded = child?.asked === undefined && store.runs.find(run) === undefined;
    if ((ended === "died" || isUnrecorded) && !(await hasDiskRoom(store.folder))) return "no room";
    return ended;
  }

  /** What the end of the process means for the run; the journal says it where it can. */
  private judged(
    run: string,
    end: ChildEnd,
    child: RunningChild | undefined,
    output: ChildOutput,
  ): ProcessEnd | "died" | "lost" {
    const { asked } = child ?? {};
    if (asked === "lost") return "lost";
    if (asked === "interrupt") return interruptedEnd(end.kind === "killed" ? "killed" : "unwound");
    const found = this.options.conversations.store.runs.find(run);
    const code = end.kind === "ended" ? end.exitCode : null;
    switch (found?.state) {
      case "done":
      case "failed":
        return endedAs(found, code, output.error());
      case "waiting":
        return { status: "waiting", exitCode: code, error: null, how: null };
      default:
    }
    if (asked === "rest" || child === undefined)
      return { status: "resumable", exitCode: null, error: null, how: null };
    if (end.kind === "killed") return failed(`the run was ended: ${jobEndText(end)}`);
    if (end.kind === "died" && output.outOfMemory)
      return failed(`the run was ended: ${jobEndText({ kind: "killed", because: "memory" })}`);
    // Ctrl-C, `harn runs stop`: somebody wanted it to end.
    if (found?.state === "stopped")
      return { status: "interrupted", exitCode: code, error: null, how: "unwound" };
    // Nothing was recorded: the script did not begin.
    if (end.kind === "ended" && found === undefined)
      return end.exitCode === 0
        ? endedAs({ state: "done", outcome: undefined }, 0)
        : failed(output.error() ?? jobEndText(end), end.exitCode);
    this.report(`${child.conversation}: its process ended (${jobEndText(end)})`);
    return "died";
  }
}

/** What leaves the run as it is: its process died; it could not write; another server has it. */
type CutEnd = "died" | "no room" | "lost";

interface ProcessEnd {
  readonly status: "done" | "failed" | "interrupted" | "waiting" | "resumable";
  readonly exitCode: number | null;
  readonly error: string | null;
  readonly outcome?: AgentFailure;
  readonly how: "unwound" | "killed" | null;
}

const failed = (error: string, exitCode: number | null = null): ProcessEnd => ({
  status: "failed",
  exitCode,
  error,
  how: null,
});

const interruptedEnd = (how: "unwound" | "killed"): ProcessEnd => ({
  status: "interrupted",
  exitCode: null,
  error: null,
  how,
});

const endedAs = (
  { state, outcome }: Pick<StoredRunSummary, "state" | "outcome">,
  exitCode: number | null | undefined,
  error?: string,
): ProcessEnd =>
  state === "done"
    ? { status: "done", exitCode: exitCode ?? 0, error: null, ...(outcome && { outcome }), how: null }
    : failed(error ?? `the script failed with exit code ${exitCode ?? 1}`, exitCode ?? 1);

/** Bytes below which a disk counts as full for a process that ended without a word in its journal. */
const leastRoom = 256 * 1024;

async function hasDiskRoom(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize >= leastRoom;
}

const noRoom = (folder: string): StoreError =>
  new StoreError("full", `the disk of ${folder} is full`, ["make room"]);

const ownerOnly = 0o700;

/** Where the run works: the conversation's own folder, made again when somebody removed it, else the script's. */
function conversationWorkspace({ workspace }: StoredConversation, agent: ServedAgent): string {
  if (workspace === null) return dirname(agent.script);
  mkdirSync(workspace, { recursive: true, mode: ownerOnly });
  return workspace;
}
