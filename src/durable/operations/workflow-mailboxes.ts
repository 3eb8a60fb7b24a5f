/**
 * The mailbox of a workflow (agents.md §19.4): signals, queries and updates between programs of one project. Its messages lie
 * in the mailbox `workflow:ID`; the rest is one record. Values are JSON texts, so that a float stays a float.
 */
import { defineOperations, operation } from "../operation.ts";
import type { Tx } from "../tx.ts";

type WorkflowMessageKind = "signal" | "update" | "control";

export interface WorkflowMessage {
  readonly seq: number;
  readonly kind: WorkflowMessageKind;
  readonly name: string;
  /** JSON text. */
  readonly payload: string;
  readonly enqueued_at: string;
  readonly request_id: string | null;
}

interface WorkflowAnswer {
  /** JSON text. */
  readonly value: string;
  readonly name: string | null;
  readonly responded_at: string;
}

export interface WorkflowState extends WorkflowRecord {
  readonly messages: readonly WorkflowMessage[];
}

export interface WorkflowStatus {
  readonly generation: number;
  readonly paused: boolean;
  readonly pending_count: number;
  readonly query_count: number;
  readonly response_count: number;
  readonly continue_as_new_count: number;
  readonly last_continue_as_new_at: string | null;
}

const space = "workflow.mailbox";
const workflowBox = (workflow: string): string => `workflow:${workflow}`;

const fresh = {
  generation: 1,
  paused: false,
  next_seq: 1,
  /** JSON texts by name. */
  queries: {} as { readonly [name: string]: string },
  /** Names of updates by request. */
  open_updates: {} as { readonly [request: string]: string },
  responses: {} as { readonly [request: string]: WorkflowAnswer },
  continue_as_new_count: 0,
  last_continue_as_new_at: null as string | null,
};

/** What is known of a workflow besides its messages. */
type WorkflowRecord = Readonly<typeof fresh>;

interface Of {
  readonly workflow: string;
}

const mailboxRecordOf = (tx: Tx, { workflow }: Of): WorkflowRecord => ({
  ...fresh,
  ...(tx.get(space, workflow) as unknown as WorkflowRecord | undefined),
});

function putMailboxRecord(tx: Tx, { workflow }: Of, record: WorkflowRecord): WorkflowStatus {
  tx.put(space, workflow, { ...record } as never);
  return {
    generation: record.generation,
    paused: record.paused,
    pending_count: tx.messages(workflowBox(workflow)).length,
    query_count: Object.keys(record.queries).length,
    response_count: Object.keys(record.responses).length,
    continue_as_new_count: record.continue_as_new_count,
    last_continue_as_new_at: record.last_continue_as_new_at,
  };
}

interface NewMailboxMessage extends Of {
  readonly kind: WorkflowMessageKind;
  readonly name: string;
  readonly payload: string;
  readonly at: string;
  /** Who waits for the answer to an update. */
  readonly request: string | null;
}

interface EnqueueResult {
  readonly message: WorkflowMessage;
  readonly status: WorkflowStatus;
}

function enqueueMailboxMessage(
  tx: Tx,
  to: NewMailboxMessage,
  changes: Partial<WorkflowRecord> = {},
): EnqueueResult {
  const record = mailboxRecordOf(tx, to);
  const { kind, name, payload, at, request } = to;
  const message: WorkflowMessage = {
    seq: record.next_seq,
    kind,
    name,
    payload,
    enqueued_at: at,
    request_id: request,
  };
  tx.send(workflowBox(to.workflow), { ...message }, request === null ? {} : { key: request });
  const open_updates = request === null ? record.open_updates : { ...record.open_updates, [request]: name };
  const status = putMailboxRecord(tx, to, {
    ...record,
    ...changes,
    next_seq: record.next_seq + 1,
    open_updates,
  });
  return { message, status };
}

function withoutKey<T>(dict: { readonly [key: string]: T }, key: string): { readonly [key: string]: T } {
  const { [key]: _gone, ...rest } = dict;
  return rest;
}
const mailboxScope = ({ workflow: id }: Of): readonly string[] => [workflowBox(id)];

export const workflowMailboxes = defineOperations("workflow_mailboxes", {
  enqueue: operation({
    doc: "Adds a message; gives it with the status.",
    scopes: mailboxScope,
    run: (tx: Tx, message: NewMailboxMessage): EnqueueResult => enqueueMailboxMessage(tx, message),
  }),
  receive: operation({
    doc: "Takes the oldest message out; nil when there is none.",
    scopes: mailboxScope,
    run: (tx: Tx, of: Of): WorkflowMessage | null =>
      (tx.receive(workflowBox(of.workflow)) ?? null) as WorkflowMessage | null,
  }),
  publish: operation({
    doc: "Sets what queries of a name are answered with; gives the status.",
    scopes: mailboxScope,
    run: (tx: Tx, one: Of & { readonly name: string; readonly value: string }): WorkflowStatus => {
      const record = mailboxRecordOf(tx, one);
      return putMailboxRecord(tx, one, { ...record, queries: { ...record.queries, [one.name]: one.value } });
    },
  }),
  respond: operation({
    doc: "Answers an update; gives the status, or nil when nobody waits for it.",
    scopes: mailboxScope,
    run: (
      tx: Tx,
      one: Of & {
        readonly request: string;
        readonly value: string;
        readonly name: string | null;
        readonly at: string;
      },
    ): WorkflowStatus | null => {
      const record = mailboxRecordOf(tx, one);
      if (!Object.hasOwn(record.open_updates, one.request)) return null;
      const answer = { value: one.value, name: one.name, responded_at: one.at };
      return putMailboxRecord(tx, one, {
        ...record,
        open_updates: withoutKey(record.open_updates, one.request),
        responses: { ...record.responses, [one.request]: answer },
      });
    },
  }),
  withdraw: operation({
    doc: "Takes an update back that nobody waits for any more.",
    scopes: mailboxScope,
    run: (tx: Tx, one: Of & { readonly request: string }): WorkflowStatus => {
      tx.withdraw(workflowBox(one.workflow), one.request);
      const record = mailboxRecordOf(tx, one);
      return putMailboxRecord(tx, one, {
        ...record,
        open_updates: withoutKey(record.open_updates, one.request),
      });
    },
  }),
  pause: operation({
    doc: "Marks a workflow as paused, or no longer, and says so in its mailbox; gives the status.",
    scopes: mailboxScope,
    run: (tx: Tx, one: Of & { readonly paused: boolean; readonly at: string }): WorkflowStatus => {
      const message: NewMailboxMessage = {
        workflow: one.workflow,
        kind: "control",
        name: one.paused ? "pause" : "resume",
        payload: "null",
        at: one.at,
        request: null,
      };
      return enqueueMailboxMessage(tx, message, { paused: one.paused }).status;
    },
  }),
  continueAsNew: operation({
    doc: "Begins the next generation: messages and queries stay, answers are forgotten; gives the status.",
    scopes: mailboxScope,
    run: (tx: Tx, one: Of & { readonly at: string }): WorkflowStatus => {
      const record = mailboxRecordOf(tx, one);
      return putMailboxRecord(tx, one, {
        ...record,
        generation: record.generation + 1,
        continue_as_new_count: record.continue_as_new_count + 1,
        last_continue_as_new_at: one.at,
        responses: {},
      });
    },
  }),
  replace: operation({
    doc: "Makes this the state of a workflow's mailbox.",
    scopes: mailboxScope,
    run: (tx: Tx, one: Of & { readonly state: WorkflowState }): null => {
      const { messages, ...record } = one.state;
      const box = workflowBox(one.workflow);
      tx.withdraw(box);
      putMailboxRecord(tx, one, record);
      for (const message of messages) {
        const { request_id: key } = message;
        tx.send(box, { ...message }, key === null ? {} : { key });
      }
      return null;
    },
  }),
  whole: operation({
    doc: "Record and messages of a workflow's mailbox.",
    scopes: mailboxScope,
    reads: true,
    run: (tx: Tx, of: Of): WorkflowState => ({
      ...mailboxRecordOf(tx, of),
      messages: tx.messages(workflowBox(of.workflow)) as unknown as readonly WorkflowMessage[],
    }),
  }),
});
