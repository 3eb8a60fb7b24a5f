/** What the store holds of a conversation, and how it looks in a row. */
import type { AgentFailure, Json } from "../../../effects/index.ts";
import { StoreError } from "../../../store/index.ts";
import type { ConversationState } from "../../conversation-states.ts";
import type { RowOf } from "../../tables.ts";
import type { DurableRow } from "../durable-work.ts";
import { durableKinds } from "../status.ts";

/** Why a run goes on. */
export type ResumeCause = "crash" | "answer" | "asked";

/** The run that works, waits, or was stopped. */
export interface ConversationRun {
  readonly run: string;
  /** The message that it answers; null for a fork's first run. */
  readonly message: string | null;
  /** Number of its first event. */
  readonly since: number;
  /** Processes of it that died one after the other without a new journal record. */
  readonly deaths: number;
  /** Records of its journal when it last began. */
  readonly records: number;
  /** It goes on for this reason when it is taken; null: it has not begun. */
  readonly because: ResumeCause | null;
  /** It was parked where it was: its log has begun it and not ended it. */
  readonly isOpen?: true;
  /** It begins as a fork. */
  readonly fork?: ForkedFrom;
}

/** How a run begins that goes like another one up to a step. */
export interface ForkedFrom {
  /** The other one. */
  readonly run: string;
  /** Number of the first step that is done anew, from 1. */
  readonly step: number;
  readonly provider: string | null;
  readonly model: string | null;
  /** Variables of the environment from there on. */
  readonly set: { readonly [name: string]: string };
  /** What the step gives, instead of doing it; null: it is done. JSON text. */
  readonly result: string | null;
}

/** What all runs have cost. */
export interface ConversationTotals {
  readonly turns: number;
  readonly tool_calls: number;
  readonly input: number;
  readonly output: number;
  /** US dollars; null when a model without a price took part. */
  readonly cost_usd: number | null;
}

/** How full the model's window is: the last `context.usage` of an outermost loop. */
export interface ConversationGauge {
  readonly used: number;
  readonly window: number | null;
  readonly ratio: number | null;
  readonly threshold: number | null;
}

/** Where a fork comes from. */
export interface ConversationParent {
  readonly conversation: string;
  /** The run that was forked, and the event after which it lives. */
  readonly run: string;
  readonly event: number;
  /** So many messages of its history are shared. */
  readonly history: number;
}

export interface NewConversation {
  readonly agent: string;
  readonly owner: string;
  /** "" until somebody says something. */
  readonly title: string;
  readonly mode: string | null;
  readonly config: { readonly [key: string]: Json };
  /** Absolute path of its folder; null without. */
  readonly workspace: string | null;
  /** Which models its runs ask, instead of the server's; absent: the server's. */
  readonly route?: { readonly provider: string | null; readonly model: string | null };
}

export interface StoredConversation extends NewConversation {
  readonly id: string;
  readonly state: ConversationState;
  readonly why: string;
  /** How the agent of its last run ended that did not do its work. */
  readonly outcome?: AgentFailure["status"] | null;
  readonly archived: boolean;
  /** How often people have set the mode. */
  readonly modeChanges: number;
  readonly parent: ConversationParent | null;
  readonly work: ConversationRun | null;
  /** Messages that wait. */
  readonly queued: number;
  /** Messages that people ever said. */
  readonly messages: number;
  /** Messages of the history, shared ones counted. */
  readonly history: number;
  readonly totals: ConversationTotals;
  readonly gauge: ConversationGauge | null;
  /** Number of its last event. */
  readonly head: number;
  /** Counted up with every change that people make or see: the ETag of its record. */
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly created: number;
  readonly changed: number;
}

export const noTotals: ConversationTotals = { turns: 0, tool_calls: 0, input: 0, output: 0, cost_usd: 0 };

export function newConversation(id: string, value: NewConversation, now: number): StoredConversation {
  return {
    id,
    ...value,
    state: "idle",
    why: "",
    archived: false,
    modeChanges: 0,
    parent: null,
    work: null,
    queued: 0,
    messages: 0,
    history: 0,
    totals: noTotals,
    gauge: null,
    head: 0,
    version: 1,
    created: now,
    changed: now,
  };
}

export function conversationOf(row: RowOf<"conversation">): StoredConversation {
  const { id, agent, owner, head, version, changed } = row;
  const state = row.state as ConversationState;
  const rest = JSON.parse(row.record) as Omit<StoredConversation, keyof typeof columns>;
  return { ...rest, id, agent, owner, state, head, version, changed };
}

const columns = { id: 0, agent: 0, owner: 0, state: 0, head: 0, version: 0, changed: 0 };

function rowOfConversation(record: StoredConversation): RowOf<"conversation"> {
  const { id, agent, owner, state, head, version, changed, ...rest } = record;
  return { id, agent, owner, state, head, version, changed, record: JSON.stringify(rest) };
}

export const conversationRow: DurableRow<StoredConversation> = {
  kind: "conversation",
  status: ({ state }) => durableKinds.conversation.states[state],
  find: (tx, id) => {
    const [row] = tx.rows("conversation", { id }, 1);
    return row === undefined ? undefined : conversationOf(row);
  },
  write: (tx, record) => tx.write("conversation", rowOfConversation(record)),
  missing: (id) => missingConversation(id),
};

export const missingConversation = (id: string): StoreError =>
  new StoreError("missing", `there is no conversation ${id}`);
