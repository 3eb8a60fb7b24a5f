/**
 * The supervisor of a server. Several may work on one store: messages and interrupts are rows, whoever owns a run acts.
 *
 *     every 50 ms: has another process written?  ─▶ interrupts that are open: ours are carried out, those whose owner is gone
 *                                                   are stood in for
 *                                                ─▶ logs that have grown: listeners are told
 */
import { randomBytes } from "node:crypto";
import { embeddedDispatcher, type NewInterrupt, pausing, workBox } from "../../durable/index.ts";
import { type ChildPool, createNodeHost } from "../../host/index.ts";
import { isDiskFull, type Store, StoreError } from "../../store/index.ts";
import { Conversations, type UnfinishedText } from "../../threads/index.ts";
import { protocolVersion } from "../protocol/index.ts";
import { WorkService } from "../service/work-service.ts";
import type { ConversationJob, FromChild } from "./child-task.ts";
import { ConversationWork } from "./conversation-work.ts";
import { RunStops } from "./run-stops.ts";
import type {
  InterruptAnswer,
  InterruptWish,
  Listener,
  PassingEnvelope,
  ServedAgent,
  Supervisor,
} from "./supervisor.ts";

export interface SupervisorOptions {
  readonly store: Store;
  readonly agents: readonly ServedAgent[];
  /** Runs at once. */
  readonly jobs: number;
  /** Where they work; closed by `stop`. Its `most` must not be below `jobs`. */
  readonly pool: ChildPool;
  /** What a child of the pool is told to do. */
  readonly task: (job: ConversationJob) => unknown;
  /** How long a run lives on with nothing but questions left; 30 s. */
  readonly patienceMs?: number;
  /** How long runs have to come to an end when the server drains; 10 s. */
  readonly drainMs?: number;
  /** What children print. */
  readonly onLine?: (conversation: string, line: string) => void;
  /** For whoever operates the server. */
  readonly report: (text: string) => void;
}

/** How long what another process wrote may stay unnoticed. */
const lookEveryMs = 50;
const usualPatienceMs = 30_000;
const usualDrainMs = 10_000;

export class StoreSupervisor implements Supervisor {
  readonly agents: readonly ServedAgent[];
  private readonly options: SupervisorOptions;
  private readonly conversations: Conversations;
  private readonly work: ConversationWork;
  private readonly service: WorkService;
  private readonly publisher: LogPublisher;
  private readonly runStops: RunStops;
  private looking: NodeJS.Timeout | undefined;
  private version = -1;
  private running: Promise<void> | undefined;
  private stopping: Promise<void> | undefined;
  private standingIn: Promise<void> = Promise.resolve();

  constructor(options: SupervisorOptions) {
    const { store, agents, jobs, pool, task, report } = options;
    this.options = options;
    this.agents = agents;
    this.conversations = new Conversations(store);
    this.publisher = new LogPublisher(this.conversations);
    this.runStops = new RunStops(this.conversations, this.now);
    this.work = new ConversationWork({
      conversations: this.conversations,
      agents: new Map(agents.map((agent) => [agent.name, agent])),
      jobs,
      pool,
      task,
      patienceMs: options.patienceMs ?? usualPatienceMs,
      now: this.now,
      onMessage: (conversation, message) => this.receive(conversation, message),
      onLine: options.onLine ?? (() => {}),
      onChange: () => this.publisher.look(),
      report,
    });
    this.service = new WorkService(embeddedDispatcher(store, createNodeHost().clock), this.work);
  }

  private readonly now = (): number => this.options.store.now();

  get trouble(): "disk-full" | undefined {
    return this.work.room.isFull ? "disk-full" : undefined;
  }

  async start(): Promise<void> {
    await this.service.begin();
    this.looking = setInterval(() => this.look(), lookEveryMs);
    this.running = this.service.run().catch((error: unknown) => {
      this.options.report(`cannot go on: ${error instanceof Error ? error.message : String(error)}`);
    });
  }

  wake(conversation: string): void {
    this.work.running.get(conversation)?.send({ type: "look" });
    for (const asked of this.conversations.interrupts())
      if (asked.conversation === conversation) this.carryOut(conversation, asked.how);
    this.publisher.look();
  }

  listen(listener: Listener): () => void {
    return this.publisher.listen(listener);
  }

  async interrupt(wish: InterruptWish): Promise<InterruptAnswer> {
    const { target, by, reason = null } = wish;
    const asked = { interrupt: `i_${randomBytes(12).toString("hex")}`, by, reason };
    if ("run" in target) {
      const conversation = this.conversations.ofRun({ run: target.run })?.conversation;
      if (conversation === undefined) return this.runStops.ask(target.run, asked);
      // An older run of the conversation is over.
      const work = this.conversations.get({ id: conversation })?.work ?? null;
      if (work?.run !== target.run)
        return {
          interrupt: undefined,
          state: this.conversations.store.runs.find(target.run)?.state ?? "done",
        };
      return this.interruptConversation(conversation, asked);
    }
    return this.interruptConversation(target.conversation, asked);
  }

  private interruptConversation(id: string, asked: NewInterrupt): InterruptAnswer {
    const { interrupt, record } = this.recordInterrupt(id, asked);
    if (interrupt !== null && interrupt.done === null) this.carryOut(id, interrupt.how);
    this.publisher.look();
    return { interrupt: interrupt?.id, state: record.state };
  }

  /** What costs money must stop although nobody can write it down: it is noted at the run's end, when there is room. */
  private recordInterrupt(id: string, asked: NewInterrupt) {
    try {
      return this.conversations.interrupt({ id, ...asked, now: this.now() });
    } catch (error) {
      if (isDiskFull(error)) this.work.interruptUnnoted(id);
      throw error;
    }
  }

  /** Ours is stopped, or parked; one whose owner is gone is ended in its place; any other one is its owner's. */
  private carryOut(conversation: string, how: string | null): void {
    const child = this.work.running.get(conversation);
    if (child !== undefined) {
      if (how !== pausing) child.interrupt();
      else if (child.asked === undefined) child.rest(false);
      return;
    }
    this.standingIn = this.standingIn
      .then(() => this.standIn(conversation))
      .catch((error: unknown) => {
        if (!(error instanceof StoreError)) throw error;
        this.options.report(`${conversation}: ${error.message}`);
      });
  }

  private async standIn(conversation: string): Promise<void> {
    const claimed = this.options.store.mailboxes.claim(workBox("conversation", conversation));
    if (claimed !== undefined) await this.work.standIn(claimed);
  }

  private look(): void {
    try {
      this.publisher.look();
      const version = this.options.store.othersVersion();
      if (version === this.version) return;
      this.version = version;
      this.publisher.lookAtTexts((conversation) => this.work.running.has(conversation));
      this.carryOutAll();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // It is looked at again.
      this.version = -1;
    }
  }

  private carryOutAll(): void {
    for (const { conversation, run, id, how } of this.conversations.interrupts()) {
      if (conversation !== null) this.carryOut(conversation, how);
      else if (run !== null) this.runStops.carryOut(run, id);
    }
  }

  private receive(conversation: string, message: FromChild): void {
    if (message.type === "more") this.publisher.look();
    else this.publisher.pass(conversation, message.event);
  }

  stop(how: "drain" | "now"): Promise<void> {
    if (how === "now") for (const child of this.work.running.values()) child.rest(true);
    this.stopping ??= this.end(how);
    return this.stopping;
  }

  private async end(how: "drain" | "now"): Promise<void> {
    this.service.stop(how === "now");
    const late = setTimeout(
      () => {
        this.work.room.giveUp();
        for (const child of this.work.running.values()) child.rest(false);
      },
      how === "now" ? 0 : (this.options.drainMs ?? usualDrainMs),
    );
    try {
      await this.running;
      await this.standingIn;
    } finally {
      clearTimeout(late);
      clearInterval(this.looking);
      this.options.pool.close();
    }
  }
}

/** Runs of other servers whose texts are sent; on one machine there are no more at work at once. */
const maxRuns = 1000;

/** Who listens to streams, and what they get: pieces of what is in progress, and that a log has grown. */
class LogPublisher {
  private readonly conversations: Conversations;
  private readonly listeners = new Set<Listener>();
  /** Over all streams, up to here everybody knows. */
  private known = 0;

  constructor(conversations: Conversations) {
    this.conversations = conversations;
  }

  listen(listener: Listener): () => void {
    // Whoever comes first has read, or reads next, what there was before.
    if (this.listeners.size === 0) this.known = this.conversations.store.streams.lastId();
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Sends what the store has and nobody got yet; costs one look at an index. */
  look(): void {
    if (this.listeners.size === 0) return;
    const last = this.conversations.store.streams.lastId();
    if (last === this.known) return;
    const grown = this.conversations.store.streams.grown(this.known);
    this.known = last;
    for (const [stream, head] of grown)
      for (const listener of [...this.listeners]) listener(stream, { more: head });
  }

  /** What is being said in runs of other servers, as their children keep it: those of ours tell it themselves. */
  lookAtTexts(isOurs: (conversation: string) => boolean): void {
    if (this.listeners.size === 0) return;
    for (const { id } of this.conversations.list({ state: "processing", limit: maxRuns }).items) {
      if (isOurs(id)) continue;
      for (const said of this.conversations.unfinished(id)) this.pass(id, this.partial(id, said));
    }
  }

  private partial(conversation: string, { text, message, ...place }: UnfinishedText): PassingEnvelope {
    const at = this.conversations.store.now();
    const data = { message, text };
    return { v: protocolVersion, seq: null, at, type: "partial", conversation, call: null, ...place, data };
  }

  pass(stream: string, event: PassingEnvelope): void {
    for (const listener of [...this.listeners]) listener(stream, event);
  }
}
