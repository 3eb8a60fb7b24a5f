/**
 * The state of a workflow's mailbox (agents.md §19.4) as `state.json` shows it, and what is read of it. Changes are operations
 * (`durable/operations/workflow-mailboxes.ts`).
 */
import type { WorkflowMessage, WorkflowState, WorkflowStatus } from "../../../durable/index.ts";
import { Dict, isInt, List, type Value } from "../../../values/index.ts";

/** Between values and the texts of the ledger: JSON with secrets by name. */
export interface PayloadTexts {
  text(value: Value): string;
  value(text: string): Value;
}

/** What everybody is told about a workflow. */
export function statusDict(workflow: string, folder: string, status: WorkflowStatus): Dict {
  return Dict.of({ workflow_id: workflow, base_dir: folder, ...status });
}

/** The status of what the file says. */
export function statusOf(state: Dict, workflow: string, folder: string): Dict {
  const stamp = state.get("last_continue_as_new_at");
  return statusDict(workflow, folder, {
    generation: intIn(state, "generation", 1),
    paused: state.get("paused") === true,
    pending_count: mailboxMessages(state).length,
    query_count: mailboxDictIn(state, "queries").size,
    response_count: mailboxDictIn(state, "responses").size,
    continue_as_new_count: intIn(state, "continue_as_new_count"),
    last_continue_as_new_at: typeof stamp === "string" ? stamp : null,
  });
}

export const queried = (state: Dict, name: string): Value =>
  mailboxDictIn(state, "queries").get(name) ?? null;

export function responseTo(state: Dict, request: string): Dict | undefined {
  const found = mailboxDictIn(state, "responses").get(request);
  return found instanceof Dict ? found : undefined;
}

export const mailboxMessageDict = ({ payload, ...message }: WorkflowMessage, texts: PayloadTexts): Dict =>
  Dict.of({ ...message, payload: texts.value(payload) });

/** As the file has it. */
export function stateDict(workflow: string, state: WorkflowState, texts: PayloadTexts): Dict {
  const { messages, queries, open_updates, responses, ...record } = state;
  return Dict.of({
    workflow_id: workflow,
    ...record,
    mailbox: new List(messages.map((message) => mailboxMessageDict(message, texts))),
    queries: Dict.from(Object.entries(queries).map(([name, text]) => [name, texts.value(text)] as const)),
    open_updates: Dict.from(Object.entries(open_updates)),
    responses: Dict.from(
      Object.entries(responses).map(
        ([request, { value, ...answer }]) =>
          [request, Dict.of({ ...answer, value: texts.value(value) })] as const,
      ),
    ),
  });
}

/** What a file says that somebody else wrote; what it lacks is as at the beginning. */
export function stateFrom(dict: Dict, texts: PayloadTexts): WorkflowState {
  const stamp = dict.get("last_continue_as_new_at");
  return {
    generation: intIn(dict, "generation", 1),
    paused: dict.get("paused") === true,
    next_seq: intIn(dict, "next_seq", 1),
    queries: mailboxEntriesIn(dict, "queries", texts.text),
    open_updates: mailboxEntriesIn(dict, "open_updates", (name) => (typeof name === "string" ? name : "")),
    responses: mailboxEntriesIn(dict, "responses", (answer) => {
      const reply = answer instanceof Dict ? answer : new Dict();
      return {
        value: texts.text(reply.get("value") ?? null),
        name: mailboxTextIn(reply, "name") ?? null,
        responded_at: mailboxTextIn(reply, "responded_at") ?? "",
      };
    }),
    continue_as_new_count: intIn(dict, "continue_as_new_count"),
    last_continue_as_new_at: typeof stamp === "string" ? stamp : null,
    messages: mailboxMessages(dict).map((message) => mailboxMessageFrom(message, texts)),
  };
}

function mailboxMessageFrom(dict: Dict, texts: PayloadTexts): WorkflowMessage {
  const kind = dict.get("kind");
  return {
    seq: intIn(dict, "seq"),
    kind: kind === "update" || kind === "control" ? kind : "signal",
    name: mailboxTextIn(dict, "name") ?? "",
    payload: texts.text(dict.get("payload") ?? null),
    enqueued_at: mailboxTextIn(dict, "enqueued_at") ?? "",
    request_id: mailboxTextIn(dict, "request_id") ?? null,
  };
}

const mailboxTextIn = (dict: Dict, name: string): string | undefined => {
  const value = dict.get(name);
  return typeof value === "string" ? value : undefined;
};

function mailboxMessages(state: Dict): Dict[] {
  const value = state.get("mailbox");
  const messages = value instanceof List ? value.toArray() : [];
  return messages.filter((message): message is Dict => message instanceof Dict);
}

function mailboxDictIn(state: Dict, name: string): Dict {
  const value = state.get(name);
  return value instanceof Dict ? value : new Dict();
}

function mailboxEntriesIn<T>(
  state: Dict,
  name: string,
  read: (value: Value) => T,
): { readonly [key: string]: T } {
  return Object.fromEntries(
    [...mailboxDictIn(state, name).entries()].map(([key, value]) => [key, read(value)]),
  );
}

function intIn(state: Dict, name: string, usual = 0): number {
  const value = state.get(name);
  return isInt(value) ? Number(value) : usual;
}
