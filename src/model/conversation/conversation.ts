/**
 * Conversations: what is said under one session id, kept for the run. A loop appends to one, the next loop with the
 * same id goes on in it.
 *
 * The log of messages is append-only and every message has a stable id; nothing is edited. What the model sees next is
 * `renderView(log, plan)` (compaction-plan.ts), kept as the list `shown`: it grows by one per message, so a turn costs the
 * same however long the conversation is, and is made anew when a change of the plan is committed.
 */

import type { Json } from "../../effects/index.ts";
import type { LoopIdentity } from "../../events/index.ts";
import { stateKey, type Task, TaskLocal } from "../../interp/index.ts";
import { type Callable, Dict, fromJson, List } from "../../values/index.ts";
import type { ModelMessage } from "../llm/index.ts";
import type { OpenBatch } from "../tools/open-batch.ts";
import {
  type CompactionPlan,
  committed,
  type DropRecord,
  dropping,
  emptyPlan,
  isInView,
  type LoggedMessage,
  type PlanChange,
  placementsIn,
  type RenderedBodies,
  renderView,
} from "./compaction-plan.ts";
import type { ActiveSkill, AgentMode, UserMessageMode } from "./in-force.ts";
import { Interventions } from "./interventions.ts";
import { LoopLogs } from "./loop-logs.ts";
import { messageChars } from "./message-size.ts";
import { type Origin, originField, originOfMessage } from "./origin.ts";
import { SeenCalls } from "./seen-calls.ts";
import type { LadderMemory, ResultNote } from "./structured-summary.ts";
import type { ContractState } from "./task-contract.ts";
import type { Ledger } from "./work-items.ts";

/** An entry of the audit trail that is no message. */
interface AuditEvent {
  readonly kind: string;
  readonly role: string;
  readonly visibility: "public" | "internal" | "private";
  readonly text: string;
  readonly metadata: Dict | null;
}

/** The kind of what a person says: it enters the conversation as it is. */
export const userMessageKind = "user_message";

interface Feedback {
  readonly kind: string;
  readonly text: string;
  /** Of what a person says while a loop works. */
  readonly mode?: UserMessageMode;
  /** The message that the model is told instead of the text, by whether it sees pictures. */
  readonly message?: (seesPictures: boolean) => ModelMessage;
}

/** What a compaction took out of view. */
interface Archive {
  /** The id of the asset under which transcripts show it. */
  readonly assetId: string;
  readonly messages: readonly LoggedMessage[];
}

/** Folders that the session works in: what paths of its tools are measured against. */
export interface WorkspaceAnchor {
  readonly primary: string;
  readonly roots: readonly { readonly path: string; readonly mode: string }[];
}

export class Conversation {
  readonly id: string;
  readonly log: LoggedMessage[] = [];
  /** Messages that were in the log and were forgotten (`reset`). */
  forgotten = 0;
  /** What the model sees: `renderView(log, plan)`. */
  readonly shown: LoggedMessage[] = [];
  /** What becomes of each message of the log in `shown`. Changed by `commit` alone. */
  plan: CompactionPlan;
  private readonly bodies: RenderedBodies = new WeakMap();
  /** The messages of `shown`: one list that only grows while nothing is taken out, so that nobody copies or recounts it. */
  view: ModelMessage[] = [];
  /** Characters of what is shown, counted as it changes. */
  chars = 0;
  /** Raised whenever something goes out of view: whoever keeps a view of its own begins anew. */
  revision = 0;
  /** What compactions have put in the place of older messages, one after the other; "" before the first. */
  summary = "";
  /** The text of the last compaction's message: it speaks for everything before it. */
  lastSummary = "";
  /** What the ladder remembers of messages out of view; `null` before its first summary. */
  ladder: LadderMemory | null = null;
  /** What tools said of their results besides the text, by message and position in it (`msg_4/0`). */
  readonly resultNotes = new Map<string, ResultNote>();
  readonly archives: Archive[] = [];
  /** Reminders that wait to be told, oldest first (context/reminders.ts). */
  reminders: Dict[] = [];
  /** Working memory (context/scratchpad); every change counts the version up. */
  scratchpad: Dict | null = null;
  scratchpadVersion = 0;
  /** What its agent has planned and done; `null`: nobody keeps a ledger. */
  workItems: Ledger | null = null;
  /** Plan or execute, of loops with `modes`; `null`: none of its loops had them. */
  mode: AgentMode | null = null;
  /** What must be true at the end, and how far it was seen to be. */
  contract: ContractState | null = null;
  /** A part of the control plane has worked on it: its transcripts say what became of the view, and why. */
  controlled = false;
  anchor: WorkspaceAnchor | null = null;
  /** `metadata` of its transcripts: where a fork came from. */
  metadata: Dict = new Dict();
  readonly audit: AuditEvent[] = [];
  /** What the runtime did to it by itself, with the reasons. */
  readonly interventions = new Interventions();
  /** What its model calls were made of. */
  readonly seen = new SeenCalls();
  /** What the machines of its loops told. */
  readonly loopLogs = new LoopLogs();
  readonly subscribers: Callable[] = [];
  /** Waiting to be told to the model before its next turn. */
  readonly feedback: Feedback[] = [];
  /** Called when somebody says something from outside: loops that idle. */
  readonly arrivals = new Set<() => void>();
  /** How often somebody did. */
  arrivalCount = 0;
  /** The format of the first loop; later loops keep it. */
  toolFormat: string | null = null;
  parentId: string | null = null;
  readonly childIds: string[] = [];
  branchedAt: number | null = null;
  /** Skills in force, in the order in which they came. */
  activeSkills: readonly ActiveSkill[] = [];
  /** What was granted for the whole session, by level, tool and arguments, with the reason. */
  readonly grants = new Map<string, string>();
  /** 1-based turn of the loop whose model call is out; 0 between turns. */
  turn = 0;
  /** The loop that ran on it last, as events know it. */
  latestLoop: LoopIdentity | null = null;
  /** Loops running on it now: it is not evicted while there are any. */
  running = 0;
  /** Why it is to be closed as soon as its loop is over; `null`: it is not. */
  closing: string | null = null;
  /** The task of the loop that runs on it: what stays in view when everything else is forgotten meanwhile. */
  task: LoggedMessage | null = null;
  /** How far the view is known to be sound (`agent/context/repair/`): so many messages of this revision. */
  sound = { revision: -1, length: 0 };
  /** Calls that a suspended loop left undispatched (phases/open-batch.ts). */
  openBatch: OpenBatch | null = null;
  /** The next loop resumes the suspended one: it begins at the open batch, and is told `said` after its results. */
  resumption: { readonly said: string | null } | null = null;
  /** What the loop that is resumed next knows of its progress (agent/completion/repetition/); null: it begins anew. */
  streak: Json | null = null;
  /** The message whose calls are being run, and what others said meanwhile. */
  private calling: LoggedMessage | null = null;
  private readonly held: { readonly message: ModelMessage; readonly origin: Origin }[] = [];
  /** Made by a loop that was given no session id: nobody waits for it, so it ages out. */
  disposable = false;
  /** A later run goes on with it: one of a server's conversations. */
  isContinued = false;
  /** Messages as script values, remembered. */
  private known = new WeakMap<LoggedMessage, Dict>();

  constructor(id: string) {
    this.id = id;
    this.plan = emptyPlan(id);
  }

  /** Says something. `origin`: whose words they are; without it they are read as those of a transcript. */
  append(message: ModelMessage, origin: Origin = originOfMessage(message)): LoggedMessage {
    const logged = this.record(message, origin);
    this.shown.push(logged);
    this.view.push(message);
    this.chars += messageChars(message);
    return logged;
  }

  /** Appends what somebody says from outside: after the results of the calls that are open. */
  say(message: ModelMessage, origin: Origin = originOfMessage(message)): void {
    if (this.calling === null) this.append(message, origin);
    else this.held.push({ message, origin });
  }

  /** The calls of this message are about to be run: until `callsAnswered`, nobody's words come after it. */
  callsBegin(message: LoggedMessage): void {
    this.calling = message;
  }

  callsAnswered(): void {
    this.calling = null;
    for (const { message, origin } of this.held.splice(0)) this.append(message, origin);
  }

  /** What others said and what is not in view yet. */
  get unsaid(): readonly { readonly message: ModelMessage; readonly origin: Origin }[] {
    return this.held;
  }

  /** Writes a message into the log only: it is in view with the next `commit` or `show`, which say where. */
  record(message: ModelMessage, origin: Origin = originOfMessage(message)): LoggedMessage {
    const logged = { id: `msg_${this.log.length + 1}`, message, origin };
    this.log.push(logged);
    return logged;
  }

  /** Takes a message out of what the model sees. */
  hide({ id }: LoggedMessage, reason: DropRecord["reason"]): void {
    if (!this.shown.some((one) => one.id === id)) return;
    if (id === this.calling?.id) this.callsAnswered();
    this.commit(dropping(this.log, new Set([id]), reason));
  }

  /**
   * Keeps only these in view, in this order, and the message whose calls are being run: their results come after it.
   * Bodies stay as the plan has them.
   */
  show(messages: readonly LoggedMessage[], reason: DropRecord["reason"]): void {
    const next = [...messages];
    const { calling, task } = this;
    if (calling !== null && !next.some(({ id }) => id === calling.id)) next.push(calling);
    if (task !== null && next[0]?.id === calling?.id) next.unshift(task);
    const wanted = new Set(next.map(({ id }) => id));
    const gone = this.log.filter(({ id }) => !wanted.has(id) && isInView(this.plan, id));
    const { actions, drop_records } = dropping(this.log, new Set(gone.map(({ id }) => id)), reason);
    const back = [...wanted].filter((id) => !isInView(this.plan, id));
    this.commit({
      actions: { ...actions, ...Object.fromEntries(back.map((id) => [id, "include" as const])) },
      drop_records,
      placement_records: placementsIn(this.log, this.plan, next),
    });
  }

  /**
   * Changes the plan, and the view with it. The message whose calls are being run stays in view, and the task before it
   * when everything else is gone.
   */
  commit(change: PlanChange): void {
    this.plan = committed(this.plan, change);
    this.rendered();
  }

  private rendered(): void {
    let next = renderView(this.log, this.plan, this.bodies);
    const back = this.missing(next);
    if (back.length > 0) {
      const actions = Object.fromEntries(back.map((id) => [id, "include" as const]));
      this.plan = { ...this.plan, actions: { ...this.plan.actions, ...actions } };
      next = renderView(this.log, this.plan, this.bodies);
    }
    this.shown.length = 0;
    this.chars = 0;
    for (const logged of next) {
      this.shown.push(logged);
      this.chars += messageChars(logged.message);
    }
    this.view = this.shown.map(({ message }) => message);
    this.revision++;
  }

  /** What a change must not take away. */
  private missing(next: readonly LoggedMessage[]): string[] {
    const { calling, task } = this;
    if (calling === null) return [];
    const lacks = (id: string): boolean => !next.some((one) => one.id === id);
    const gone = lacks(calling.id) ? [calling.id] : [];
    const begins = next.length === 0 || next[0]?.id === calling.id;
    return begins && task !== null && lacks(task.id) ? [task.id, ...gone] : gone;
  }

  /** Puts back the plan of a snapshot whose messages are in the log again, under the same ids. */
  restorePlan(plan: CompactionPlan): void {
    this.plan = plan;
    this.rendered();
  }

  /** A shown message as scripts see it; remembered, because callbacks look at the same messages every turn. */
  value(logged: LoggedMessage): Dict {
    let value = this.known.get(logged);
    if (value === undefined) {
      value = messageValue(logged.message);
      const origin = originField(logged.origin, logged.message);
      if (origin !== undefined) value = value.with("origin", origin);
      this.known.set(logged, value);
    }
    return value;
  }

  /** Somebody says something to the model, before its next turn. */
  inject(feedback: Feedback): void {
    this.feedback.push(feedback);
    this.arrived();
  }

  /** Wakes those who idle. */
  arrived(): void {
    this.arrivalCount++;
    for (const wake of [...this.arrivals]) wake();
  }

  /** Forgets what was said and what happened: it is about to be put in its place again. */
  forgetMessages(): void {
    this.audit.length = 0;
    this.forgetLog();
  }

  private forgetLog(): void {
    this.forgotten += this.log.length;
    this.log.length = 0;
    this.plan = emptyPlan(this.id);
    this.rendered();
    this.known = new WeakMap();
  }

  /**
   * Forgets everything said; id and subscribers stay. Of a loop that runs on it stay the task, and the calls that are open:
   * the model has to know what the coming results are about.
   */
  reset(): void {
    const { calling, task } = this;
    this.calling = null;
    this.task = null;
    this.held.length = 0;
    this.forgetLog();
    if (task !== null) this.task = this.append(task.message, task.origin);
    if (calling !== null) this.calling = this.append(calling.message, calling.origin);
    this.summary = "";
    this.lastSummary = "";
    this.ladder = null;
    this.resultNotes.clear();
    this.archives.length = 0;
    this.reminders = [];
    this.scratchpad = null;
    this.scratchpadVersion = 0;
    this.workItems = null;
    this.contract = null;
    this.controlled = false;
    this.audit.length = 0;
    this.interventions.clear();
    this.seen.clear();
    this.feedback.length = 0;
    this.toolFormat = null;
    this.activeSkills = [];
  }
}

/** The shape of transcripts: calls as OpenAI writes them, arguments as JSON text. */
export function messageValue(message: ModelMessage): Dict {
  const { tool_calls: calls, ...rest } = message;
  const value = fromJson(JSON.parse(JSON.stringify(rest))) as Dict;
  if (calls === undefined || calls.length === 0) return value;
  return value.with("tool_calls", new List(calls.map(callValue)));
}

function callValue(call: NonNullable<ModelMessage["tool_calls"]>[number]): Dict {
  const text = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
  return Dict.of({ id: call.id, type: "function", function: Dict.of({ name: call.name, arguments: text }) });
}

/** The text of a message's content, blocks joined. */
export function messageText(message: ModelMessage): string {
  const { content } = message;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => ("text" in block && block.type !== "reasoning" ? block.text : "")).join("");
}

const limit = 128;

/** Sessions of running loops. */
const sessions = new TaskLocal<string | null>("sessions");

export class Conversations {
  private readonly byId = new Map<string, Conversation>();
  /** Somebody asks why: conversations keep what their calls were made of, with texts. */
  private watching = false;

  /** From now on, and in what is there. */
  watch(): void {
    this.watching = true;
    for (const { seen } of this.byId.values()) seen.watched = true;
  }

  /** All that there are, in the order of their last use. */
  all(): Conversation[] {
    return [...this.byId.values()];
  }

  get(id: string): Conversation | undefined {
    return this.byId.get(id);
  }

  /** The conversation of this id, made when there is none; used again, it is the youngest. */
  open(id: string): Conversation {
    const found = this.byId.get(id) ?? new Conversation(id);
    if (this.watching) found.seen.watched = true;
    this.byId.delete(id);
    this.byId.set(id, found);
    this.evict();
    return found;
  }

  /** It is gone, with those who listened to it and what waited to be said. Its children keep its id as their parent's. */
  remove(id: string): void {
    const found = this.byId.get(id);
    if (found === undefined) return;
    this.byId.delete(id);
    found.subscribers.length = 0;
    found.feedback.length = 0;
  }

  /** Disposable and idle ones age out first-used first; open or running ones are pinned. */
  private evict(): void {
    if (this.byId.size <= limit || this.watching) return;
    for (const conversation of this.byId.values()) {
      if (this.byId.size <= limit) return;
      if (conversation.running === 0 && conversation.disposable) this.byId.delete(conversation.id);
    }
  }

  /** The session of the innermost loop around a task, `null` outside. */
  current(task: Task): string | null {
    return sessions.current(task) ?? null;
  }

  /** From now on the task works for this session, or for none. */
  setSession(task: Task, session: string | null): void {
    sessions.enter(task, session);
  }

  /** The turn whose model call a session's loop waits for, 0 when it waits for none. */
  turnOf(id: unknown): number {
    return typeof id === "string" ? (this.byId.get(id)?.turn ?? 0) : 0;
  }

  enter(task: Task, id: string): void {
    sessions.enter(task, id);
  }

  leave(task: Task): void {
    sessions.leave(task);
  }
}

/** `task.runtime.state(conversations)` */
export const conversations = stateKey<Conversations>("agent.conversations", (runtime) => {
  const store = new Conversations();
  // A program that asks why is watched from its start.
  if (runtime.names("watches")) store.watch();
  return store;
});
